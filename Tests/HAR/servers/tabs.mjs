// Several tabs, reloads, answers that overlap and overtake each other, an API of another origin with
// preflights, requests that are given up.

import { now, run, serve, wait, World } from "./truth.mjs";

const world = new World("tabs");
for (let n = 1; n <= 12; n += 1) world.add("note", n, { title: `note ${n}`, text: "t".repeat(25 * n), rev: 1 });
for (let n = 1; n <= 3; n += 1) world.add("folder", n, { name: `folder ${n}` });

const note = (shown, one, fields = ["title", "text", "rev"]) =>
  shown.object("note", one, { _id: one.id }, fields);

const folder = (shown, one) =>
  shown.object("folder", one, { _id: one.id }, {
    name: "name",
    notes: () => world.all("note").filter((other) => Number(other.id) % 3 === Number(one.id) % 3)
      .map((other) => note(shown, other, ["title", "rev"])),
  });

const edit = (one, values) => world.change(one, { ...values, rev: one.version + 1 });

/** What others change, in milliseconds from the first request: some of it while an answer is held. */
const others = [
  [1300, () => edit(world.find("note", 1), { title: "note 1, by another" })],
  [2600, () => edit(world.find("note", 2), { text: "short" })],
  [4300, () => edit(world.find("note", 1), { title: "note 1, again" })],
  [6500, () => world.change(world.find("folder", 1), { name: "folder 1, renamed" })],
  [8500, () => edit(world.find("note", 4), { text: "also short" })],
  [10500, () => edit(world.find("note", 6), { title: "note 6, by another" })],
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

const api = serve(world, "tabs", (call) => {
  if (!begun) begin();
  if (call.method === "OPTIONS") return { kind: "preflights", status: 204, headers: { "Access-Control-Max-Age": "0" } };
  const delay = Number(call.parameters.get("hold") ?? 0);
  const query = `${call.method} ${call.path}${delay ? `?hold=${delay}` : ""}`;
  const [, kind, id] = /^\/v1\/(notes|folders)(?:\/(\d+))?$/.exec(call.path) ?? [];
  if (!kind) return { kind: "unknown", status: 404, body: "" };
  const one = id && world.find(kind.slice(0, -1), id);
  if (call.method === "PATCH") {
    edit(one, call.body);
    return { kind: "write", query, delay, json: note(call.shown, one) };
  }
  if (kind === "folders") {
    const json = id ? folder(call.shown, one)
      : { folders: world.all("folder").map((other) => call.shown.object("folder", other, { _id: other.id }, ["name"])) };
    return { query, delay, json };
  }
  const json = id ? note(call.shown, one)
    : { results: world.all("note").map((other) => note(call.shown, other, ["title", "rev"])) };
  return { query, delay, json };
}, { origin: true });

const pages = serve(world, "tabs", (call) =>
  call.path === "/origin" ? { kind: "configuration", json: { api: `http://127.0.0.1:${world.ports[1]}` } }
    : { kind: "unknown", status: 404, body: "" });

await run(world, pages, api);
