// Records as a table: sorted by a column, a page at a time, each opened in Odoo.
"use strict";

const PAGE = 20;
const now = { rows: [], columns: [], data: {}, meta: {}, sort: null, down: false, first: 0 };

start(show);

function show(result) {
  const { data, meta, failed } = opened(result);
  if (failed) return fill(failure(data));
  Object.assign(now, { data, meta, rows: data.records || [], sort: null, first: 0 });
  draw();
}

const modelOf = () => now.data.model || (now.meta.arguments || {}).model;

function draw(focus) {
  const names = columnsOf(now.rows).filter((name) => name !== "id");
  now.columns = names.length ? names : ["id"];
  const rows = sorted();
  const page = rows.slice(now.first, now.first + PAGE);
  const opens = rows.some((row) => link(now.meta.link, modelOf(), row.id));
  fill(
    h("h1", {}, heading()),
    warnings(now.data),
    rows.length === 0 ? h("p", { class: "dim" }, "No records match.") :
      h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Records" },
        h("table", {},
          h("thead", {}, h("tr", {}, now.columns.map(header),
            opens ? h("td", {}, "") : null)),
          h("tbody", {}, page.map((row) => h("tr", {},
            now.columns.map((name) => cell(row[name], digitsOf(rows, name))),
            opens ? h("td", { class: "short" },
              link(now.meta.link, modelOf(), row.id, row.name || row.display_name)) : null))))),
    pager(rows.length));
  const again = focus && view.querySelector('[data-focus="' + focus + '"]');
  if (again && !again.disabled) again.focus();
}

function heading() {
  const { total, excluded_count: left } = now.data;
  const number = now.rows.length;
  const of = Number.isInteger(total) && total !== number ? " of " + total : "";
  const more = now.data.has_more && !of ? " so far" : "";
  const out = left ? ", " + left + " left out" : "";
  return number + of + (number === 1 ? " record" : " records") + more + out;
}

function header(name, place) {
  const here = now.sort === name;
  const state = here ? (now.down ? "descending" : "ascending") : "none";
  const mark = here ? (now.down ? " ▼" : " ▲") : "";
  const press = () => {
    now.down = here ? !now.down : false;
    now.sort = name;
    now.first = 0;
    draw("c" + place);
  };
  return h("th", { scope: "col", "aria-sort": state,
    class: allNumbers(now.rows, name) ? "number" : "" },
  h("button", { type: "button", class: "plain", "data-focus": "c" + place, click: press },
    label(name) + mark));
}

function sorted() {
  if (!now.sort) return now.rows;
  const side = now.down ? -1 : 1;
  return [...now.rows].sort((one, other) => {
    const [left, right] = [one[now.sort], other[now.sort]];
    const [a, b] = [words(left), words(right)];
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof left === "number" && typeof right === "number") return side * (left - right);
    if (typeof left === "string" && /^\d{4}-/.test(left)) return side * (left < right ? -1 : 1);
    return side * a.localeCompare(b, locale(), { numeric: true });
  });
}

function pager(number) {
  const more = now.data.has_more && canCall();
  if (number <= PAGE && !more) return null;
  const last = Math.min(now.first + PAGE, number);
  const move = (by, focus) => { now.first = Math.max(0, now.first + by); draw(focus); };
  return h("div", { class: "bar" },
    h("button", { type: "button", "data-focus": "back", disabled: now.first === 0,
      click: () => move(-PAGE, "back") }, "Back"),
    h("span", { class: "dim" }, (number ? now.first + 1 : 0) + " to " + last + " of " + number),
    h("button", { type: "button", "data-focus": "next", disabled: last >= number,
      click: () => move(PAGE, "next") }, "Next"),
    more ? h("button", { type: "button", "data-focus": "more", click: load }, "Get more") : null);
}

async function load() {
  const { data, meta } = now;
  busy(true);
  try {
    const offset = data.next_offset || now.rows.length;
    const result = opened(await callTool(meta.tool, { ...meta.arguments, offset }));
    if (result.failed) throw new Error(result.data.message || "It failed.");
    const known = new Set(now.rows.map((row) => row.id));
    now.rows = [...now.rows, ...(result.data.records || []).filter((row) => !known.has(row.id))];
    now.data = { ...now.data, has_more: result.data.has_more || false,
      next_offset: result.data.next_offset, warnings: result.data.warnings };
    now.first = now.first + PAGE < now.rows.length && !now.sort ? now.first + PAGE : now.first;
    draw("more");
  } catch (error) {
    busy(false);
    fillStatus("bad", error.message);
  }
}
