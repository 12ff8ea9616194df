/**
 * An adapter without a client, for `bridge.mjs`: answers are kept in a `Map` and patched by the server's events, as many
 * apps do by hand. Nothing is evicted, nothing expires.
 *
 * `--events invalidate` asks again for what an event concerns, in place of patching it; `ignore` follows none.
 */
import { EventStream } from "./event-stream.mjs";

export const name = "patched.mjs";
export const version = "1";

const key = ({ q, object }) => (q === undefined ? `object ${object}` : `q ${q}`);

export default function (harness, { events }) {
  const kept = new Map(); // by key: what was asked for, and its list
  const requests = new Map(); // by key: the promise of its list
  const viewed = new Set(); // queries that have views

  function write(target, list) {
    kept.set(key(target), [target, list]);
    if (viewed.has(target.q)) harness.notify(target.q, list.rows);
  }

  const stream = new EventStream(harness, {
    kept: () => [...kept.values()],
    write,
    askAgain(target) {
      kept.delete(key(target));
      if (viewed.has(target.q)) ask(target).catch(() => {});
    },
  }, events);

  function ask(target) {
    if (!requests.has(key(target))) {
      const request = stream.fetch(target).finally(() => requests.delete(key(target)));
      requests.set(key(target), request.then((list) => (write(target, list), list)));
    }
    return requests.get(key(target));
  }

  const read = (target) => kept.get(key(target))?.[1].rows ?? ask(target).then((list) => list.rows);

  return {
    read: (q) => read({ q }),
    open: (object) => read({ object }),
    observe(q) {
      viewed.add(q);
      return read({ q });
    },
    unobserve: (q) => viewed.delete(q),
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
  };
}
