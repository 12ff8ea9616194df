// REST: lists in pages, edits, failures, redirects, entity tags, a poll, HEAD, JSON:API.

import { now, run, serve, wait, World } from "./truth.mjs";

const world = new World("rest");
for (let n = 1; n <= 6; n += 1) {
  world.add("user", n, { name: `user ${n}`, email: `user${n}@example.org`, bio: "b".repeat(50 * n) });
}
for (let n = 1; n <= 23; n += 1) {
  world.add("project", n, {
    name: `project ${n}`, status: n % 3 ? "open" : "done", description: "d".repeat(20 * n),
    owner: (n % 6) + 1, updatedAt: new Date(1.75e12 + n * 1e6).toISOString(),
  });
}
for (let n = 1; n <= 40; n += 1) {
  world.add("task", 1000 + n, {
    title: `task ${n}`, done: false, project: ((n - 1) % 4) + 1, assignee: (n % 6) + 1,
  });
}
for (let n = 1; n <= 4; n += 1) {
  world.add("article", `a-${n}`, { title: `article ${n}`, author: (n % 2) + 1 });
}
world.add("setting", 1, { theme: "dark" });
for (let n = 1; n <= 3; n += 1) world.add("notice", n, { text: `notice ${n}`, seen: false });

const person = (shown, as, id) => {
  const user = world.find("user", id);
  return shown.object(as, user, { id: user.id }, ["name"]);
};

const projectRow = (shown, project) =>
  shown.object("project", project, { id: project.id }, {
    name: "name", status: "status", updatedAt: "updatedAt",
    owner: () => person(shown, "owner", project.values.owner),
  });

const wholeProject = (shown, project) =>
  shown.object("project", project, { id: project.id }, {
    name: "name", status: "status", description: "description", updatedAt: "updatedAt",
    owner: () => person(shown, "owner", project.values.owner),
  });

const task = (shown, entity) =>
  shown.object("task", entity, { id: entity.id }, {
    title: "title", done: "done", version: "version", project_id: "project",
    assignee: () => person(shown, "assignee", entity.values.assignee),
  });

const edit = (entity, values) =>
  world.change(entity, entity.kind === "project"
    ? { ...values, updatedAt: new Date(now()).toISOString() } : values);

function parametersOf(call) {
  const pairs = [...call.parameters].filter(([name]) => name !== "_" && name !== "tab").sort();
  return pairs.length ? `?${pairs.map((pair) => pair.join("=")).join("&")}` : "";
}

let failures = 2;
let nextTask = 2000;

/** The routes, first match wins: a method, a pattern, and the answer. */
const routes = [
  ["GET", /^\/api\/projects$/, (call) => {
    const page = Number(call.parameters.get("page") ?? 1);
    const per = Number(call.parameters.get("per") ?? 10);
    const all = world.all("project").filter(
      (one) => !call.parameters.get("status") || one.values.status === call.parameters.get("status"));
    const items = all.slice((page - 1) * per, page * per);
    return { json: { items: items.map((one) => projectRow(call.shown, one)), page, total: all.length } };
  }],
  ["HEAD", /^\/api\/projects$/, () => ({ json: {} })],
  ["GET", /^\/api\/projects\/latest$/, () => ({ kind: "redirect", status: 302, redirect: "/api/projects/7" })],
  ["GET", /^\/api\/projects\/(\d+)$/, (call, id) => {
    const project = world.find("project", id);
    if (!project) return { status: 404, json: { error: "there is no such project" } };
    return { json: wholeProject(call.shown, project) };
  }],
  ["PUT", /^\/api\/projects\/(\d+)$/, (call, id) => {
    const project = world.find("project", id);
    edit(project, call.body);
    return { kind: "write", json: wholeProject(call.shown, project) };
  }],
  ["GET", /^\/api\/projects\/(\d+)\/tasks$/, (call, id) => {
    const all = world.all("task").filter((one) => one.values.project === Number(id));
    const offset = Number(call.parameters.get("offset") ?? 0);
    return { json: all.slice(offset, offset + 5).map((one) => task(call.shown, one)) };
  }],
  ["POST", /^\/api\/projects\/(\d+)\/tasks$/, (call, id) => {
    const values = { title: call.body.title, done: false, project: Number(id), assignee: 1 };
    const made = world.create("task", nextTask++, values);
    return { kind: "write", status: 201, json: task(call.shown, made) };
  }],
  ["PATCH", /^\/api\/tasks\/(\d+)$/, (call, id) => {
    if (call.body.title === "refused") return { kind: "write", status: 409, json: { error: "refused" } };
    const entity = world.find("task", id);
    edit(entity, call.body);
    return { kind: "write", json: task(call.shown, entity) };
  }],
  ["GET", /^\/api\/tasks\/(\d+)$/, (call, id) => ({ json: task(call.shown, world.find("task", id)) })],
  ["DELETE", /^\/api\/tasks\/(\d+)$/, (call, id) => {
    world.remove(world.find("task", id));
    return { kind: "write", status: 204, deleted: [`task/${id}`] };
  }],
  ["POST", /^\/api\/tasks\/(\d+)\/complete$/, (call, id) => {
    edit(world.find("task", id), { done: true });
    return { kind: "write", json: { ok: true } };
  }],
  ["GET", /^\/api\/users\/(\d+)$/, (call, id) => {
    const user = world.find("user", id);
    return { json: call.shown.object("user", user, { id: user.id }, ["name", "email", "bio"]) };
  }],
  ["GET", /^\/api\/me$/, (call) => {
    const user = world.find("user", 1);
    const tag = `"${user.version}"`;
    const json = { user: call.shown.object("user", user, { id: 1 }, ["name", "email"]) };
    const headers = { ETag: tag, "Cache-Control": "no-cache" };
    if (call.request.headers["if-none-match"] !== tag) return { json, headers };
    return { status: 304, headers, notModified: true };
  }],
  ["GET", /^\/api\/notices$/, (call) => {
    const notices = world.all("notice").map((one) =>
      call.shown.object("notice", one, { id: one.id }, ["text", "seen"]));
    return { json: { notices } };
  }],
  ["GET", /^\/api\/flaky$/, (call) => {
    if (failures-- > 0) return { status: 500, json: { error: "try again" } };
    return { json: { users: [person(call.shown, "user", 2), person(call.shown, "user", 3)] } };
  }],
  ["GET", /^\/api\/articles$/, (call) => {
    const articles = world.all("article");
    const data = articles.map((one) => ({
      ...call.shown.object("articles", one, { type: "articles", id: one.id }, {}),
      attributes: attributes(call.shown, "articles", one, ["title"]),
      relationships: { author: { data: { type: "people", id: String(one.values.author) } } },
    }));
    const included = [1, 2].map((id) => {
      const user = world.find("user", id);
      return {
        ...call.shown.object("people", user, { type: "people", id: String(id) }, {}),
        attributes: attributes(call.shown, "people", user, ["name"]),
      };
    });
    return { json: { data, included } };
  }],
  ["GET", /^\/api\/loop\/(a|b)$/, (call, end) => ({
    kind: call.redirected ? "redirect" : "read", failed: true, status: 302,
    redirect: `/api/loop/${end === "a" ? "b" : "a"}`,
  })],
  ["GET", /^\/api\/settings$/, (call) => {
    const settings = world.find("setting", 1);
    const json = { settings: [call.shown.object("setting", settings, { id: 1 }, ["theme"])] };
    return { json, headers: { "Cache-Control": "max-age=600" } };
  }],
  // A read that the browser's cache served, of which only the page knows.
  ["POST", /^\/cached$/, (call) => {
    const { query, at } = JSON.parse(call.text);
    const same = world.truth.reads.findLast((read) => read.query === query);
    world.truth.reads.push({ ...same, at, seen: same.seen, until: at, reason: "user", cached: true });
    return { kind: "beacon", status: 204 };
  }],
  ["POST", /^\/beacon$/, () => ({ kind: "beacon", status: 204 })],
];

function attributes(shown, as, entity, fields) {
  const { id, ...values } = shown.object(as, entity, { id: entity.id }, fields);
  return values;
}

/** What other people do meanwhile: milliseconds from the first request, and the change. */
const others = [
  [2500, () => edit(world.find("task", 1002), { title: "task 2, by another" })],
  [4000, () => edit(world.find("project", 3), { name: "project 3, by another" })],
  [5200, () => world.create("notice", 4, { text: "notice 4", seen: false })],
  [8300, () => edit(world.find("user", 2), { name: "user 2, renamed" })],
  [9000, () => edit(world.find("project", 7), { status: "done" })],
  [11200, () => edit(world.find("notice", 4), { seen: true })],
  [14000, () => edit(world.find("user", 1), { email: "new@example.org" })],
  [15500, () => world.remove(world.find("notice", 1))],
  [17000, () => edit(world.find("project", 12), { name: "project 12, by another" })],
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

await run(world, serve(world, "rest", (call) => {
  if (!begun) begin();
  for (const [method, pattern, make] of routes) {
    const match = call.method === method && pattern.exec(call.path);
    if (match) return { query: `${method} ${call.path}${parametersOf(call)}`, ...make(call, ...match.slice(1)) };
  }
  return { kind: "unknown", status: 404, body: "" };
}));
