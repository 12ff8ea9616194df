// Writes what happened to an app's cache, for `tidemark inspect` and `tidemark simulate` to read.
import { createHash } from "node:crypto";

const uuid = (text) =>
  createHash("sha256").update(text).digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");

/** One session of one user; `rows` are arrays of { type, id, version, bytes } in the order shown. */
export class SessionLog {
  constructor(name, types, queries, now = () => Number(process.hrtime.bigint())) {
    Object.assign(this, { name, types, queries, now, begun: now(), lines: [], mutations: 0 });
    Object.assign(this, { objects: new Map(), lists: new Map(), states: new Set() });
    this.line("client", { name: "app", partitions: [] });
  }
  /** A list was asked for; `hit`: it was shown without waiting. `view`: until `leave`. */
  read(query, subject, rows, { hit, view = false }) {
    this.act(view ? "observe" : "read", query, subject, rows, { outcome: hit ? "hit" : "miss" });
  }
  /** A view is left that showed these rows. */
  leave(query, subject, rows) { this.act("unobserve", query, subject, rows, {}); }
  /** The server told of new values. */
  changed(rows) {
    this.mutation(rows.length === 1 ? "changed" : "batch", rows.map((row) => this.state(row)), rows);
  }
  /** The server told that entities, { type, id }, are gone. */
  deleted(keys, version) {
    const items = keys.map((key) => ({ object: this.object(key.type, key.id), deleted: true }));
    this.mutation("deleted", items, [], { clock: version });
  }
  /** The file so far. */
  text() {
    const fields = [{ name: "list", holds: "reference", to: "list" }, { name: "place", holds: "integer" }];
    const listed = { where: [{ field: "list", is: "subject" }], order: [{ field: "place" }], rows: 1000 };
    const header = {
      format: "tidemark-session", version: 2, truth: "observed", name: this.name,
      duration: this.time() + 1, library: uuid(this.name),
      network: { minimumRoundTrip: 50_000_000, meanExtra: 20_000_000 },
      retention: { events: 1_000_000, age: 1e15 },
      model: {
        types: [{ name: "list", fields: [] }, ...this.types.map((name) => ({ name, fields }))],
        queries: Object.entries(this.queries).map(([name, type]) => ({ name, lists: [type], ...listed })),
      },
    };
    return [header, ...this.lines].map((line) => JSON.stringify(line) + "\n").join("");
  }

  time() { return this.now() - this.begun; }
  line(kind, members) { this.lines.push({ line: kind, ...members }); }
  object(type, id) {
    const name = `${type} ${id}`;
    if (!this.objects.has(name)) {
      this.objects.set(name, this.objects.size);
      this.line("object", { type, id: uuid(name) });
    }
    return this.objects.get(name);
  }
  state({ type, id, version, bytes }) {
    this.states.add(`${type} ${id} ${version}`);
    return { object: this.object(type, id), clock: version, device: 1, bytes };
  }
  mutation(kind, items, rows, more = {}, isDelivered = true) {
    const at = this.time(), mutation = this.mutations++;
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    this.line("mutation", { at, kind, bytes, items, ...more });
    if (isDelivered) this.line("delivery", { client: 0, at, mutation });
  }
  act(verb, query, subject, rows, more) {
    const name = `${query} ${subject}`;
    if (!this.lists.has(name)) {
      const about = this.object("list", name);
      this.line("query", { method: query, subject: about, limit: 1000, order: "as-shown" });
      this.lists.set(name, this.lists.size);
    }
    const news = rows.filter((row) => !this.states.has(`${row.type} ${row.id} ${row.version}`));
    if (news.length) this.mutation("batch", news.map((row) => this.state(row)), news, {}, false);
    const result = rows.map((row) => [this.object(row.type, row.id), row.version, 1, row.bytes]);
    this.line("action", { client: 0, at: this.time(), do: verb, query: this.lists.get(name), result, ...more });
  }
}

if (process.argv[1]?.endsWith("session-log.mjs")) {
  let seconds = 0;
  const log = new SessionLog("javascript-chat", ["message"], { thread: "message" }, () => 1e9 * seconds++);
  const message = (id) => ({ type: "message", id, version: 1, bytes: 200 });
  const rows = [message(0), message(1), message(2)];
  log.read("thread", "garden", rows, { hit: false, view: true });
  log.changed([message(3)]);
  log.leave("thread", "garden", [message(3), ...rows]);
  log.read("thread", "garden", [message(3), ...rows], { hit: true });
  log.deleted([{ type: "message", id: 0 }], 2);
  log.read("thread", "garden", [message(3), message(1), message(2)], { hit: true });
  process.stdout.write(log.text());
}
