/**
 * Puts a cache in JavaScript behind the line protocol: `node bridge.mjs ADAPTER.mjs [--option value]...`
 *
 * `README.md` says what an adapter exports and what it is called with.
 */
import { readSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { VirtualTime } from "./virtual-time.mjs";

/** Why the server did not answer: `unreachable`, the link is down, or `refused`, it failed. */
export class RequestError extends Error {
  constructor(reason) {
    super(`the server is ${reason === "unreachable" ? "unreachable" : "unable to answer"}`);
    this.name = "RequestError";
    this.reason = reason;
  }
}

// Standard input is read, and standard output written, one turn at a time and without the event loop.

const newline = 10;
let unread = Buffer.alloc(0);
const space = Buffer.alloc(1 << 16);

/** Waits without the event loop while a descriptor that does not block has nothing to give or no room. */
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);

function readLine() {
  const pieces = [];
  for (;;) {
    const end = unread.indexOf(newline);
    if (end >= 0) {
      pieces.push(unread.subarray(0, end));
      unread = unread.subarray(end + 1);
      return Buffer.concat(pieces).toString("utf8");
    }
    pieces.push(Buffer.from(unread));
    let count;
    try {
      count = readSync(0, space, 0, space.length, null);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      pause();
      count = -1;
    }
    if (count === 0) return null;
    unread = space.subarray(0, Math.max(0, count));
  }
}

let unsaid = "";
const say = (message) => { unsaid += JSON.stringify(message) + "\n"; };

function flush() {
  let bytes = Buffer.from(unsaid, "utf8");
  unsaid = "";
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** What a client prints must not become a line of the protocol. */
function guardOutput() {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });
}

function options(words) {
  const found = {};
  for (let place = 0; place < words.length; place += 1) {
    if (!words[place].startsWith("--")) throw new Error(`an option begins with --: ${words[place]}`);
    const value = words[place + 1];
    const isFlag = value === undefined || value.startsWith("--");
    found[words[place].slice(2)] = isFlag ? true : value;
    if (!isFlag) place += 1;
  }
  return found;
}

/** What an adapter is given to speak with. */
class Harness {
  #time;
  #waiting = new Map();
  #lastRequest = 0;

  constructor(hello, time) {
    this.hello = hello;
    this.#time = time;
    this.storage = new OutlivingStorage(hello.stored ?? []);
  }

  /** Nanoseconds of virtual time. */
  get now() { return this.#time.now; }

  /** Asks for `{ q }` or `{ object }`. The promise is rejected with a {@link RequestError}. */
  fetch(target, unless) { return this.#ask({ t: "fetch", ...target, ...(unless && { unless }) }); }

  /** Asks for the events after `[epoch, sequence]`. */
  reconcile(after) { return this.#ask({ t: "reconcile", after }); }

  /** Tells the views of a query which rows it lists now. */
  notify(q, rows) { say({ t: "notify", q, rows: rows.map(served) }); }

  #ask(request) {
    const id = ++this.#lastRequest;
    say({ ...request, id });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  answer(line) {
    const { resolve, reject } = this.#waiting.get(line.id);
    this.#waiting.delete(line.id);
    if (line.error) reject(new RequestError(line.error));
    else resolve(line);
  }
}

/** What outlives the process: texts by key, called as the `localStorage` of a browser is. */
class OutlivingStorage {
  #texts;

  constructor(stored) { this.#texts = new Map(stored); }

  get length() { return this.#texts.size; }
  key(place) { return [...this.#texts.keys()][place] ?? null; }
  getItem(key) { return this.#texts.get(`${key}`) ?? null; }

  setItem(key, text) {
    this.#texts.set(`${key}`, `${text}`);
    say({ t: "store", key: `${key}`, value: `${text}` });
  }

  removeItem(key) {
    if (this.#texts.delete(`${key}`)) say({ t: "store", key: `${key}`, value: null });
  }

  clear() { for (const key of [...this.#texts.keys()]) this.removeItem(key); }
}

/** A row as it is served: its object and its version. */
const served = (row) => [row[0], row[2]];

/** Answers a read now or, where the adapter gives a promise, as soon as that is settled. */
function answerRead(turn, result) {
  const serve = (rows) => say({ t: "serve", for: turn, rows: rows.map(served) });
  if (typeof result?.then !== "function") return serve(result);
  result.then(serve, (error) => {
    if (!(error instanceof RequestError)) console.error(error);
    say({ t: "fail", for: turn });
  });
}

function take(line, adapter, harness) {
  switch (line.t) {
    case "read": return answerRead(line.n, adapter.read(line.q));
    case "observe": return answerRead(line.n, (adapter.observe ?? adapter.read)(line.q));
    case "open": return answerRead(line.n, adapter.open(line.object));
    case "unobserve": return adapter.unobserve?.(line.q);
    case "tag": return adapter.tag?.(line.q);
    case "event": return adapter.event?.(line);
    case "heartbeat": return adapter.heartbeat?.([line.epoch, line.sequence]);
    case "link": return adapter.link?.(line.up === 1);
    case "response": return harness.answer(line);
  }
}

async function run([file, ...words]) {
  if (file === undefined) throw new Error("usage: node bridge.mjs ADAPTER.mjs [--option value]...");
  const first = readLine();
  if (first === null) return;
  const hello = JSON.parse(first);
  guardOutput();
  // As users have it.
  process.env.NODE_ENV ??= "production";
  // The real one, which runs once all microtasks have.
  const afterMicrotasks = globalThis.setImmediate;
  const time = new VirtualTime(() => new Promise((resolve) => afterMicrotasks(resolve)));
  time.install(hello.seed);
  const module = await import(pathToFileURL(resolve(file)).href);
  const harness = new Harness(hello, time);
  const adapter = module.default(harness, options(words));
  await time.settle();
  const features = adapter.features ?? [];
  // What is said before hello, such as what an adapter stores at once, follows in the first turn.
  const early = unsaid;
  unsaid = "";
  say({ t: "hello", protocol: 1, name: module.name, version: module.version, features });
  flush();
  unsaid = early;
  for (let text = readLine(); text !== null; text = readLine()) {
    const line = JSON.parse(text);
    if (line.t === "end") break;
    await time.moveTo(line.at);
    take(line, adapter, harness);
    await time.settle();
    say({ t: "done", n: line.n, wake: time.next });
    flush();
  }
}

await run(process.argv.slice(2));
process.exit(0);
