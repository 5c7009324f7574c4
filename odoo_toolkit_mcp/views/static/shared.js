// What all views share: the dialect of MCP Apps, and the making of elements.
//
// Data from Odoo becomes text nodes and never markup: nothing here, nor in the views, parses HTML.
"use strict";

// Talking to the host: JSON-RPC 2.0 by postMessage ------------------------------------------------

const host = { context: {}, capabilities: {}, tool: "odoo_view_call", confirm: "odoo_view_confirm" };

const waiting = new Map();
let lastId = 0;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function notify(method, params) {
  send({ method, params });
}

function request(method, params) {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

const listeners = { result: () => {}, cancelled: () => {} };

window.addEventListener("message", (event) => {
  const message = event.data;
  // Anything may post messages to a frame; only the host is heard.
  if (event.source !== window.parent || !message || message.jsonrpc !== "2.0") return;
  if (message.method) {
    received(message);
    return;
  }
  const asked = waiting.get(message.id);
  if (!asked) return;
  waiting.delete(message.id);
  if (message.error) asked.reject(new Error(String(message.error.message || "It failed.")));
  else asked.resolve(message.result);
});

function received(message) {
  const params = message.params || {};
  if (message.method === "ui/notifications/tool-result") listeners.result(params);
  if (message.method === "ui/notifications/tool-cancelled") listeners.cancelled(params);
  if (message.method === "ui/notifications/host-context-changed") useContext(params);
  if (message.id === undefined) return;
  if (message.method === "ui/resource-teardown" || message.method === "ping") {
    send({ id: message.id, result: {} });
  } else {
    send({ id: message.id, error: { code: -32601, message: "Method not found" } });
  }
}

function useContext(changed) {
  host.context = { ...host.context, ...changed };
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = host.context.theme || (dark ? "dark" : "light");
  const variables = (host.context.styles && host.context.styles.variables) || {};
  for (const [name, value] of Object.entries(variables)) {
    if (/^--[\w-]+$/.test(name) && value) root.style.setProperty(name, String(value));
  }
}

// What a view is: it is started once, and shows each result it is given.
async function start(show) {
  listeners.result = (result) => guarded(() => show(result));
  listeners.cancelled = (params) => fill(note("warn", params.reason || "This was cancelled."));
  fill(h("p", { class: "dim" }, "Waiting for the answer …"));
  const answer = await request("ui/initialize", {
    appInfo: { name: "odoo-toolkit", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: "2026-01-26",
  });
  host.capabilities = answer.hostCapabilities || {};
  useContext(answer.hostContext || {});
  notify("ui/notifications/initialized", {});
  new ResizeObserver(tellSize).observe(document.documentElement);
}

async function guarded(work) {
  try {
    await work();
  } catch (error) {
    fill(note("bad", "This answer cannot be shown: " + error.message));
  }
}

function tellSize() {
  const box = document.body;
  const height = Math.ceil(box.getBoundingClientRect().height);
  notify("ui/notifications/size-changed", { width: Math.ceil(box.scrollWidth), height });
}

const canCall = () => Boolean(host.capabilities.serverTools);

// Calls a tool that reads, or that plans with dry_run.
function callTool(tool, args) {
  return request("tools/call", { name: host.tool, arguments: { tool, arguments: args } });
}

// Does what was shown: the seal is bound to it.
function confirmCall(tool, args, seal) {
  return request("tools/call", { name: host.confirm, arguments: { tool, arguments: args, seal } });
}

function tellModel(text, data) {
  if (!host.capabilities.updateModelContext) return;
  const params = { content: [{ type: "text", text }] };
  if (data) params.structuredContent = data;
  request("ui/update-model-context", params).catch(() => {});
}

function openLink(url) {
  request("ui/open-link", { url }).catch(() => fillStatus("bad", "The host did not open " + url));
}

// Making elements ---------------------------------------------------------------------------------

const view = document.getElementById("view");

// Returns an element. Attributes that are functions are listeners; children become text.
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function fill(...children) {
  view.replaceChildren(...children.flat().filter(Boolean));
}

function note(kind, text) {
  return h("div", { class: "note " + kind, role: kind === "bad" ? "alert" : "status" }, String(text));
}

function fillStatus(kind, text) {
  const old = view.querySelector(".status");
  if (old) old.remove();
  const fresh = note(kind, text);
  fresh.classList.add("status");
  view.append(fresh);
  return fresh;
}

function button(text, press, kind) {
  return h("button", { type: "button", class: kind || "", click: press }, text);
}

// Values as people read them ----------------------------------------------------------------------

const locale = () => host.context.locale || undefined;

// Digits: of a column, where its other values have them.
function number(value, digits = Number.isInteger(value) ? 0 : 2) {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: Math.max(digits, 6) };
  try {
    return new Intl.NumberFormat(locale(), options).format(value);
  } catch {
    return String(value);
  }
}

const isName = (value) =>
  value !== null && typeof value === "object" && "name" in value && "id" in value &&
  Object.keys(value).length <= 3;
const isRows = (value) =>
  Array.isArray(value) && value.length > 0 &&
  value.every((item) => item !== null && typeof item === "object" && !Array.isArray(item));

function words(value) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return number(value);
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (isName(value)) return words(value.name) || "id " + value.id;
  if (typeof value === "object") {
    return Object.entries(value).map(([key, item]) => label(key) + ": " + words(item)).join("; ");
  }
  const moment = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?Z$/.exec(value);
  if (moment) {
    try {
      const options = { dateStyle: "medium", timeStyle: "short", timeZone: host.context.timeZone };
      return new Intl.DateTimeFormat(locale(), options).format(new Date(value));
    } catch {
      return moment[1] + " " + moment[2] + " UTC";
    }
  }
  return String(value);
}

function label(name) {
  const text = String(name).replace(/_ids?$/, "").replace(/[_:.]+/g, " ").trim() || String(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const id = (value) => (Number.isInteger(value) && value > 0 ? value : null);

function address(template, model, record) {
  if (!template || !model || !id(record)) return null;
  if (!/^https?:\/\//.test(template) || !/^[a-z0-9_.]+$/.test(model)) return null;
  const path = template.includes("/odoo/") && !model.includes(".") ? "m-" + model : model;
  return template.replace("{model}", path).replace("{id}", String(record));
}

function link(template, model, record, text) {
  const url = address(template, model, record);
  if (!url || !host.capabilities.openLinks) return null;
  return h("button", {
    type: "button", class: "plain link", title: url, click: () => openLink(url),
    "aria-label": "Open " + words(text || model + " " + record) + " in Odoo",
  }, "Open");
}

function cell(value, digits) {
  if (typeof value === "number") return h("td", { class: "number" }, number(value, digits));
  const text = words(value);
  if (text.length <= 18) return h("td", { class: "short" }, text);
  return h("td", { class: "text", title: text.slice(0, 500) }, h("div", { class: "cut" }, text));
}

function columnsOf(rows) {
  const names = [];
  for (const row of rows) {
    for (const name of Object.keys(row)) if (!names.includes(name)) names.push(name);
  }
  return names.filter((name) => rows.some((row) => words(row[name]) !== ""));
}

const allNumbers = (rows, name) =>
  rows.every((row) => typeof row[name] === "number" || words(row[name]) === "") &&
  rows.some((row) => typeof row[name] === "number");

// Money has its cents, where it has none, too.
const isMoney = (name) => /(amount|price|subtotal|residual|balance|debit|credit)/.test(name);

// Digits of the numbers of a column: amounts stand below each other.
const digitsOf = (rows, name) => isMoney(name) ||
  rows.some((row) => typeof row[name] === "number" && !Number.isInteger(row[name])) ? 2 : 0;

function table(rows, names, more) {
  const columns = names || columnsOf(rows);
  const head = columns.map((name) =>
    h("th", { scope: "col", class: allNumbers(rows, name) ? "number" : "" }, label(name)));
  if (more) head.push(h("td", {}, ""));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, rows.map((row) => h("tr", {},
        columns.map((name) => cell(row[name], digitsOf(rows, name))),
        more ? h("td", {}, more(row)) : null)))));
}

// Rows that a table has no room for: long texts, and rows within rows.
const isDeep = (rows) => rows.some((row) => Object.values(row).some(
  (value) => isRows(value) || (typeof value === "string" && value.length > 200)));

const MOST_BLOCKS = 50;

function rowsOf(rows, template) {
  if (!isDeep(rows)) return table(rows);
  const rest = rows.length - MOST_BLOCKS;
  return [
    rows.slice(0, MOST_BLOCKS).map((row) => h("div", { class: "row" }, facts(row, template))),
    rest > 0 ? h("p", { class: "dim" }, "and " + rest + " more") : null,
  ].flat().filter(Boolean);
}

// Any object: its plain values as a list, its rows as tables.
const SILENT = new Set(["message", "warnings", "dry_run", "success", "content_base64", "web_url", "acting_as"]);

function facts(data, template) {
  const plain = Object.entries(data).filter(
    ([name, value]) => !SILENT.has(name) && !isRows(value) && words(value) !== "");
  const lists = Object.entries(data).filter(([name, value]) => !SILENT.has(name) && isRows(value));
  const model = typeof data.model === "string" ? data.model : null;
  return [
    plain.length > 0 && h("dl", {}, plain.flatMap(([name, value]) => [
      h("dt", {}, label(name)),
      h("dd", {}, typeof value === "number" && isMoney(name) ? number(value, 2) : words(value), " ",
        name === "id" && model ? link(template, model, value) : null),
    ])),
    lists.map(([name, rows]) => [h("h2", {}, label(name)), rowsOf(rows, template)]),
  ].flat(Infinity).filter(Boolean);
}

// What every result may have ----------------------------------------------------------------------

const META = "odoo-toolkit/view";

function opened(result) {
  const meta = (result._meta && result._meta[META]) || {};
  // What the model is given may be shortened; a person sees all of it.
  const data = meta.whole || result.structuredContent || {};
  return { data, meta, failed: Boolean(result.isError) };
}

function failure(data) {
  const text = data.message || "This failed.";
  return note("bad", data.suggestion ? text + "\n" + data.suggestion : text);
}

function warnings(data) {
  return (data.warnings || []).map((text) => note("warn", words(text)));
}

// Puts the id of a chosen record in the place of the name that several records have.
function withChoice(args, field, record) {
  const result = structuredClone(args);
  const parts = /^(?:(\w+)\[(\d+)\]\.)?(\w+)$/.exec(field);
  if (!parts) return null;
  const target = parts[1] ? (result[parts[1]] || [])[Number(parts[2])] : result;
  if (!target || typeof target !== "object") return null;
  const named = parts[3].replace(/_id$/, "_name");
  if (named !== parts[3] && named in target) delete target[named];
  target[parts[3]] = typeof target[parts[3]] === "string" ? String(record) : record;
  return result;
}

// Matches to choose from, with what tells them apart; `choose` is given the id.
function choices(data, choose) {
  const place = /\[(\d+)\]/.exec(data.field || "");
  const where = place ? "Line " + (Number(place[1]) + 1) + ": " : "";
  const pressed = (event, match) => {
    for (const one of view.querySelectorAll(".choices button")) one.disabled = true;
    event.currentTarget.setAttribute("aria-busy", "true");
    choose(match);
  };
  const field = label((data.field || "").replace(/^.*\./, "")).toLowerCase();
  return [
    h("h1", {}, where + "Which " + (field || "one") + " is meant?"),
    h("div", { class: "choices", role: "group" }, (data.matches || []).map((match) => {
      const apart = Object.entries(match).filter(
        ([name, value]) => name !== "id" && name !== "name" && words(value) !== "");
      const told = apart.map(([name, value]) => label(name) + " " + words(value));
      return h("button", { type: "button", click: (event) => pressed(event, match),
        disabled: !canCall() },
      h("div", { class: "cut" }, words(match.name)),
      h("div", { class: "dim" }, [...told, "id " + match.id].join(" · ")));
    })),
    h("p", { class: "dim" }, canCall() ? "Nothing has been written." :
      "Say which one in the chat: this host does not let views call tools."),
  ];
}

const busy = (on) => {
  for (const one of view.querySelectorAll("button, input, select, textarea")) {
    if (on && !one.disabled) { one.disabled = true; one.dataset.held = "1"; }
    else if (!on && one.dataset.held) { one.disabled = false; delete one.dataset.held; }
  }
};
