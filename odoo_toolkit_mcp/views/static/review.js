// A dry run as a form: change quantities, prices, dates and texts, plan again, confirm.
"use strict";

let shown = {};
let draft = {};

const isDay = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
const described = (schema, name) => ((schema || {}).properties || {})[name] || {};
const planning = () => ({ ...draft, dry_run: true });
const changed = () => JSON.stringify(draft) !== JSON.stringify(shown.meta.confirms || {});

start(show);

function show(result) {
  const { data, meta, failed } = opened(result);
  if (failed) return showFailure(data);
  if (data.status === "disambiguation_needed") return showChoices(data, meta);
  if (data.status === "confirmation_needed") return showQuestion(data, meta);
  if (data.dry_run === true && meta.confirms) return showPlan(data, meta);
  return showDone(data, meta);
}

// A failed attempt keeps the form, so that it can be mended.
function showFailure(data) {
  if (!shown.meta) return fill(failure(data));
  busy(false);
  const box = fillStatus("bad", "");
  box.replaceChildren(...failure(data).childNodes);
  shown.stale = true;
  renew();
  box.scrollIntoView({ block: "nearest" });
}

function showChoices(data, meta) {
  const { dry_run: _planned, ...args } = meta.arguments || {};
  fill(h("p", { class: "dim" }, meta.title || ""), choices(data, (match) => {
    const next = withChoice(args, data.field || "", match.id);
    if (!next) return fillStatus("bad", "Say in the chat that it is id " + match.id + ".");
    draft = next;
    plan(meta.tool);
  }));
}

function showQuestion(data, meta) {
  fill(h("h1", {}, meta.title || "Confirm"), note("warn", data.message),
    h("div", { class: "bar" },
      button("Yes, do it", () => confirm(meta), "main"),
      button("No", () => {
        tellModel("The person was asked in the view and did not confirm. Nothing was done.");
        fill(note("warn", "Not confirmed. Nothing was done."));
      })));
}

function showDone(data, meta) {
  fill(h("h1", {}, meta.title || "Done"),
    data.message ? note("good", data.message) : null, warnings(data), facts(data, meta.link));
}

function showPlan(data, meta) {
  shown = { data, meta, stale: false };
  draft = structuredClone(meta.confirms);
  const sealed = Boolean(meta.seal);
  const parts = [
    h("h1", {}, meta.title || "Review"),
    h("p", {}, words(data.message)),
    data.needs ? note("warn", data.needs) : null,
    warnings(data),
    form(draft, meta.schema),
    changes(data.changes, meta),
    documents(data.documents, meta),
    facts(others(data), meta.link),
    undo(data.undo),
    calls(data.calls),
    h("div", { class: "bar" },
      canCall() && sealed
        ? h("button", { type: "button", class: "main", id: "confirm", click: () => confirm(meta) },
          "Confirm") : null,
      canCall()
        ? h("button", { type: "button", id: "again", click: () => plan(meta.tool) }, "Plan again")
        : null,
      h("span", { class: "dim", id: "hint" })),
  ];
  fill(parts.flat(Infinity));
  renew();
}

// Only what is shown can be confirmed: a change has to be planned first.
function renew() {
  const again = document.getElementById("again");
  const yes = document.getElementById("confirm");
  const hint = document.getElementById("hint");
  const other = changed() || shown.stale;
  if (yes) yes.disabled = other;
  if (again) again.disabled = !other;
  if (!hint) return;
  hint.textContent = other ? "Plan again to see what the change comes to." :
    yes ? "Nothing is written before you confirm." :
      canCall() ? "" : "Say in the chat that this is right: this host lets views call no tools.";
}

async function plan(tool) {
  busy(true);
  try {
    show(await callTool(tool, planning()));
    tellModel("The person changed the plan of " + tool + " in the view. Nothing is written yet.",
      { tool, arguments: draft });
  } catch (error) {
    showFailure({ message: error.message });
  }
}

async function confirm(meta) {
  busy(true);
  try {
    const result = await confirmCall(meta.tool, meta.confirms, meta.seal);
    show(result);
    const { data, failed } = opened(result);
    if (data.status === "confirmation_needed") return;
    const what = failed ? "The person confirmed " + meta.tool + " in the view, and it failed."
      : "The person confirmed " + meta.tool + " in the view. It is done: do not call it again.";
    tellModel(what + " " + words(data.message), { tool: meta.tool, arguments: meta.confirms,
      result: data });
  } catch (error) {
    // Whether it was done is not known: the seal is used up, so it cannot be done twice.
    showFailure({ message: error.message,
      suggestion: "Look in Odoo whether it was done before you plan it again." });
  }
}

// The form ----------------------------------------------------------------------------------------

function form(values, schema) {
  const parts = [];
  const plain = Object.keys(values).filter((name) => !isRows(values[name]) && !isMap(values[name]));
  if (plain.length) {
    parts.push(h("div", { class: "fields" }, plain.map((name) =>
      field(values, name, described(schema, name)))));
  }
  for (const name of Object.keys(values)) {
    if (isMap(values[name])) {
      parts.push(h("h2", {}, label(name)), form(values[name], described(schema, name)));
    }
    if (isRows(values[name])) {
      const items = described(schema, name).items || {};
      parts.push(h("h2", {}, label(name)), values[name].slice(0, 50).map((row, place) =>
        h("div", { class: "row", role: "group", "aria-label": label(name) + " " + (place + 1) },
          form(row, items))));
      if (values[name].length > 50) {
        parts.push(h("p", { class: "dim" }, "and " + (values[name].length - 50) + " more"));
      }
    }
  }
  return parts.flat(Infinity);
}

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function field(values, name, schema) {
  const key = "f" + (field.last = (field.last || 0) + 1);
  const value = values[name];
  const set = (next) => { values[name] = next; renew(); };
  const about = { id: key, title: schema.description || "" };
  let input = null;
  if (Array.isArray(schema.enum)) {
    input = h("select", { ...about, change: (event) => set(event.target.value) },
      schema.enum.map((one) => h("option", { value: one, selected: one === value }, label(one))));
  } else if (typeof value === "boolean") {
    input = h("input", { ...about, type: "checkbox", checked: value,
      change: (event) => set(event.target.checked) });
  } else if (typeof value === "number" && !/(^|_)ids?$/.test(name)) {
    input = h("input", { ...about, type: "number", step: "any", value: String(value),
      input: (event) => {
        const next = event.target.valueAsNumber;
        event.target.setCustomValidity(Number.isNaN(next) ? "A number is needed." : "");
        if (!Number.isNaN(next)) set(next);
      } });
  } else if (isDay(value)) {
    input = h("input", { ...about, type: "date", value,
      input: (event) => event.target.value && set(event.target.value) });
  } else if (typeof value === "string" && value.length > 60) {
    input = h("textarea", { ...about, rows: "3", input: (event) => set(event.target.value) }, value);
  } else if (typeof value === "string" && name !== "model" && name !== "method") {
    input = h("input", { ...about, type: "text", value,
      input: (event) => set(event.target.value) });
  }
  if (!input) {
    return h("div", {}, h("span", { class: "label" }, label(name)),
      h("div", { class: "value" }, fixed(name, value)));
  }
  return h("div", {}, h("label", { for: key }, label(name)), input);
}

// The name of a record that is given by its id.
function named(key, record) {
  const names = (shown.meta.names || {})[key] || {};
  const name = typeof names[record] === "string" ? names[record] : "";
  return name ? name + " (id " + record + ")" : "id " + record;
}

const models = () => [...new Set((shown.data.calls || []).map((call) => call.model))];

function fixed(name, value) {
  if (/(^|_)ids?$/.test(name)) {
    const key = name === "ids" || name === "id" || name === "record_id" ? models()[0] : name;
    const ids = Array.isArray(value) ? value : [value];
    const told = ids.slice(0, 20).map((one) => (id(one) ? named(key, one) : words(one)));
    return told.join(", ") + (ids.length > 20 ? ", and " + (ids.length - 20) + " more" : "") || "–";
  }
  return words(value) || "–";
}

// What the plan says ------------------------------------------------------------------------------

function changes(rows, meta) {
  if (!isRows(rows)) return [];
  const [model, ...others] = models();
  const more = model && others.length === 0 ? (row) => link(meta.link, model, row.id) : null;
  const value = (name, one) => (id(one) && named(name, one) !== "id " + one ? named(name, one) : one);
  const told = rows.map((row) => {
    const { id: record, row: place, field: name, before, after, ...rest } = row;
    const which = place === undefined || place === null
      ? { record: id(record) ? named(model, record) : "" } : { row: place };
    return { ...which, ...rest, field: label(name), before: value(name, before),
      after: value(name, after), id: record };
  });
  const names = columnsOf(told).filter((name) => name !== "id");
  for (const name of ["before", "after"]) if (!names.includes(name)) names.push(name);
  return [h("h2", {}, "Changes"), table(told, names, more)];
}

// An order, an invoice or the like as it would be: whose, its lines, then what it comes to.
function documents(list, meta) {
  if (!isRows(list)) return [];
  return list.map((one) => {
    const { model, id: record, name, url: _url, lines, notes, currency, ...about } = one;
    const title = words(name) || "Document";
    const sums = Object.keys(about).filter((key) => isMoney(key) && typeof about[key] === "number");
    const money = sums.map((key) => [key, number(about[key], 2) + " " + words(currency)]);
    for (const key of sums) delete about[key];
    if (!sums.length && currency) about.currency = currency;
    return [
      h("h2", {}, title.charAt(0).toUpperCase() + title.slice(1) + " ",
        link(meta.link, model, record, name)),
      facts(about, meta.link),
      isRows(lines) ? table(lines.map(oneText)) : null,
      money.length ? facts(Object.fromEntries(money)) : null,
      (Array.isArray(notes) ? notes : []).map((text) => note("warn", words(text))),
    ];
  });
}

const UNDO = { full: "It can be taken back afterwards.", none: "It cannot be taken back.",
  partial: "Only a part of it can be taken back afterwards." };

function undo(told) {
  const text = told && Object.hasOwn(UNDO, told.possible) ? UNDO[told.possible] : "";
  const notUndone = text && told.possible !== "full" ? words(told.not_undone) : "";
  return text ? [h("p", { class: "dim" }, [text, notUndone].filter(Boolean).join(" "))] : [];
}

// Most texts of lines begin with the product's name, which need not stand there twice.
function oneText({ product, name, ...rest }) {
  const whole = product && words(name).startsWith(words(product));
  return whole ? { product: name, ...rest } : { product, name, ...rest };
}

// What else a plan says, such as the text of an e-mail: nothing is confirmed unseen.
const TOLD = new Set(["dry_run", "message", "needs", "warnings", "changes", "documents", "calls",
  "undo"]);

const others = (data) => Object.fromEntries(Object.entries(data).filter(([key]) => !TOLD.has(key)));

function calls(list) {
  if (!isRows(list)) return [];
  return [h("details", {}, h("summary", {}, "What would be sent (" + list.length + ")"),
    list.map((call) => h("p", {}, h("code", {}, call.model + "." + call.method + "(" +
      [(call.ids || []).length ? JSON.stringify(call.ids) : "",
        ...Object.entries(call.arguments || {}).map(
          ([name, value]) => name + "=" + JSON.stringify(value))].filter(Boolean).join(", ")
      + ")"))))];
}
