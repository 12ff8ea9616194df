// GraphQL: POST and GET, batches, persisted queries, aliases, fragments, errors with and without data.

import { opaque, Schema } from "./schema.mjs";
import { now, run, serve, wait, World } from "./truth.mjs";

const world = new World("graphql");
const schema = new Schema(world);
schema.fill();
const others = [
  [2100, () => world.change(world.find("Project", opaque("Project", 1)), { status: "paused" })],
  [3600, () => world.change(world.find("User", opaque("User", 2)), { name: "person 2, renamed" })],
  [5500, () => world.change(world.find("Task", opaque("Task", 4)), { title: "task 4, by another" })],
  [8800, () => world.change(world.find("Project", opaque("Project", 2)), { description: "short now" })],
  [11000, () => world.create("Comment", opaque("Comment", 500), {
    text: "by another", task: opaque("Task", 1), author: opaque("User", 3),
  })],
];
let begun = false;
async function begin() {
  begun = true;
  const start = now();
  for (const [at, change] of others) {
    await wait(at - (now() - start));
    change();
  }
}

const asked = new Map();

await run(world, serve(world, "graphql", (call) => {
  if (call.path !== "/graphql") return { kind: "unknown", status: 404, body: "" };
  if (!begun) begin();
  let body = call.body;
  if (call.method === "GET") {
    body = {};
    for (const name of ["query", "operationName"]) body[name] = call.parameters.get(name) ?? undefined;
    for (const name of ["variables", "extensions"]) {
      body[name] = call.parameters.has(name) ? JSON.parse(call.parameters.get(name)) : undefined;
    }
  }
  if (Array.isArray(body)) {
    const parts = body.map((one) => schema.execute(one));
    return { kind: "several", parts: parts.map(kept), json: parts.map((part) => part.answer) };
  }
  if (body.operationName === "Refused") return { query: "Refused []", status: 400, json: { errors: [{ message: "refused" }] } };
  const part = schema.execute(body, call.shown);
  const hash = body.extensions?.persistedQuery?.sha256Hash;
  if (part.unknown) {
    asked.set(call.tab + hash, call.at);
    return { kind: "persisted query not found", json: part.answer };
  }
  const first = asked.get(call.tab + hash);
  asked.delete(call.tab + hash);
  const single = { ...kept(part), ...(first ? { at: first } : {}) };
  return { kind: "several", parts: [single], json: part.answer, delay: part.query.startsWith("Slow") ? 400 : 0 };
}));

function kept({ kind, query, rows, failed }) {
  return { kind, query, rows, failed };
}
