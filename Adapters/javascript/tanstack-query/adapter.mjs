/**
 * TanStack Query for `bridge.mjs`: `@tanstack/query-core`, without a framework.
 *
 * A view is a `QueryObserver`; a read without one is `ensureQueryData` with `revalidateIfStale`, which shows what is there
 * and asks again where that is stale. The client knows no events and no entities: by `--events`, the adapter patches each
 * list with `setQueryData`, invalidates it with `invalidateQueries`, or ignores what the server tells.
 *
 * `--stale 0`: `staleTime` in seconds. `--gc 300`: `gcTime` in seconds. Both are the client's own defaults.
 */
import { onlineManager, QueryClient, QueryObserver } from "@tanstack/query-core";
import { EventStream } from "../event-stream.mjs";
import { installedVersion } from "../installed-version.mjs";

export const name = "@tanstack/query-core";
export const version = installedVersion(name, import.meta);

export default function (harness, { events, stale = 0, gc = 300 }) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: stale * 1000, gcTime: gc * 1000 } },
  });
  client.mount();
  const observers = new Map(); // by query: those of its views

  const asked = (target) => ({ queryKey: [target], queryFn: () => stream.fetch(target) });

  const stream = new EventStream(harness, {
    kept: () => client.getQueryCache().getAll()
      .filter((query) => query.state.data !== undefined)
      .map((query) => [query.queryKey[0], query.state.data]),
    write: (target, list) => client.setQueryData([target], list),
    askAgain: (target) => client.invalidateQueries({ queryKey: [target], exact: true }),
  }, events);

  const read = (target) =>
    client.ensureQueryData({ ...asked(target), revalidateIfStale: true }).then((list) => list.rows);

  function observe(q) {
    const observer = new QueryObserver(client, asked({ q }));
    let shown = observer.getCurrentResult().data;
    const first = new Promise((resolve, reject) => {
      const stop = observer.subscribe(({ data, isError, error }) => {
        if (data === undefined && isError) return reject(error);
        if (data === undefined || data === shown) return;
        if (shown === undefined) resolve(data.rows);
        else harness.notify(q, data.rows);
        shown = data;
      });
      observers.set(q, [...(observers.get(q) ?? []), stop]);
    });
    return shown?.rows ?? first;
  }

  return {
    features: ["parts"],
    read: (q) => read({ q }),
    open: (object) => read({ object }),
    observe,
    unobserve(q) {
      for (const stop of observers.get(q) ?? []) stop();
      observers.delete(q);
    },
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
    link: (isUp) => onlineManager.setOnline(isUp),
  };
}
