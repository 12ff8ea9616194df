// What the servers of this folder share: entities whose changes are dated, answers that note every
// row they show, and a log of all that was served, which is the truth that an import is compared with.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";

/** Milliseconds since 1970, with fractions. */
export const now = () => performance.timeOrigin + performance.now();

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const digest = (value) =>
  createHash("sha1").update(JSON.stringify(value) ?? "none").digest("hex").slice(0, 8);

/** The entities of a server, by kind and identifier, and the log of what was served. */
export class World {
  constructor(name) {
    this.entities = new Map();
    this.truth = { name, reads: [], writes: [], events: [], changes: [], leftOut: {}, requests: 0 };
  }

  add(kind, id, values) {
    const entity = { kind, id, version: 1, values, of: `${kind}/${id}` };
    this.entities.set(entity.of, entity);
    return entity;
  }

  find(kind, id) {
    return this.entities.get(`${kind}/${id}`);
  }

  all(kind) {
    return [...this.entities.values()].filter((entity) => entity.kind === kind);
  }

  /** Commits a change; `created` marks an entity that was not there before. */
  change(entity, values, { created = false } = {}) {
    Object.assign(entity.values, values);
    if (!created) entity.version += 1;
    this.truth.changes.push({
      at: now(), of: entity.of, version: entity.version, fields: Object.keys(values), created,
    });
  }

  create(kind, id, values) {
    const entity = this.add(kind, id, {});
    this.change(entity, values, { created: true });
    return entity;
  }

  remove(entity) {
    this.entities.delete(entity.of);
    this.truth.changes.push({ at: now(), of: entity.of, version: entity.version, deleted: true });
  }

  /** An event that was sent to a client at this moment; `stream` if it was a server-sent event. */
  event(shown, { tab, stream = false } = {}) {
    this.truth.events.push({ at: now(), tab, rows: shown.rows, stream });
  }
}

/** Objects as they are written in an answer, in the order in which they first appear. */
export class Shown {
  rows = [];

  /**
   * The entity as an object with its identity first, called `as` its type or, where none is named,
   * the property or segment above it in the singular. `fields` maps the names in the answer to the
   * entity's own (an array: the same); a function among them writes what is nested.
   */
  object(as, entity, identity, fields) {
    const row = { as: `${as}/${entity.id}`, of: entity.of, version: entity.version, fields: {} };
    const known = this.rows.find((other) => other.as === row.as);
    if (!known) this.rows.push(row);
    const into = known ?? row;
    const object = { ...identity };
    const named = Array.isArray(fields) ? fields.map((field) => [field, field]) : Object.entries(fields);
    for (const [name, source] of named) {
      if (typeof source === "function") {
        object[name] = source();
        continue;
      }
      object[name] = source === "version" ? entity.version : entity.values[source];
      into.fields[name] = digest(object[name]);
    }
    return object;
  }
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const files = {
  "/style.css": ["text/css", "body { font-family: sans-serif }"],
  "/logo.svg": ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
  "/favicon.ico": ["image/png", ""],
  "/font.woff2": ["font/woff2", "no font"],
};

/** A page, its script and what is around it, none of which holds entities. */
async function file(path, page) {
  if (path === "/") {
    const html = `<!doctype html><title>${page}</title><link rel=stylesheet href=/style.css>
      <img src=/logo.svg><script type=module src=/${page}.js></script>`;
    return ["text/html", html];
  }
  if (path === `/${page}.js` || path === "/session.js") {
    return ["text/javascript", await readFile(new URL(`../pages${path}`, import.meta.url), "utf8")];
  }
  return files[path];
}

/**
 * Serves `answer(call)` and the page around it. A call has `method`, `path`, `parameters`, `body`,
 * `tab`, `reason` and `shown`; the answer has `kind` ("read", "write", "several" or what is left
 * out), `query`, and `status`, `json` or `body`, `headers`, `delay`.
 */
export function serve(world, page, answer, { upgrade, origin } = {}) {
  const truth = world.truth;
  const redirected = new Map();
  const server = createServer(async (request, response) => {
    const at = now();
    truth.requests += 1;
    const url = new URL(request.url, "http://local");
    const fixed = await file(url.pathname, page);
    if (fixed && !origin) {
      truth.leftOut.files = (truth.leftOut.files ?? 0) + 1;
      response.writeHead(200, { "Content-Type": fixed[0], "Cache-Control": "no-store" });
      return response.end(fixed[1]);
    }
    const text = await bodyOf(request);
    const tab = request.headers["x-tab"] ?? url.searchParams.get("tab") ?? "";
    const call = {
      at, tab, text, request, response, method: request.method, path: url.pathname,
      parameters: url.searchParams, reason: request.headers["x-reason"] ?? "user",
      body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined,
      shown: new Shown(), redirected: redirected.get(tab + url.pathname),
    };
    redirected.delete(tab + url.pathname);
    const made = { status: 200, headers: {}, kind: "read", ...(await answer(call)) };
    if (made.taken) return;
    const seen = now();
    let isGivenUp = false;
    response.once("close", () => (isGivenUp = true));
    if (made.delay) await wait(made.delay);
    const headers = { "Cache-Control": "no-store", ...made.headers };
    if (origin) {
      Object.assign(headers, {
        "Access-Control-Allow-Origin": request.headers.origin ?? "*",
        "Access-Control-Allow-Headers": "x-tab, x-reason, content-type",
        "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE",
      });
    }
    if (made.json !== undefined) headers["Content-Type"] ??= "application/json";
    if (made.redirect) {
      headers.Location = made.redirect;
      const first = call.redirected ?? { at, query: made.query };
      redirected.set(tab + new URL(made.redirect, "http://local").pathname, first);
    }
    const body = made.json === undefined ? made.body : JSON.stringify(made.json);
    let written = false;
    const note = (aborted) => {
      if (written) return;
      written = true;
      const first = call.redirected;
      const entry = {
        at: first?.at ?? at, seen, until: now(), tab, reason: call.reason, method: call.method,
        query: first?.query ?? made.query ?? `${call.method} ${call.path}`, status: made.status,
        rows: call.shown.rows, bytes: Buffer.byteLength(body ?? ""),
      };
      if (aborted) entry.aborted = true;
      entry.failed = made.failed ?? (entry.status >= 400 || aborted || false);
      if (entry.failed) entry.rows = [];
      if (made.notModified) entry.notModified = true;
      if (made.deleted) entry.deleted = made.deleted;
      if (made.kind === "several") {
        for (const part of made.parts) truth[`${part.kind}s`].push({ ...entry, ...part });
      } else if (made.kind === "read" || made.kind === "write") {
        truth[`${made.kind}s`].push(entry);
      } else {
        truth.leftOut[made.kind] = (truth.leftOut[made.kind] ?? 0) + 1;
      }
    };
    if (isGivenUp) return note(true);
    response.on("finish", () => note(false));
    response.on("close", () => note(true));
    response.writeHead(made.status, headers);
    response.end(call.method === "HEAD" ? undefined : body);
  });
  if (upgrade) server.on("upgrade", upgrade);
  return server;
}

/** Listens on a free port, prints it, and writes the truth to the file named first when it ends. */
export async function run(world, ...servers) {
  const ports = [];
  for (const server of servers) {
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    ports.push(server.address().port);
  }
  world.ports = ports;
  console.log(ports.join(" "));
  process.on("SIGTERM", async () => {
    const { truth } = world;
    for (const list of ["reads", "writes", "events", "changes"]) {
      truth[list].sort((one, other) => one.at - other.at);
    }
    await writeFile(process.argv[2], JSON.stringify(truth, null, 1) + "\n");
    process.exit(0);
  });
}
