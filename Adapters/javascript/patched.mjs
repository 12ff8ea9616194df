/**
 * An adapter without a client, for `bridge.mjs`: answers are kept in a `Map` and patched by the server's events, as many
 * apps do by hand. Nothing is evicted, nothing expires.
 *
 * `--events invalidate` asks again for what an event concerns, in place of patching it; `ignore` follows none. With
 * `--store`, answers outlive the process, and what was missed meanwhile is asked for.
 */
import { EventStream } from "./event-stream.mjs";

export const name = "patched.mjs";
export const version = "1";

const key = ({ q, object }) => (q === undefined ? `object ${object}` : `q ${q}`);

export default function (harness, { events, store }) {
  const kept = new Map(); // by key: what was asked for, and its list
  const requests = new Map(); // by key: the promise of its list
  const viewed = new Set(); // queries that have views
  const unanswered = new Set(); // those whose view waits for its first rows, and need not be told of them

  const storage = store ? harness.storage : undefined;
  let place;
  for (let index = 0; index < (storage?.length ?? 0); index += 1) {
    const name = storage.key(index);
    const value = JSON.parse(storage.getItem(name));
    if (name === "place") place = value;
    else kept.set(name, value);
  }

  function write(target, list) {
    kept.set(key(target), [target, list]);
    storage?.setItem(key(target), JSON.stringify([target, list]));
    if (viewed.has(target.q) && !unanswered.has(target.q)) harness.notify(target.q, list.rows);
  }

  const stream = new EventStream(harness, {
    kept: () => [...kept.values()],
    write,
    askAgain(target) {
      kept.delete(key(target));
      storage?.removeItem(key(target));
      if (viewed.has(target.q)) ask(target).catch(() => {});
    },
    moved: (place) => storage?.setItem("place", JSON.stringify(place)),
  }, events, place);

  function ask(target) {
    if (!requests.has(key(target))) {
      const request = stream.fetch(target).finally(() => requests.delete(key(target)));
      requests.set(key(target), request.then((list) => (write(target, list), list)));
    }
    return requests.get(key(target));
  }

  const read = (target) => kept.get(key(target))?.[1].rows ?? ask(target).then((list) => list.rows);

  return {
    features: store ? ["parts", "storage"] : ["parts"],
    read: (q) => read({ q }),
    open: (object) => read({ object }),
    observe(q) {
      viewed.add(q);
      const rows = read({ q });
      if (!(rows instanceof Promise)) return rows;
      unanswered.add(q);
      return rows.finally(() => unanswered.delete(q));
    },
    unobserve: (q) => viewed.delete(q),
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
  };
}
