// Groups and their figures: lines over periods, bars for everything else.
"use strict";

const COLOURS = ["#714b67", "#017e84", "#d9822b", "#3b6fb6", "#8a9a2b", "#b0413e"];
const DARK = ["#d3a6c8", "#4fc3c8", "#f0b070", "#8fb6ec", "#c9d56a", "#ee9b98"];
const MOST_BARS = 30;
const PERIOD = /:(hour|day|week|month|quarter|year)$/;
const now = { data: {}, meta: {}, measure: "count" };

start((result) => {
  const { data, meta, failed } = opened(result);
  if (failed) return fill(failure(data));
  Object.assign(now, { data, meta });
  const measures = measuresOf();
  now.measure = measures.find((name) => name !== "count") || measures[0];
  return draw();
});

const rows = () => now.data.records || [];
const listed = (value) => (Array.isArray(value) ? value : typeof value === "string" ? [value] : []);
const groups = () => listed((now.meta.arguments || {}).groupby)
  .filter((name) => rows().some((row) => name in row));
const measuresOf = () => {
  const names = columnsOf(rows()).filter(
    (name) => !groups().includes(name) && allNumbers(rows(), name));
  return names.length ? names : ["count"];
};
const colours = () => (document.documentElement.dataset.theme === "dark" ? DARK : COLOURS);

function s(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function draw() {
  const by = groups();
  const measures = measuresOf();
  const chosen = h("select", { id: "measure", change: (event) => {
    now.measure = event.target.value;
    draw();
    document.getElementById("measure").focus();
  } }, measures.map((name) =>
    h("option", { value: name, selected: name === now.measure }, label(name))));
  const title = label(now.measure) + (by.length ? " by " + by.map(label).join(", ") : "");
  const picture = rows().length === 0 ? h("p", { class: "dim" }, "No records match.") :
    by.length && PERIOD.test(by[0]) ? lines(by) : bars(by);
  fill(
    h("h1", {}, title), warnings(now.data),
    measures.length > 1
      ? h("div", { class: "bar" }, h("label", { for: "measure" }, "Figure"), chosen) : null,
    picture,
    now.data.has_more ? h("p", { class: "dim" }, "There are more groups than are shown.") : null,
    rows().length ? h("details", {}, h("summary", {}, "Figures"), table(rows())) : null);
}

const name = (value) => words(value) || "None";
const figure = (row) => (typeof row[now.measure] === "number" ? row[now.measure] : 0);

function short(text, most) {
  return text.length > most ? text.slice(0, most - 1) + "…" : text;
}

// Round numbers from below the least to above the greatest.
function ticks(least, greatest) {
  const span = greatest - least || Math.abs(greatest) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  const first = Math.floor(least / step);
  for (let place = first; found.length < 12; place += 1) {
    found.push(place * step);
    if (place * step >= greatest) break;
  }
  return found;
}

function compact(value) {
  try {
    return new Intl.NumberFormat(locale(), { notation: "compact", maximumFractionDigits: 1 })
      .format(value);
  } catch {
    return String(value);
  }
}

function bars(by) {
  const all = rows().map((row) => ({
    text: by.length ? by.map((one) => name(row[one])).join(" · ") : "All",
    value: figure(row),
  }));
  const shown = all.slice(0, MOST_BARS);
  const narrow = document.body.clientWidth < 480;
  const width = narrow ? 340 : 680;
  const left = narrow ? 110 : 200;
  const right = 80;
  const least = Math.min(0, ...shown.map((bar) => bar.value));
  const greatest = Math.max(0, ...shown.map((bar) => bar.value)) || (least ? 0 : 1);
  const x = (value) => left + ((value - least) / (greatest - least)) * (width - left - right);
  const height = shown.length * 28 + 8;
  const picture = s("svg", { viewBox: "0 0 " + width + " " + height, role: "img",
    "aria-label": shown.map((bar) => bar.text + " " + number(bar.value)).join("; ") });
  shown.forEach((bar, place) => {
    const y = place * 28 + 6;
    const from = Math.min(x(0), x(bar.value));
    picture.append(s("g", {},
      s("title", {}, bar.text + ": " + number(bar.value)),
      s("text", { x: left - 8, y: y + 14, "text-anchor": "end" },
        short(bar.text, narrow ? 15 : 28)),
      s("rect", { x: from, y, width: Math.max(1, Math.abs(x(bar.value) - x(0))), height: 19, rx: 3,
        fill: colours()[0] }),
      s("text", { x: Math.max(x(bar.value), x(0)) + 6, y: y + 14, class: "dim" },
        narrow ? compact(bar.value) : number(bar.value))));
  });
  picture.append(s("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height }));
  const rest = all.length - shown.length;
  return h("div", {}, picture,
    rest > 0 ? h("p", { class: "dim" }, "and " + rest + " more, among the figures below") : null);
}

function lines(by) {
  const periods = [];
  const series = new Map();
  for (const row of rows()) {
    const period = name(row[by[0]]);
    if (!periods.includes(period)) periods.push(period);
    const of = by.slice(1).map((one) => name(row[one])).join(" · ");
    if (!series.has(of)) series.set(of, new Map());
    series.get(of).set(period, figure(row));
  }
  if (periods.every((one) => /^\d{4}-/.test(one))) periods.sort();
  const total = (points) => [...points.values()].reduce((sum, one) => sum + Math.abs(one), 0);
  const kept = [...series].sort((a, b) => total(b[1]) - total(a[1])).slice(0, COLOURS.length);
  const values = kept.flatMap(([, points]) => [...points.values()]);
  const marks = ticks(Math.min(0, ...values), Math.max(0, ...values) || 1);
  const narrow = document.body.clientWidth < 480;
  const [width, height, left, bottom] = narrow ? [340, 220, 48, 26] : [680, 280, 64, 28];
  // Periods without records are not in the answer: dates stand where they are in time.
  const times = periods.map((one) => Date.parse(one));
  const dated = times.every((one) => !Number.isNaN(one)) && new Set(times).size > 1;
  const at = dated ? times : periods.map((_, place) => place);
  const [begin, span] = [at[0], at[at.length - 1] - at[0]];
  const x = (place) => left + 8 + (span ? (at[place] - begin) / span : 0.5) * (width - left - 48);
  const [least, greatest] = [marks[0], marks[marks.length - 1]];
  const y = (value) =>
    12 + ((greatest - value) / (greatest - least)) * (height - bottom - 12);
  const picture = s("svg", { viewBox: "0 0 " + width + " " + height, role: "img",
    "aria-label": label(now.measure) + " by " + label(by[0]) });
  for (const mark of marks) {
    picture.append(
      s("line", { class: "grid", x1: left, x2: width - 10, y1: y(mark), y2: y(mark) }),
      s("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end", class: "dim" },
        compact(mark)));
  }
  let free = -Infinity;
  periods.forEach((period, place) => {
    if (x(place) >= free) {
      free = x(place) + 84;
      picture.append(s("text", { x: x(place), y: height - 6, "text-anchor": "middle",
        class: "dim" }, short(period, 10)));
    }
  });
  kept.forEach(([of, points], place) => {
    const colour = colours()[place];
    const here = periods.map((period, index) => [index, points.get(period)])
      .filter(([, value]) => value !== undefined);
    picture.append(s("polyline", { points: here.map(([index, value]) => x(index) + "," + y(value))
      .join(" "), fill: "none", stroke: colour, "stroke-width": 2.5, "stroke-linejoin": "round" }));
    for (const [index, value] of here) {
      picture.append(s("circle", { cx: x(index), cy: y(value), r: 4, fill: colour },
        s("title", {}, [of, periods[index], number(value)].filter(Boolean).join(": "))));
    }
  });
  const legend = by.length > 1 && h("div", { class: "legend" }, kept.map(([of], place) => {
    const mark = h("i", {});
    mark.style.background = colours()[place];
    return h("span", {}, mark, short(of, 40));
  }));
  const rest = series.size - kept.length;
  return h("div", {}, legend || null, picture,
    rest > 0 ? h("p", { class: "dim" }, "and " + rest + " more, among the figures below") : null);
}
