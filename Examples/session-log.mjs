// Writes what happened to an app's cache, for `tidemark explain` and `tidemark simulate` to read.

const name = ({ type, id, version }) => JSON.stringify([type, id, version]);

/** One session of one user; `rows` are arrays of { type, id, version, bytes } in the order shown. */
export class SessionLog {
  constructor(name, types, queries, now = () => Number(process.hrtime.bigint())) {
    Object.assign(this, { name, types, queries, now, begun: now(), lines: [], mutations: 0, longest: 1000 });
    // The states at the beginning, and those of mutations, each by its name.
    Object.assign(this, { objects: new Map(), lists: new Map(), initial: new Map(), later: new Map() });
  }
  /** A list was asked for; `hit`: it was shown without waiting. `view`: until `leave`. */
  read(query, subject, rows, { hit, view = false }) {
    this.act(view ? "observe" : "read", query, subject, rows, { outcome: hit ? "hit" : "miss" });
  }
  /** A view is left that showed these rows. */
  leave(query, subject, rows) { this.act("unobserve", query, subject, rows, {}); }
  /** The server told of new values. */
  changed(rows) {
    this.mutation(rows.length === 1 ? "changed" : "batch", rows.map((row) => this.item(row)), rows);
  }
  /** The server told that entities, { type, id }, are gone. */
  deleted(keys, version) {
    const items = keys.map((key) => ({ object: this.object(key), deleted: true }));
    this.mutation("deleted", items, [], { clock: version });
  }
  /** The file so far. */
  text() {
    const fields = [{ name: "list", holds: "reference", to: "list" }];
    const where = [{ field: "list", is: "subject" }];
    const header = {
      format: "tidemark-session", version: 3, truth: "observed", name: this.name,
      duration: this.time() + 1, library: "00000000-0000-4000-8000-000000000001",
      network: { minimumRoundTrip: 50_000_000, meanExtra: 20_000_000 },
      retention: { events: 1_000_000, age: 1e15 },
      model: {
        types: [{ name: "list" }, ...this.types.map((name) => ({ name, fields }))],
        queries: Object.entries(this.queries).map(([name, type]) => ({ name, lists: [type], where })),
      },
    };
    const objects = [...this.objects.values()].map(({ type }, id) => ({ line: "object", type, id: `${id}` }));
    const states = [...this.initial.values()].map((state) => ({ line: "state", ...state }));
    const queries = [...this.lists.values()].map(({ query, about }) =>
      ({ line: "query", name: query, subject: about, limit: this.longest }));
    // States are numbered in the order of their lines.
    const numbers = new Map([...this.initial.keys(), ...this.later.keys()].map((name, number) => [name, number]));
    const numbered = this.lines.map((line) => ({
      ...line,
      ...(line.result && { result: line.result.map((name) => numbers.get(name)) }),
      ...(line.items && { items: line.items.map((item) => item.told ? { state: numbers.get(item.told) } : item) }),
    }));
    const lines = [header, ...objects, ...states, ...queries, { line: "client", name: "app" }, ...numbered];
    return lines.map((line) => JSON.stringify(line) + "\n").join("");
  }

  time() { return this.now() - this.begun; }
  object({ type, id }) {
    const key = JSON.stringify([type, id]);
    if (!this.objects.has(key)) this.objects.set(key, { type, number: this.objects.size });
    return this.objects.get(key).number;
  }
  state(row, states) {
    const state = { object: this.object(row), clock: row.version, device: 1, bytes: row.bytes };
    states.set(name(row), state);
    return state;
  }
  told(row) { return this.initial.get(name(row)) ?? this.later.get(name(row)); }
  /** A new state, or the name of one that the file has. */
  item(row) { return this.told(row) ? { told: name(row) } : this.state(row, this.later); }
  mutation(kind, items, rows, more = {}, isDelivered = true) {
    const at = this.time(), mutation = this.mutations++;
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    this.lines.push({ line: "mutation", at, kind, bytes, items, ...more });
    if (isDelivered) this.lines.push({ line: "delivery", client: 0, at, mutation });
  }
  act(verb, query, subject, rows, more) {
    const key = JSON.stringify([query, subject]);
    if (!this.lists.has(key)) {
      const list = { type: "list", id: key, version: 1, bytes: 1 };
      this.lists.set(key, { query, number: this.lists.size, about: this.object(list) });
      this.state(list, this.initial);
    }
    const { number, about } = this.lists.get(key);
    this.longest = Math.max(this.longest, rows.length);
    for (const row of rows) {
      // Nothing told of it, so it was there at the beginning.
      if (!this.objects.has(JSON.stringify([row.type, row.id]))) this.state(row, this.initial);
    }
    const seen = rows.filter((row) => !this.told(row));
    if (seen.length) this.mutation("batch", seen.map((row) => this.item(row)), seen, {}, false);
    for (const row of rows) this.told(row).fields ??= { list: about };
    this.lines.push({
      line: "action", client: 0, at: this.time(), do: verb, query: number, result: rows.map(name), ...more,
    });
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
