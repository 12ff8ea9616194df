/**
 * Records what an app asks its server and what came, for `tidemark simulate` and `recommend`: in a browser, in React
 * Native, in Node. Without dependencies. `Documentation/RecordingFormat.md` describes what it writes.
 *
 * The lines hold no text of an answer and no identifier: entities and queries are numbers. Names of types and queries are
 * kept, as they are in the app's code; what does not look like a name in code is called "other".
 */

/** A type and an identity, if an object has one; `above` is the property or the query that it was found under. */
export function identify(object, above) {
  const id = object.id ?? object._id ?? object.uuid;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return { type: object.__typename ?? singular(above), id: `${id}` };
}

const singular = (name) => name.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
const isCode = (name) => /^[A-Za-z_][A-Za-z0-9_-]{0,47}$/.test(name) && name.replace(/[^0-9]/g, "").length <= 2;

const second = 1e9;
const mostNames = 58, mostRows = 9_999;

export class Recorder {
  #lines = [];
  #written = 0;
  #numbers = { objects: 0, states: 0, mutations: 0, queries: 0 };
  #entities = new Map(); // by type and identity
  #queries = new Map(); // by name and variables
  #lists = new Map(); // by name of a query: the types that it has shown
  #types = [];
  #actions = []; // in order of time, the first of them without an answer yet
  #answers = { count: 0, sum: 0, least: Infinity };
  #restarts = [];
  #last = -1;
  #lastWrite = -Infinity;
  #knowsHits = false;
  #missed = 0;

  /**
   * `onLine` takes each line, with its end, as soon as it is known; it needs the names that will occur: `types` and
   * `queries`. Any others are called "other". Without it, lines are kept until `text()`. `now` gives milliseconds.
   *
   * Beyond `mostLines`, or `mostEntities` entities and queries, nothing more is recorded, and the recording says so.
   */
  constructor(name, options = {}) {
    const { onLine, types, queries, now = () => performance.now(), view = 30, longest = 86_400 } = options;
    if (onLine && !(types && queries)) throw new Error("a recorder with onLine needs the names of types and queries");
    this.name = name;
    this.options = { identify, mostLines: 200_000, mostEntities: 100_000, ...options, onLine, view: view * second };
    this.now = now;
    this.begun = now();
    for (const type of (types ?? []).slice(0, mostNames)) this.#types.push(type);
    for (const query of (queries ?? []).slice(0, mostNames)) this.#lists.set(query, new Set());
    if (!onLine) return;
    if (!this.#types.includes("other")) this.#types.push("other");
    this.#lists.set("other", new Set());
    this.#write(this.#header(longest * second));
    this.#write({ line: "client", name: "app" });
  }

  // What an app calls.

  /**
   * A query is asked: by its name in the code, and its variables. `view`: it is on screen until `leave`, or else for the
   * time of the option `view`; `forced`: the app asks whatever its cache holds. Call what this returns with the answer.
   */
  ask(name, variables = {}, { view = true, forced = false } = {}) {
    const at = this.#time(), query = this.#query(name, variables);
    if (!query) return { answer() {}, fail() {}, shown() {} };
    this.#close(at);
    const isRefetch = query.asked !== undefined && at - this.#lastWrite <= 2 * second;
    const isNew = view && query.end === undefined;
    if (view) query.end = at + this.options.view;
    const action = { line: "action", client: 0, at, do: isNew ? "observe" : "read", query: query.number };
    if (forced || isRefetch) action.forced = true;
    const entry = this.#act(action);
    const end = (more, answer) => {
      if (entry.isOver) return;
      Object.assign(action, more);
      entry.isOver = true;
      this.#flush();
      if (answer) this.#write({ line: "answer", client: 0, asked: at, query: query.number, ...answer });
    };
    return {
      /** The server answered; `bytes` as sent, if that is known. `hit`: whether the app's cache showed it first. */
      answer: (data, { bytes, hit } = {}) => {
        if (entry.isOver) return;
        const now = this.#time(), outcome = hit === undefined ? {} : { outcome: hit ? "hit" : "miss" };
        this.#knowsHits ||= hit !== undefined;
        const result = this.#result(query, data, at, now);
        this.#answers.count += 1;
        this.#answers.sum += now - at;
        this.#answers.least = Math.min(this.#answers.least, now - at);
        end({ ...outcome, result }, { at: now, bytes: bytes ?? size(data), result });
      },
      /** The app's cache answered, and no server. */
      shown: (data) => {
        const known = this.#rows(query, data).map(({ entity }) => entity?.state);
        this.#knowsHits = true;
        end({ outcome: "hit", ...(known.every((state) => state !== undefined) && { result: known }) });
      },
      fail: (isUnreachable = false) => end(
        this.#knowsHits ? { outcome: "failed" } : {},
        { at: this.#time(), failure: isUnreachable ? "unreachable" : "refused" }),
    };
  }

  /** A view is left. */
  leave(name, variables = {}) {
    const query = this.#queries.get(key(name, variables)), at = this.#time();
    this.#close(at);
    if (query?.end === undefined) return;
    query.end = undefined;
    this.#act({ line: "action", client: 0, at, do: "unobserve", query: query.number }).isOver = true;
    this.#flush();
  }

  /** The user changes something; call what this returns with the answer of the server. */
  write() {
    const asked = this.#time();
    return {
      answer: (data, name = "write") => {
        this.#lastWrite = this.#time();
        this.#told(data, name, this.#lastWrite, { since: asked, client: 0 });
      },
      fail() {},
    };
  }

  /** The server tells something unasked. */
  event(data, name = "event") { this.#told(data, name, this.#time(), {}); }

  /** The server tells, by an event or by the answer to a write, that an entity is gone. */
  deleted(type, id, { isWrite = false } = {}) {
    const at = this.#time(), entity = this.#entities.get(key(type, `${id}`));
    if (!entity) return;
    this.#close(at);
    if (isWrite) this.#lastWrite = at;
    const items = [{ object: entity.number, deleted: true }];
    this.#mutation({ at, kind: "deleted", bytes: 0, items, clock: ++entity.clock, ...(isWrite && { client: 0 }) });
    entity.fields.clear();
    entity.gone = at;
    if (!isWrite) this.#deliver(at);
  }

  /** The app begins anew, with nothing in memory. With `onLine`, begin another file instead. */
  restart() {
    if (this.options.onLine) throw new Error("each start of the app is a file of its own");
    const at = this.#time();
    this.#close(Infinity);
    this.#restarts.push(at);
  }

  /** Ends the recording: what has no answer yet is over. */
  close() {
    for (const entry of this.#actions) entry.isOver = true;
    this.#flush();
    this.#close(Infinity);
    if (this.#missed > 0) {
      this.#put({ line: "gap", at: Math.max(0, this.#last), lines: this.#missed, why: "buffer" });
      this.#missed = 0;
    }
  }

  /** The file. */
  text() {
    this.close();
    const client = { line: "client", name: "app", ...(this.#restarts.length > 0 && { appRestarts: this.#restarts }) };
    return JSON.stringify(this.#header(this.#time() + 1)) + "\n" + JSON.stringify(client) + "\n" + this.#lines.join("");
  }

  // What an answer shows.

  #result(query, data, asked, now) {
    const rows = this.#rows(query, data);
    // What was not there when the list was asked for before has come since.
    const since = query.asked;
    const result = rows.filter((row) => this.#hasRoom(row))
      .map((row) => this.#see(row, query, { asked, at: now, since }));
    query.asked = asked;
    return result;
  }

  /** The entities of an answer, each once, in their order; what belongs to none is the query's own. */
  #rows(query, data) {
    const rows = new Map();
    const own = { type: "request", entity: query.own, fields: [] };
    this.#extract(data, query.name, own, "", rows);
    return [...rows.values()].slice(0, mostRows).concat(own.fields.length > 0 || rows.size === 0 ? [own] : []);
  }

  #extract(value, above, parent, path, rows) {
    if (Array.isArray(value)) {
      for (const element of value) this.#extract(element, above, parent, path, rows);
      return;
    }
    if (value === null || typeof value !== "object") {
      parent.fields.push([path, print(value), size(value) + path.length - path.lastIndexOf(".") + 3]);
      return;
    }
    const identity = this.options.identify(value, above);
    let row = parent, below = path;
    if (identity) {
      const name = key(identity.type, identity.id);
      row = rows.get(name) ?? { type: identity.type, name, entity: this.#entities.get(name), fields: [] };
      if (rows.has(name)) row = { fields: [] };
      else rows.set(name, row);
      below = "";
    }
    const isMap = !identity && this.#isMap(Object.values(value), above);
    for (const [member, element] of Object.entries(value)) {
      this.#extract(element, isMap ? above : member, row, `${below}.${member}`, rows);
    }
  }

  /** Whether the names of an object are keys of entities, and no properties: all are alike, or it stands for several. */
  #isMap(values, above) {
    if (values.length === 0) return false;
    const isEntity = (value) => value !== null && typeof value === "object" && this.options.identify(value, above);
    if (!values.every((value) => isEntity(value) && value.__typename === undefined)) return false;
    const names = values.map((value) => Object.keys(value).sort().join());
    return singular(above) !== above || (values.length > 1 && names.every((own) => own === names[0]));
  }

  #hasRoom({ entity }) {
    if (entity || this.#entities.size + this.#queries.size < this.options.mostEntities) return true;
    this.#missed += 1;
    return false;
  }

  /** Notes an entity as an answer shows it, and gives the number of its state. */
  #see(row, query, { asked, at, since, items }) {
    let entity = row.entity;
    if (!entity) {
      entity = this.#object(row.type, query);
      this.#entities.set(row.name, entity);
    }
    if (query) {
      this.#lists.get(query.form).add(row.entity === query.own ? "request" : this.#type(row.type));
      entity.home ??= query.own.number;
    }
    // An answer may be older than what it shows is gone.
    if (entity.gone >= asked) return entity.state;
    const isNew = entity.state === undefined || entity.gone !== undefined;
    if (isNew) since = entity.gone ?? since;
    entity.gone = undefined;
    let changed = Infinity;
    for (const [field, value, bytes] of row.fields) {
      const known = entity.fields.get(field);
      if (known && known.value !== value) changed = Math.min(changed, known.seen);
      entity.fields.set(field, { value, bytes, seen: Math.max(asked, known?.seen ?? 0) });
    }
    if (!isNew && changed === Infinity) return entity.state;
    const bytes = [...entity.fields.values()].reduce((sum, field) => sum + field.bytes, 1);
    const state = { object: entity.number, clock: ++entity.clock, device: 1, bytes };
    if (entity.home !== undefined) state.fields = { request: entity.home };
    entity.state = this.#numbers.states++;
    if (items) items.push(state);
    else if (isNew && since === undefined) this.#write({ line: "state", ...state });
    else this.#mutation({ at, since: Math.min(at, isNew ? since : changed), kind: "changed", bytes, items: [state] });
    return entity.state;
  }

  /** A write's answer or an event shows entities: those as they were, too. */
  #told(data, name, at, more) {
    const rows = new Map(), items = [];
    this.#extract(data, name, { fields: [] }, "", rows);
    for (const row of rows.values()) {
      if (!this.#hasRoom(row)) continue;
      const before = row.entity?.state, state = this.#see(row, undefined, { asked: at, at, items });
      if (state === before) items.push({ state });
    }
    if (items.length === 0) return;
    this.#close(at);
    this.#mutation({ at, kind: items.length === 1 ? "changed" : "batch", bytes: size(data), items, ...more });
    if (more.client === undefined) this.#deliver(at);
  }

  // Lines.

  #object(type, query) {
    const number = this.#numbers.objects++;
    this.#write({ line: "object", type: query === null ? "request" : this.#type(type), id: `${number}` });
    return { number, clock: 0, state: undefined, home: query?.own.number, gone: undefined, fields: new Map() };
  }

  #query(name, variables) {
    const known = this.#queries.get(key(name, variables));
    if (known) return known;
    if (this.#queries.size + this.#entities.size >= this.options.mostEntities) return void (this.#missed += 1);
    const own = this.#object("request", null);
    own.home = own.number;
    const isKept = this.#lists.has(name) || (!this.options.onLine && this.#lists.size < mostNames && isCode(name));
    const form = isKept ? name : "other";
    if (!this.#lists.has(form)) this.#lists.set(form, new Set());
    const query = { number: this.#numbers.queries++, name, form, own };
    this.#queries.set(key(name, variables), query);
    this.#write({ line: "query", name: form, subject: own.number, limit: mostRows + 1 });
    return query;
  }

  #type(type) {
    // That name is taken by what stands for a query.
    if (type === "request") type = "request entity";
    if (this.#types.includes(type)) return type;
    const form = this.options.onLine || this.#types.length >= mostNames || !isCode(type) ? "other" : type;
    if (!this.#types.includes(form)) this.#types.push(form);
    return form;
  }

  #mutation(members) {
    this.#write({ line: "mutation", ...members });
    this.#numbers.mutations += 1;
  }

  #deliver(at) {
    const delivery = { line: "delivery", client: 0, at, mutation: this.#numbers.mutations - 1 };
    this.#act(delivery).isOver = true;
    this.#flush();
  }

  #act(line) {
    const entry = { line, isOver: false };
    this.#actions.push(entry);
    // One that is never answered must not hold up what follows.
    if (this.#actions.length > 1_000) this.#actions[0].isOver = true;
    return entry;
  }

  /** Writes what has happened up to the first read that has no answer yet. */
  #flush() {
    while (this.#actions[0]?.isOver) this.#write(this.#actions.shift().line);
  }

  /** Views that were not asked for again are left. */
  #close(now) {
    const over = [...this.#queries.values()].filter(({ end }) => end <= now).sort((a, b) => a.end - b.end);
    for (const query of over) {
      const at = Math.min(query.end, Math.max(this.#last, 0));
      query.end = undefined;
      this.#act({ line: "action", client: 0, at, do: "unobserve", query: query.number }).isOver = true;
    }
    this.#flush();
  }

  #write(line) {
    if (this.#written >= this.options.mostLines) this.#missed += 1;
    else this.#put(line);
  }

  #put(line) {
    const text = JSON.stringify(line) + "\n";
    this.#written += 1;
    if (this.options.onLine) this.options.onLine(text);
    else this.#lines.push(text);
  }

  /** Nanoseconds from the beginning, later each time. */
  #time() {
    this.#last = Math.max(this.#last + 1, Math.round((this.now() - this.begun) * 1e6));
    return this.#last;
  }

  #header(duration) {
    const { count, sum, least } = this.#answers;
    const minimumRoundTrip = count > 0 ? least : 50_000_000;
    const all = [...this.#types, "request"];
    const fields = [{ name: "request", holds: "reference", to: "request" }];
    return {
      format: "tidemark-session", version: 3, truth: "observed", name: this.name, duration,
      library: "00000000-0000-4000-8000-000000000001",
      network: { minimumRoundTrip, meanExtra: count > 0 ? Math.round(sum / count) - least : 20_000_000 },
      retention: { events: 1_000_000, age: 1e15 }, policy: "app",
      model: {
        types: all.map((name) => ({ name, fields })),
        queries: [...this.#lists].map(([name, types]) => ({
          name, lists: this.options.onLine ? all : types.size > 0 ? [...types] : ["request"],
          where: [{ field: "request", is: "subject" }],
        })),
      },
    };
  }
}

/** A name for two things, whatever the order of members. */
const key = (name, more) => JSON.stringify([name, sorted(more)]);

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

/** 53 bits that tell one value from another, so that no text is kept. */
function print(value) {
  let high = 0xdeadbeef, low = 0x41c6ce57;
  for (const character of `${typeof value} ${value}`) {
    const code = character.codePointAt(0);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** The bytes of a value as JSON in UTF-8. */
function size(value) {
  let bytes = 0;
  for (const character of JSON.stringify(value) ?? "") {
    const code = character.codePointAt(0);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
