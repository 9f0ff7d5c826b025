//! The page of a report, as a person sees and uses it.

use crate::browser::{Browser, program};
use crate::run::{CLUSTER, LEARN};
use crate::toy::Toy;
use std::collections::HashSet;
use std::path::Path;

const SIZES: [(u32, u32); 2] = [(360, 740), (1280, 900)];

/// Pairs of texts of one panel that lie over each other, of parts of the page that do, and of
/// figures that are wider than the window.
const OVERLAPS: &str = r#"(() => {
  const over = (a, b, room) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > room
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > room;
  const found = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width * 10;
    const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent.trim(), t.getBoundingClientRect()]);
    texts.forEach(([a, x], i) => texts.slice(i + 1).forEach(([b, y]) => {
      if (over(x, y, 5 * scale)) found.push(a + " / " + b);
    }));
  }
  const parts = [...document.querySelectorAll("header, nav, section, figcaption, table")];
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    if (!a.contains(b) && !b.contains(a) && over(a.getBoundingClientRect(), b.getBoundingClientRect(), 2)) {
      found.push(a.tagName + a.id + " / " + b.tagName + b.id);
    }
  }));
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push("wider than the window");
  return found;
})()"#;

/// The figures' places on the whole page.
const PLACES: &str = r#"[...document.querySelectorAll("figure svg")].map((s) => {
  const box = s.getBoundingClientRect();
  return [box.left + scrollX, box.top + scrollY, Math.min(box.width, innerWidth - box.left), box.height];
})"#;

fn report(toy: &Toy, text: &str, flags: &str) -> std::path::PathBuf {
    toy.write("exp.toml", text.as_bytes());
    toy.output(&format!("run exp.toml {flags}"));
    toy.output("report exp.sqlite -o report");
    toy.path("report/index.html")
}

#[test]
fn a_report_is_used_in_a_browser() {
    let Some(program) = program() else {
        eprintln!("skipped: there is no chromium in PATH");
        return;
    };
    for text in [LEARN, CLUSTER] {
        let toy = Toy::new();
        let page = report(&toy, text, "");
        let mut browser = Browser::start(&program);
        for theme in ["light", "dark"] {
            for size in SIZES {
                looks(&mut browser, &page, size, theme);
            }
        }
        browser.open(&page, SIZES[1], "light");
        tables_sort(&mut browser);
        values_show(&mut browser);
        themes_change(&mut browser);
        assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
    }
}

/// Tables that are cut, and whether all of them, and no others, say so.
const CUT: &str = r#"(() => {
  const boxes = [...document.querySelectorAll(".wide")].filter((b) => b.querySelector("table"));
  const cut = (b) => b.scrollWidth > b.clientWidth + 1;
  const said = (b) => getComputedStyle(b.nextElementSibling).display !== "none";
  return [boxes.filter(cut).length, boxes.every((b) => cut(b) === said(b))];
})()"#;

fn looks(browser: &mut Browser, page: &Path, size: (u32, u32), theme: &str) {
    browser.open(page, size, theme);
    let overlaps = browser.ask(OVERLAPS);
    assert_eq!(overlaps, serde_json::json!([]), "{size:?} {theme}");
    let cut = browser.ask(CUT);
    assert_eq!(cut[1], true, "{size:?}: a table is cut without a sign");
    assert!(size.0 > 400 || cut[0].as_u64().unwrap() > 0, "{size:?}: no table is wide");
    let places = browser.ask(PLACES);
    let places = places.as_array().unwrap();
    assert!(places.len() >= 4, "{places:?}");
    let (width, height, channels, pixels) = browser.picture();
    assert_eq!(width, size.0 as usize);
    let at = |x: usize, y: usize| {
        let i = (y * width + x) * channels;
        [pixels[i], pixels[i + 1], pixels[i + 2]]
    };
    let paper = at(2, 2);
    assert_eq!(paper, if theme == "dark" { [0x16, 0x19, 0x1d] } else { [255; 3] });
    for place in places {
        let [x, y, w, h] = [0, 1, 2, 3].map(|i| place[i].as_f64().unwrap().max(0.0) as usize);
        assert!(w > 150 && h > 60, "{place}");
        let (mut colours, mut drawn, mut last) = (HashSet::from([paper]), 0, paper);
        let (right, bottom) = ((x + w).min(width), (y + h).min(height));
        for y in y..bottom {
            for x in x..right {
                let colour = at(x, y);
                drawn += usize::from(colour != paper);
                if colour != last {
                    colours.insert(colour);
                    last = colour;
                }
            }
        }
        assert!(colours.len() > 12, "{size:?} {theme} {place}: {} colours", colours.len());
        let share = drawn as f64 / (w * h) as f64;
        assert!((0.01..0.9).contains(&share), "{size:?} {theme} {place}: {share} is drawn");
    }
}

fn tables_sort(browser: &mut Browser) {
    let keys = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((r) => Number(r.cells[1].dataset.key))";
    let before = browser.ask(keys);
    let head = "document.querySelectorAll('thead')[0].rows[0].cells[1]";
    let sorted = |browser: &mut Browser| -> Vec<f64> {
        browser.ask(keys).as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    // By the keyboard, then by a click.
    browser.ask(&format!("{head}.firstElementChild.focus()"));
    browser.key("Enter", 13, "\r");
    let up = sorted(browser);
    assert!(up.windows(2).all(|p| p[0] <= p[1]), "{up:?}");
    assert_eq!(browser.ask(&format!("{head}.getAttribute('aria-sort')")), "ascending");
    browser.ask(&format!("{head}.firstElementChild.click()"));
    let down = sorted(browser);
    assert!(down.windows(2).all(|p| p[0] >= p[1]) && down.len() > 2, "{down:?}");
    assert_eq!(before.as_array().unwrap().len(), down.len());
    browser.ask("document.querySelectorAll('thead')[0].rows[0].cells[0].firstElementChild.click()");
    let first = "document.querySelectorAll('table')[0].tBodies[0].rows[0].cells[0].textContent";
    let names = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((r) => r.cells[0].textContent).sort((a, b) => a.localeCompare(b))[0]";
    let (first, least) = (browser.ask(first), browser.ask(names));
    assert_eq!(first, least);
}

fn values_show(browser: &mut Browser) {
    let tip =
        "document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent";
    let figures = browser.ask("document.querySelectorAll('figure').length").as_u64().unwrap();
    for i in 0..figures {
        let spot = format!("document.querySelectorAll('figure')[{i}].querySelector('.spot')");
        let place = browser.ask(&format!(
            "(() => {{ const s = {spot}; s.scrollIntoView({{block: 'center'}}); const b = s.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
        ));
        browser.point(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        let said = browser.ask(tip);
        assert!(said.as_str().unwrap().chars().any(|c| c.is_ascii_digit()), "figure {i}: {said}");
        browser.point(2.0, 2.0);
        assert_eq!(browser.ask(tip), "");
        browser.ask(&format!("document.querySelectorAll('figure')[{i}].focus()"));
        browser.key("ArrowRight", 39, "");
        assert_eq!(browser.ask(tip), browser.ask(&format!("{spot}.dataset.tip")));
        browser.key("Escape", 27, "");
        assert_eq!(browser.ask(tip), "");
    }
}

fn themes_change(browser: &mut Browser) {
    let paper = "getComputedStyle(document.body).backgroundColor";
    let before = browser.ask(paper);
    browser.ask("document.getElementById('theme').click()");
    let after = browser.ask(paper);
    assert_ne!(before, after);
    browser.ask("document.getElementById('theme').click()");
    assert_eq!(browser.ask(paper), before);
}

#[test]
fn a_thousand_cells_take_less_than_two_megabytes() {
    let toy = Toy::new();
    let text = LEARN.replace("n = 120", "n = 45").replace("repeats = 2", "repeats = 30");
    let page = report(&toy, &text, "");
    assert!(toy.output("status exp.sqlite").contains("1,050 cells: 1050 done"));
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    // Nothing is loaded, and what users wrote stays text.
    for link in ["src=", "@import", "url(", "http://", "https://"] {
        let found = html.match_indices(link).map(|(i, _)| &html[i..(i + 60).min(html.len())]);
        let found: Vec<&str> = found.filter(|t| !t.starts_with("http://www.w3.org/")).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(html.contains("A remark with &lt;b&gt;letters&lt;") && !html.contains("<b>letters"));
    assert!(html.contains("cokernel run exp.toml --store exp.sqlite"));
}
