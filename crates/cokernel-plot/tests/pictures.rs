//! What is in the pictures: their text as XML, their pixels.

#![allow(clippy::unwrap_used)]

use cokernel_plot::{Mark, Panel, PlotError, png, svg, svg_with_tips};
use roxmltree::Document;

fn points(points: Vec<(f64, f64)>) -> Mark {
    Mark::Points { label: None, points, groups: None }
}

fn line(points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { label: String::new(), points, spread: None }
}

fn panel(marks: Vec<Mark>) -> Panel {
    Panel { marks, ..Panel::default() }
}

fn count(text: &str, tag: &str) -> usize {
    let document = Document::parse(text).unwrap();
    document.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", tag))).count()
}

fn texts(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let texts = document.descendants().filter_map(|n| n.text()).map(|t| t.trim().to_string());
    texts.filter(|t| !t.is_empty()).collect()
}

/// Width, height and RGB values.
fn pixels(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut out = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut out).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, out)
}

/// Whether some pixel is within 10 of a colour in every channel.
fn shows(pixels: &[u8], colour: [u8; 3]) -> bool {
    pixels.chunks(3).any(|p| p.iter().zip(colour).all(|(a, b)| a.abs_diff(b) <= 10))
}

#[test]
fn labels_are_escaped_and_kept() {
    let text = svg(
        &[Panel {
            title: "a < b & \"c\"".into(),
            x_label: "x'>".into(),
            y_label: "two\nlines\u{8}".into(),
            marks: vec![
                Mark::Line { label: "</svg>".into(), points: vec![(0.0, 1.0)], spread: None },
                Mark::Level { label: "λ = 0.5".into(), y: 0.5 },
                Mark::At { label: "gap".into(), x: 1.0 },
            ],
            ..Panel::default()
        }],
        1,
    )
    .unwrap();
    let found = texts(&text);
    for label in ["a < b & \"c\"", "x'>", "two lines", "</svg>", "λ = 0.5", "gap"] {
        assert!(found.iter().any(|t| t == label), "{label} not in {found:?}");
    }
}

#[test]
fn every_finite_point_is_drawn_once() {
    let data = vec![(0.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, 3.0), (4.0, -1.0)];
    assert_eq!(count(&svg(&[panel(vec![points(data.clone())])], 1).unwrap(), "circle"), 3);
    let outside = Panel { x_range: Some((-1.0, 2.5)), ..panel(vec![points(data.clone())]) };
    assert_eq!(count(&svg(&[outside], 1).unwrap(), "circle"), 2);
    let log = Panel { log_y: true, ..panel(vec![points(data.clone())]) };
    assert_eq!(count(&svg(&[log], 1).unwrap(), "circle"), 2);

    // Groups 0-7 are discs, 8-15 squares; each has an entry in the legend.
    let groups = Some(vec![0, 0, 0, 3, 9]);
    let mark = Mark::Points { label: Some("cluster".into()), points: data, groups };
    let text = svg(&[panel(vec![mark])], 1).unwrap();
    assert_eq!((count(&text, "circle"), count(&text, "polygon")), (2 + 2, 1 + 1));
    let found = texts(&text);
    for label in ["cluster 0", "cluster 3", "cluster 9"] {
        assert!(found.iter().any(|t| t == label), "{label} not in {found:?}");
    }
}

#[test]
fn points_are_where_they_belong() {
    let marks = vec![points(vec![(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)])];
    let text = svg(&[panel(marks)], 1).unwrap();
    let document = Document::parse(&text).unwrap();
    let at: Vec<(f64, f64)> = document
        .descendants()
        .filter(|n| n.tag_name().name() == "circle")
        .map(|n| ["cx", "cy"].map(|a| n.attribute(a).unwrap().parse::<f64>().unwrap()))
        .map(|[x, y]| (x, y))
        .collect();
    assert!((2.0 * at[2].0 - at[0].0 - at[1].0).abs() <= 2.0, "{at:?}");
    assert_eq!(at[0].1, at[1].1);
    assert!(at[2].1 < at[0].1, "up is up: {at:?}");
    assert!(at[0].0 < at[1].0);
}

#[test]
fn lines_have_gaps_bands_and_ends() {
    let data: Vec<(f64, f64)> = (0..100_u32).map(|i| (f64::from(i), f64::from(i % 7))).collect();
    let all = |p: Panel| count(&svg(&[p], 1).unwrap(), "polyline");
    let axes = |p: Panel| all(Panel { marks: vec![points(data.clone())], ..p });
    let lines = |p: Panel| all(p.clone()) - axes(p);
    assert_eq!(lines(panel(vec![line(data.clone())])), 1);
    let mut gap = data.clone();
    gap[50].1 = f64::NAN;
    assert_eq!(lines(panel(vec![line(gap)])), 2);
    // 0, 1, …, 6, 0, …: what is above 3 is cut off 14 times.
    let cut = Panel { y_range: Some((-1.0, 3.0)), ..panel(vec![line(data.clone())]) };
    assert_eq!(lines(cut), 15);

    let spread = Some(vec![0.5; 100]);
    let band = Mark::Line { label: String::new(), points: data.clone(), spread };
    assert_eq!(count(&svg(&[panel(vec![band])], 1).unwrap(), "polygon"), 1);
}

#[test]
fn pictures_have_their_size_and_are_not_blank() {
    let panels = vec![panel(vec![line(vec![(0.0, 0.0), (1.0, 2.0)]), line(vec![(0.0, 1.0)])]); 3];
    let text = svg(&panels, 2).unwrap();
    let document = Document::parse(&text).unwrap();
    let size = |a| document.root_element().attribute(a).unwrap().parse::<u32>().unwrap();
    let (width, height, values) = pixels(&png(&panels, 2).unwrap());
    assert_eq!((width, height), (2 * size("width"), 2 * size("height")));
    assert_eq!(values.len(), (width * height * 3) as usize);
    assert!(shows(&values, [255, 255, 255]));
    assert!(shows(&values, [0, 114, 178]), "the first line is blue");
    assert!(shows(&values, [213, 94, 0]), "the second is vermilion");
    // Each of the three cells holds something, the fourth nothing.
    let row = (width * 3) as usize;
    let cell = |column: usize, below: usize| {
        let rows =
            values.chunks(row).skip(below * values.len() / row / 2).take(height as usize / 2);
        let mut part = rows.flat_map(|r| &r[column * row / 2..(column + 1) * row / 2]);
        part.any(|v| *v != 255)
    };
    assert_eq!([cell(0, 0), cell(1, 0), cell(0, 1), cell(1, 1)], [true, true, true, false]);
}

#[test]
fn text_is_drawn_without_installed_fonts() {
    let bare = panel(vec![points(vec![(0.0, 0.0), (1.0, 1.0)])]);
    let titled = Panel { title: "Title".into(), ..bare.clone() };
    let dark = |p: Panel| pixels(&png(&[p], 1).unwrap()).2.iter().filter(|v| **v < 100).count();
    assert!(dark(titled) > dark(bare) + 300);
}

#[test]
fn the_same_panels_give_the_same_bytes() {
    let make = || {
        let spread = Some(vec![0.1, 0.2, 0.1]);
        let data = vec![(1.0, 0.3), (10.0, 0.5), (100.0, 0.4)];
        let mark = Mark::Line { label: "a".into(), points: data, spread };
        Panel { log_x: true, ..panel(vec![mark]) }
    };
    assert_eq!(svg(&[make()], 1).unwrap(), svg(&[make()], 1).unwrap());
    assert_eq!(png(&[make()], 1).unwrap(), png(&[make()], 1).unwrap());
}

#[test]
fn odd_data_is_drawn() {
    let values = [0.0, -1.0, 1e-320, 1e-300, 1.0, 1e300, 1.7e308, f64::NAN, f64::NEG_INFINITY];
    let mut sets: Vec<Vec<(f64, f64)>> = vec![vec![], vec![(2.0, 2.0)], vec![(2.0, 2.0); 5]];
    sets.push(values.iter().map(|v| (*v, 1.0)).collect());
    sets.push(values.iter().flat_map(|x| values.map(|y| (*x, y))).collect());
    sets.push(vec![(f64::NAN, f64::NAN); 3]);
    for data in sets {
        for (log_x, log_y) in [(false, false), (true, false), (false, true), (true, true)] {
            let spread = data.iter().enumerate().map(|(i, _)| values[i % values.len()]).collect();
            let marks = vec![
                Mark::Line { label: "l".into(), points: data.clone(), spread: Some(spread) },
                line(data.clone()),
                points(data.clone()),
                Mark::Level { label: "y".into(), y: data.first().map_or(f64::NAN, |p| p.1) },
                Mark::At { label: "x".into(), x: data.first().map_or(f64::NAN, |p| p.0) },
            ];
            let given = Panel {
                x_range: Some((1e-3, 1e3)),
                y_range: Some((0.5, 0.75)),
                log_x,
                log_y,
                ..panel(marks.clone())
            };
            let panels = [Panel { log_x, log_y, ..panel(marks) }, given];
            Document::parse(&svg(&panels, 2).unwrap()).unwrap();
            pixels(&png(&panels, 2).unwrap());
        }
    }
}

#[test]
fn a_panel_without_data_says_so() {
    for marks in [vec![], vec![points(vec![(f64::NAN, 0.0)])], vec![line(vec![])]] {
        let text = svg(&[panel(marks)], 1).unwrap();
        assert!(texts(&text).contains(&"no data".to_string()));
    }
}

#[test]
fn misuse_is_named() {
    assert_eq!(svg(&[], 1), Err(PlotError::NoPanels));
    assert_eq!(svg(&[Panel::default()], 0), Err(PlotError::Columns));
    let groups = Some(vec![1]);
    let mark = Mark::Points { label: None, points: vec![(0.0, 0.0); 2], groups };
    let wrong = Panel { title: "t".into(), ..panel(vec![mark]) };
    assert_eq!(
        svg(&[wrong], 1).unwrap_err().to_string(),
        "panel 't', mark 0: expected one group per point (2), found 1"
    );
    for (range, log_y) in [((1.0, 1.0), false), ((f64::NAN, 1.0), false), ((0.0, 1.0), true)] {
        let wrong = Panel { y_range: Some(range), log_y, ..Panel::default() };
        assert!(matches!(png(&[wrong], 1), Err(PlotError::Range { axis: 'y', .. })));
    }
    let many = vec![Panel::default(); 1000];
    assert!(matches!(svg(&many, 1), Err(PlotError::Size { .. })));
    assert!(matches!(png(&vec![Panel::default(); 400], 20), Err(PlotError::Size { .. })));
}

fn bars() -> Panel {
    Panel {
        y_names: ["fou", "a <long> name"].map(String::from).to_vec(),
        x_label: "weight".into(),
        marks: vec![Mark::Bars {
            label: "SimpleMKL".into(),
            values: vec![0.25, 0.75],
            spread: Some(vec![0.05, 0.1]),
        }],
        ..Panel::default()
    }
}

#[test]
fn bars_have_names_and_lengths() {
    let text = svg(&[bars()], 1).unwrap();
    assert!(texts(&text).contains(&"fou".to_string()), "{text}");
    assert!(!text.contains("data-tip"));
    let document = Document::parse(&text).unwrap();
    // The two bars and the square in the legend.
    let widths: Vec<f64> = document
        .descendants()
        .filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "polygon")))
        .map(|n| {
            let xs = n.attribute("points").unwrap().split_whitespace();
            let xs: Vec<f64> = xs.map(|p| p.split(',').next().unwrap().parse().unwrap()).collect();
            xs.iter().copied().fold(0.0, f64::max) - xs.iter().copied().fold(1e9, f64::min)
        })
        .collect();
    assert!((widths[1] / widths[0] - 3.0).abs() < 0.01, "{widths:?}");
    let (_, height, all) = pixels(&png(&[bars()], 1).unwrap());
    assert!(shows(&all, [0, 114, 178]) || shows(&all, [38, 135, 190]));
    let mut more = bars();
    more.y_names.extend((0..10).map(|i| format!("kernel {i}")));
    assert!(pixels(&png(&[more], 1).unwrap()).1 > height, "as high as the names need");
    let mut wrong = bars();
    wrong.marks = vec![Mark::Bars { label: "".into(), values: vec![1.0], spread: Some(vec![]) }];
    assert!(matches!(svg(&[wrong], 1), Err(PlotError::Length { what: "spread", .. })));
}

#[test]
fn counts_are_written_into_their_places() {
    let names = ["cat", "dog"].map(String::from).to_vec();
    let panel = |rows| Panel {
        y_names: names.clone(),
        x_names: names.clone(),
        y_label: "true".into(),
        x_label: "predicted".into(),
        marks: vec![Mark::Counts { rows }],
        ..Panel::default()
    };
    let text = svg_with_tips(&[panel(vec![vec![17, 0], vec![4, 23]])], 1).unwrap();
    let written = texts(&text);
    assert!(["17", "4", "23"].iter().all(|n| written.contains(&n.to_string())), "{written:?}");
    assert!(text.contains("data-tip=\"true dog, predicted cat: 4\""), "{text}");
    let said = svg(&[panel(vec![vec![1], vec![1, 2]])], 1).unwrap_err().to_string();
    assert!(said.contains("expected one count per point (1), found 2"), "{said}");
}

#[test]
fn tips_say_the_values() {
    let mut panel = Panel {
        x_label: "C".into(),
        y_label: "accuracy".into(),
        marks: vec![Mark::Line {
            label: "a & b".into(),
            points: vec![(1.0, 0.5), (10.0, 0.98765)],
            spread: Some(vec![0.1, 0.25]),
        }],
        ..Panel::default()
    };
    let text = svg_with_tips(&[panel.clone(), bars()], 2).unwrap();
    Document::parse(&text).unwrap();
    for tip in
        ["a &amp; b: C 10, accuracy 0.9877 ± 0.25", "SimpleMKL, a &lt;long&gt; name: 0.75 ± 0.1"]
    {
        assert!(text.contains(&format!("data-tip=\"{tip}\"")), "{text}");
    }
    assert_eq!(text.matches("class=\"spot\"").count(), 4);
    // What is outside the picture cannot be pointed at.
    panel.x_range = Some((0.0, 5.0));
    assert_eq!(svg_with_tips(&[panel], 1).unwrap().matches("class=\"spot\"").count(), 1);
}

/// Values from 0 to 1 as shades, of which the legend shows three.
#[test]
fn values_are_shades() {
    let shaded = |values: Vec<f64>| Panel {
        title: "linear@a".into(),
        x_label: "x".into(),
        y_label: "y".into(),
        marks: vec![Mark::Shaded {
            label: "gate".into(),
            points: vec![(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)],
            values,
        }],
        ..Panel::default()
    };
    let panel = shaded(vec![0.0, 1.0, 7.0]);
    let text = svg_with_tips(std::slice::from_ref(&panel), 1).unwrap();
    let written = texts(&text);
    assert!(["gate 0", "0.5", "1"].iter().all(|n| written.contains(&n.to_string())), "{written:?}");
    // Three points and three samples, the last two points alike.
    assert_eq!(count(&text, "circle"), 6);
    assert!(text.contains("data-tip=\"gate 1: x 1, y 2\""), "{text}");
    let (_, _, all) = pixels(&png(&[panel], 1).unwrap());
    let over = |c: [u8; 3]| c.map(|v| (0.85 * f64::from(v) + 0.15 * 255.0) as u8);
    assert!(shows(&all, over([214, 214, 214])) && shows(&all, over([8, 48, 107])));
    let said = svg(&[shaded(vec![0.5])], 1).unwrap_err().to_string();
    assert!(said.contains("expected one value per point (3), found 1"), "{said}");
}
