// An operation of an area: the view of its own tool shows it. Those views follow, each in a
// function of its own, so that nothing in one is seen by another.
"use strict";

const VIEWS = new Map();
const started = new Map();

start((result) => {
  const { data, meta, failed } = opened(result);
  const own = VIEWS.get(meta.view);
  if (own) {
    if (!started.has(meta.view)) own((show) => started.set(meta.view, show));
    return started.get(meta.view)(result);
  }
  if (failed) return fill(failure(data));
  const about = data.operation ? "The schema of " + data.operation :
    data.manifest ? "The operations of " + data.tool : meta.title || "Answer";
  return fill(h("details", {}, h("summary", {}, words(about)), facts(data.manifest || data)));
});
