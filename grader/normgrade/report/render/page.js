"use strict";
// Heat maps: what is pointed at or focused is read out below; arrows walk through the cells. Printing unfolds everything.
for (const figure of document.querySelectorAll("figure.heat")) {
  const readout = figure.querySelector(".readout");
  const cells = [...figure.querySelectorAll("g[data-row]")];
  const at = new Map(cells.map((cell) => [`${cell.dataset.row},${cell.dataset.column}`, cell]));
  const tell = (cell) => { readout.textContent = cell.querySelector("title").textContent; };
  let stop = figure.querySelector('g[tabindex="0"]'); // the one cell that Tab reaches: the worst, then the last that had the focus
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  for (const cell of cells) {
    cell.addEventListener("mouseenter", () => tell(cell));
    cell.addEventListener("focus", () => {
      stop.setAttribute("tabindex", "-1");
      cell.setAttribute("tabindex", "0");
      stop = cell;
      tell(cell);
    });
    cell.addEventListener("keydown", (event) => {
      if (!(event.key in steps)) return;
      const [down, right] = steps[event.key];
      const next = at.get(`${Number(cell.dataset.row) + down},${Number(cell.dataset.column) + right}`);
      event.preventDefault();
      if (next) next.focus();
    });
  }
}
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of folded) each.open = false; });
