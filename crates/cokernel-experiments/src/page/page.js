"use strict";
(() => {
  const root = document.documentElement;
  const tip = document.getElementById("tip");
  let lit = null;

  // Light and dark: as the system has it, until the button is pressed.
  document.getElementById("theme").addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  });

  // Tables sort by a column: once ascending, again descending.
  const key = (row, column) => row.cells[column].dataset.key;
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((h) => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      const compare = (a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const numbers = column > 0 ? Number(x) - Number(y) : NaN;
        return Number.isNaN(numbers) ? x.localeCompare(y) : numbers;
      };
      rows.sort((a, b) => (up ? compare(a, b) : compare(b, a)));
      table.tBodies[0].append(...rows);
    }));
  }

  // A table that is wider than its place says so, until its end is in sight.
  const boxes = [...document.querySelectorAll(".wide")].filter((b) => b.querySelector("table"));
  const measure = () => boxes.forEach((box) => {
    const rest = box.scrollWidth - box.clientWidth;
    box.classList.toggle("cut", rest > 1);
    box.classList.toggle("end", box.scrollLeft >= rest - 1);
    box.nextElementSibling.hidden = rest <= 1;
  });
  boxes.forEach((box) => box.addEventListener("scroll", measure));
  addEventListener("resize", measure);
  measure();

  // Values where the pointer is, or where the arrow keys went.
  const hide = () => {
    tip.hidden = true;
    if (lit) lit.classList.remove("on");
    lit = null;
  };
  const show = (element, x, y) => {
    if (lit && lit !== element) lit.classList.remove("on");
    lit = element;
    element.classList.add("on");
    tip.textContent = element.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(x + 14, innerWidth - box.width - 8);
    const above = y - box.height - 12;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above > 4 ? above : y + 18) + "px";
  };
  document.addEventListener("pointermove", (event) => {
    const element = event.target.closest ? event.target.closest("[data-tip]") : null;
    if (element) show(element, event.clientX, event.clientY);
    else hide();
  });
  document.addEventListener("pointerleave", hide);
  for (const figure of document.querySelectorAll("figure")) {
    const spots = [...figure.querySelectorAll(".spot")];
    let at = -1;
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step || !spots.length) return;
      event.preventDefault();
      at = (at + step + spots.length) % spots.length;
      const box = spots[at].getBoundingClientRect();
      show(spots[at], box.left + box.width / 2, box.top);
    });
    figure.addEventListener("blur", hide);
  }
})();
