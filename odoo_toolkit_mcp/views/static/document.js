// A file: its facts, what can be shown of it, and the file itself to keep.
"use strict";

start(async (result) => {
  const { data, meta, failed } = opened(result);
  if (failed) return fill(failure(data));
  const file = await content(result, data);
  const { content_base64: _left, text: _text, ...about } = data;
  fill(
    h("h1", {}, words(data.file_name || data.name || meta.title || "File")), warnings(data),
    h("div", { class: "bar" }, file ? button("Download", () => download(file), "main") : null,
      opens(data, meta)),
    picture(file), pages(meta, data),
    h("details", {}, h("summary", {}, "About the file"), facts(about, meta.link)));
  return null;
});

// The bytes are in the answer, in a resource beside it, or behind a link to one.
async function content(result, data) {
  const name = words(data.file_name || data.name) || "file";
  const type = words(data.mimetype || data.mime_type) || "application/pdf";
  if (data.content_base64) return { name, type, base64: data.content_base64 };
  for (const block of result.content || []) {
    const inside = block.resource || {};
    if (inside.blob) return { name, type: inside.mimeType || type, base64: inside.blob };
    if (block.type === "image") return { name, type: block.mimeType, base64: block.data };
    if (block.type === "resource_link" && host.capabilities.serverResources) {
      try {
        const read = await request("resources/read", { uri: block.uri });
        const blob = (read.contents || []).find((one) => one.blob);
        if (blob) return { name, type: blob.mimeType || type, base64: blob.blob };
      } catch {
        // Files of a folder are not read through the server.
      }
    }
  }
  return null;
}

function opens(data, meta) {
  const records = data.record_ids || (data.record && [data.record.id]) || [];
  const model = data.model || data.res_model || (data.record && data.record.model);
  return records.length === 1 ? link(meta.link, model, records[0], data.file_name) : null;
}

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function picture(file) {
  if (!file || !PICTURES.has(file.type)) return null;
  return h("img", { class: "page", alt: file.name, src: "data:" + file.type + ";base64," +
    file.base64 });
}

// An amount must not end at the edge: the letters are as small as the longest line needs.
function sheet(text) {
  const shown = h("code", {}, text);
  const columns = Math.max(...text.split("\n").map((line) => line.trimEnd().length));
  shown.style.setProperty("--columns", String(columns));
  return h("div", { class: "sheet", tabindex: "0", role: "document" }, shown);
}

// Hosts let no frame or plugin show the PDF itself: what it says stands here, page by page.
function pages(meta, data) {
  const texts = meta.pages || [];
  const all = data.pages || texts.length;
  return texts.map((text, place) => [
    h("h2", {}, "Page " + (place + 1) + " of " + all),
    text.trim() ? sheet(text)
      : h("p", { class: "dim" }, "This page has no text."),
  ]).flat();
}

async function download(file) {
  const resource = { uri: "file:///" + encodeURIComponent(file.name), mimeType: file.type,
    blob: file.base64 };
  if (host.capabilities.downloadFile) {
    try {
      await request("ui/download-file", { contents: [{ type: "resource", resource }] });
    } catch (error) {
      fillStatus("bad", error.message);
    }
    return;
  }
  const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: file.type }));
  h("a", { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
