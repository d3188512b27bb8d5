"use strict";
// Heat maps: what is pointed at or focused is read out below; arrows walk through the cells.
for (const figure of document.querySelectorAll("figure.heat")) {
  const readout = figure.querySelector(".readout");
  const cells = [...figure.querySelectorAll("g")];
  const columns = Number(figure.querySelector("svg").dataset.columns);
  const tell = (cell) => { readout.textContent = cell.querySelector("title").textContent; };
  let stop = figure.querySelector('g[tabindex="0"]'); // the one cell that Tab reaches: the worst, then the last that had the focus
  const beside = (at, key) => ({
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    ArrowLeft: at % columns ? at - 1 : -1,
    ArrowRight: (at + 1) % columns ? at + 1 : -1,
  })[key];
  for (const [at, cell] of cells.entries()) {
    if (cell !== stop) cell.setAttribute("tabindex", "-1");
    cell.addEventListener("mouseenter", () => tell(cell));
    cell.addEventListener("focus", () => {
      stop.setAttribute("tabindex", "-1");
      cell.setAttribute("tabindex", "0");
      stop = cell;
      tell(cell);
    });
    cell.addEventListener("keydown", (event) => {
      const next = beside(at, event.key);
      if (next === undefined) return;
      event.preventDefault();
      cells[next]?.focus();
    });
  }
}
// A link opens the folds around what it leads to, and that itself. Printing opens all.
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("click", (event) => { if (event.target.closest?.("a")?.hash === location.hash) reveal(); }); // once more the same link
reveal();
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of folded) each.open = false; });
