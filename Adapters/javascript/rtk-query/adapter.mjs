/**
 * RTK Query for `bridge.mjs`: `@reduxjs/toolkit/query`, without React.
 *
 * A view subscribes with `initiate`; a read without one subscribes and leaves once it has been answered. The client knows
 * no events and no entities: by `--events`, the adapter patches each list with `updateQueryData`, invalidates it by its
 * tag, or ignores what the server tells.
 *
 * `--keep 60`: `keepUnusedDataFor` in seconds, as is the client's own default.
 */
import { configureStore } from "@reduxjs/toolkit";
import { createApi } from "@reduxjs/toolkit/query";
import { EventStream } from "../event-stream.mjs";
import { installedVersion } from "../installed-version.mjs";

export const name = "@reduxjs/toolkit";
export const version = installedVersion(name, import.meta);

const tag = (target) => [{ type: "Answer", id: JSON.stringify(target) }];

export default function (harness, { events, keep = 60 }) {
  const api = createApi({
    // An error that is kept is plain data, so it goes by its reason.
    baseQuery: (target) => stream.fetch(target).then((data) => ({ data }), ({ reason }) => ({ error: { reason } })),
    tagTypes: ["Answer"],
    keepUnusedDataFor: Number(keep),
    endpoints: (build) => ({
      answer: build.query({ query: (target) => target, providesTags: (data, error, target) => tag(target) }),
    }),
  });
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (usual) => usual({ serializableCheck: false, immutableCheck: false }).concat(api.middleware),
  });
  const { initiate, select } = api.endpoints.answer;
  const views = new Map(); // by query: the subscriptions of its views
  const shown = new Map(); // by query that has views: the list that they show

  const entries = () => Object.values(store.getState()[api.reducerPath].queries);
  const stream = new EventStream(harness, {
    kept: () => entries().filter((entry) => entry?.data).map((entry) => [entry.originalArgs, entry.data]),
    write: (target, list) => store.dispatch(api.util.updateQueryData("answer", target, () => list)),
    askAgain: (target) => store.dispatch(api.util.invalidateTags(tag(target))),
  }, events);

  const kept = (target) => select(target)(store.getState()).data;

  async function answer(request) {
    const { data, error } = await request;
    if (data === undefined) throw Object.assign(new Error("the server did not answer"), error);
    return data.rows;
  }

  function read(target) {
    const list = kept(target);
    const request = store.dispatch(initiate(target));
    if (list !== undefined) {
      request.unsubscribe();
      return list.rows;
    }
    return answer(request).finally(() => request.unsubscribe());
  }

  store.subscribe(() => {
    for (const [q, former] of shown) {
      const list = kept({ q });
      if (list === undefined || list === former) continue;
      shown.set(q, list);
      if (former !== undefined) harness.notify(q, list.rows);
    }
  });

  return {
    features: ["parts"],
    read: (q) => read({ q }),
    open: (object) => read({ object }),
    observe(q) {
      const list = kept({ q });
      const request = store.dispatch(initiate({ q }));
      views.set(q, [...(views.get(q) ?? []), request]);
      shown.set(q, list);
      return list?.rows ?? answer(request);
    },
    unobserve(q) {
      for (const view of views.get(q) ?? []) view.unsubscribe();
      views.delete(q);
      shown.delete(q);
    },
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
  };
}
