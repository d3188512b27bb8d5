"use strict";
const table = document.querySelector("table.students");
if (table) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  // Sorting: a button in each head. Students without a mark come last in both directions.
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const value = (row, column) => column ? row.cells[column].dataset.value : row.cells[column].textContent;
  const compare = (column, sign) => (one, other) => {
    const [left, right] = [value(one, column), value(other, column)];
    if (left === "" || right === "") return (left === "") - (right === "");
    return sign * (column ? left - right : order.compare(left, right));
  };
  for (const [column, head] of heads.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const down = before === "ascending" || (before === null && column > 0); // the most points come first
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...rows.sort(compare(column, down ? -1 : 1)));
    });
  }
  // Searching: only rows whose student has all the words stay, whatever their case and accents.
  const search = document.getElementById("search"), said = document.querySelector(".search output");
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const names = new Map(rows.map((row) => [row, plain(row.cells[0].textContent)]));
  search.parentElement.hidden = false;
  search.addEventListener("input", () => {
    const words = plain(search.value).split(/\s+/u);
    for (const row of rows) row.hidden = !words.every((word) => names.get(row).includes(word));
    const counts = [rows.filter((row) => !row.hidden).length, rows.length];
    said.textContent = said.dataset.of.replace(/%d/g, () => counts.shift());
  });
}
// A link opens the fold that it leads to. Printing opens all.
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("click", (event) => { if (event.target.closest?.("a")?.hash === location.hash) reveal(); });
reveal();
addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details")) each.open = true; });
