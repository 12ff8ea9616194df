/**
 * SWR for `bridge.mjs`: `swr`, with React, since its cache works inside a hook.
 *
 * A view is a component that calls `useSWR` and shows nothing; it is rendered by `react-dom` into an element that is none.
 * A read without a view is one that goes when it has been answered. The client knows no events and no entities: by
 * `--events`, the adapter patches each list with `mutate`, asks again by `mutate`, or ignores what the server tells.
 *
 * `--deduping 2`: `dedupingInterval` in seconds, as is the client's own default.
 */
import { createElement, useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import useSWR, { SWRConfig, useSWRConfig } from "swr";
import { EventStream } from "../event-stream.mjs";
import { installedVersion } from "../installed-version.mjs";

export const name = "swr";
export const version = installedVersion(name, import.meta);

// Named by `react-dom`, which looks for what has the focus.
globalThis.HTMLIFrameElement ??= class {};

/** What `react-dom` asks of an element in which components without elements are rendered. */
function element() {
  const nothing = () => {};
  const document = { nodeType: 9, nodeName: "#document", addEventListener: nothing, activeElement: null };
  return {
    nodeType: 1, nodeName: "DIV", tagName: "DIV", namespaceURI: "http://www.w3.org/1999/xhtml", textContent: "",
    ownerDocument: document, addEventListener: nothing, appendChild: nothing, removeChild: nothing,
  };
}

export default function (harness, { events, deduping = 2 }) {
  const cache = new Map();
  const views = new Map(); // by number: { key, target, shows }
  let numbered = 0;
  let mutate;
  const root = createRoot(element());

  function View({ target, shows }) {
    const { data, error } = useSWR([target], ([target]) => stream.fetch(target));
    useEffect(() => shows(data, error), [data, error]);
    return null;
  }
  function Views() {
    ({ mutate } = useSWRConfig());
    return [...views].map(([number, view]) => createElement(View, { ...view, key: number }));
  }
  const provided = { provider: () => cache, dedupingInterval: deduping * 1000 };
  // What is rendered is done at once, its effects included.
  const render = () => flushSync(() => root.render(createElement(SWRConfig, { value: provided }, createElement(Views))));

  const stream = new EventStream(harness, {
    kept: () => [...cache.values()].filter(({ data, _k }) => data !== undefined && _k).map(({ data, _k }) => [_k[0], data]),
    write: (target, list) => mutate([target], list, { revalidate: false }),
    askAgain: (target) => mutate([target]),
  }, events);

  /** Shows a view; its first answer is what is kept, or a promise. */
  function appear(target, changed) {
    const number = (numbered += 1);
    let first, refuse, shown;
    views.set(number, {
      target,
      shows(data, error) {
        if (data === undefined && error) refuse?.(error);
        if (data === undefined || data === shown) return;
        if (shown !== undefined) changed(data.rows);
        shown = data;
        first?.(data.rows);
      },
    });
    render();
    const rows = shown?.rows ?? new Promise((resolve, reject) => { first = resolve; refuse = reject; });
    return { number, rows };
  }
  function disappear(number) {
    views.delete(number);
    render();
  }
  function read(target) {
    const { number, rows } = appear(target, () => {});
    // Where something is kept, the client asks again a frame later.
    if (typeof rows.then !== "function") requestAnimationFrame(() => disappear(number));
    else rows.finally(() => disappear(number)).catch(() => {});
    return rows;
  }
  render();

  const open = new Map(); // by query: the numbers of its views
  return {
    features: ["parts"],
    read: (q) => read({ q }),
    open: (object) => read({ object }),
    observe(q) {
      const { number, rows } = appear({ q }, (rows) => harness.notify(q, rows));
      open.set(q, [...(open.get(q) ?? []), number]);
      return rows;
    },
    unobserve(q) {
      for (const number of open.get(q) ?? []) disappear(number);
      open.delete(q);
    },
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
  };
}
