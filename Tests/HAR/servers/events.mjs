// Events: subscriptions and queries by graphql-transport-ws, a plain feed of JSON, server-sent events.

import { opaque, Schema } from "./schema.mjs";
import { Socket } from "./socket.mjs";
import { now, run, serve, Shown, wait, World } from "./truth.mjs";

const world = new World("events");
const schema = new Schema(world);
schema.fill();
for (let n = 1; n <= 6; n += 1) {
  world.add("order", n, { state: "new", total: 10 * n, note: "n".repeat(10 * n) });
}

const order = (shown, one) =>
  shown.object("order", one, { id: one.id }, { state: "state", total: "total", version: "version" });
/** Who listens: sockets with their subscriptions, plain sockets, and streams of events. */
const subscriptions = [];
const feeds = [];
const streams = [];

function tellTask(entity) {
  world.change(entity, { title: `${entity.values.title}!`, done: true });
  for (const one of subscriptions.filter((other) => other.socket.open && other.field === "taskChanged")) {
    const shown = new Shown();
    const state = { shown, variables: one.variables, fragments: {} };
    const data = { [one.alias]: schema.write({ entity }, one.fields, state) };
    one.socket.send({ id: one.id, type: "next", payload: { data } });
    world.event(shown, { tab: one.tab });
  }
}

function tellOrder(one, values) {
  world.change(one, values);
  for (const { socket, tab } of feeds.filter((other) => other.socket.open)) {
    const shown = new Shown();
    socket.send({ event: "order.updated", order: order(shown, one) });
    world.event(shown, { tab });
  }
}

function tellStreams(one, values) {
  world.change(one, values);
  for (const { response, tab } of streams) {
    const shown = new Shown();
    response.write(`event: order\ndata: ${JSON.stringify({ order: order(shown, one) })}\n\n`);
    world.event(shown, { tab, stream: true });
  }
}

const order_ = (n) => world.find("order", n);
const task_ = (n) => world.find("Task", opaque("Task", n));
const others = [
  [3000, () => tellTask(task_(1))],
  [3400, () => tellOrder(order_(1), { state: "paid" })],
  [4100, () => tellStreams(order_(2), { state: "paid" })],
  [4600, () => world.change(order_(3), { total: 99 })],
  [5200, () => tellOrder(order_(1), { state: "sent" })],
  [5900, () => tellTask(task_(5))],
  [6300, () => tellTask(task_(1))],
  [7500, () => tellStreams(order_(5), { state: "lost", total: 0 })],
  [8200, () => tellOrder(order_(4), { state: "paid" })],
  [9000, () => world.change(order_(6), { state: "paid" })],
];
let begun = false;
let ended = false;
async function begin() {
  begun = true;
  const start = now();
  for (const [at, change] of others) {
    await wait(at - (now() - start));
    change();
  }
  ended = true;
  for (const { response } of streams) response.end("retry: 100\n\n");
}

function upgrade(request, stream) {
  const url = new URL(request.url, "http://local");
  const tab = url.searchParams.get("tab");
  if (url.pathname === "/feed") {
    const socket = new Socket(request, stream, undefined, () => {});
    feeds.push({ socket, tab });
    const beats = setInterval(() => socket.open ? socket.send({ type: "heartbeat", at: now() }) : clearInterval(beats), 1500);
    socket.write(2, Buffer.from([1, 2, 3, 4]));
    socket.send("welcome");
    return;
  }
  new Socket(request, stream, "graphql-transport-ws", (text, socket) => {
    const message = JSON.parse(text);
    if (message.type === "connection_init") {
      socket.send({ type: "connection_ack", payload: { id: 7, name: "no entity" } });
      socket.send({ type: "ping" });
    } else if (message.type === "subscribe") {
      subscribe(message, socket, tab);
    } else if (message.type === "complete") {
      subscriptions.splice(0, subscriptions.length, ...subscriptions.filter((one) => one.id !== message.id));
    }
  });
}

function subscribe({ id, payload }, socket, tab) {
  const at = now();
  if (!/^\s*subscription/.test(payload.query)) {
    const part = schema.execute(payload);
    const { kind, query, rows, failed } = part;
    world.truth[`${kind}s`].push({
      at, seen: now(), until: now(), tab, reason: "user", method: "socket", query, status: 200, rows, failed,
    });
    socket.send({ id, type: "next", payload: part.answer });
    socket.send({ id, type: "complete" });
    return;
  }
  const operation = schema.parsed(payload.query);
  const field = operation.fields[0];
  subscriptions.push({
    id, socket, tab, alias: field.alias, field: field.name, fields: field.fields, variables: payload.variables ?? {},
  });
}

await run(world, serve(world, "events", (call) => {
  if (!begun) begin();
  if (call.path === "/api/orders") {
    return { query: "GET /api/orders", json: world.all("order").map((one) => order(call.shown, one)) };
  }
  const match = /^\/api\/orders\/(\d+)$/.exec(call.path);
  if (match && call.method === "GET") {
    return { query: `GET ${call.path}`, json: order(call.shown, order_(match[1])) };
  }
  if (match) {
    const one = order_(match[1]);
    tellOrder(one, call.body);
    return { kind: "write", query: `${call.method} ${call.path}`, json: order(call.shown, one) };
  }
  if (call.path === "/graphql") {
    const { kind, query, rows, failed, answer } = schema.execute(call.body, call.shown);
    return { kind: "several", parts: [{ kind, query, rows, failed }], json: answer };
  }
  if (call.path === "/stream") {
    // A browser that is told so does not ask again.
    if (ended) return { kind: "stream that is over", status: 204 };
    call.response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    call.response.write(": hello\n\n");
    streams.push({ response: call.response, tab: call.tab });
    return { taken: true };
  }
  return { kind: "unknown", status: 404, body: "" };
}, { upgrade }));
