// A user of orders and tasks who is told of changes: subscriptions, a feed, server-sent events.

import { call, finish, get, tab, wait } from "./session.js";

const id = (kind, number) => btoa(`${kind}:${number}`);
const tasks = `query Tasks($id: ID!) {
  project(id: $id) { __typename id name tasks(first: 4) { edges { node { __typename id title done } } } }
}`;
const one = "query OneTask($id: ID!) { task(id: $id) { __typename id title done estimate } }";

await get("/api/orders");
await call("POST", "/graphql", { body: { operationName: "Tasks", query: tasks, variables: { id: id("Project", 1) } } });

const socket = new WebSocket(`ws://${location.host}/graphql?tab=${tab}`, "graphql-transport-ws");
const send = (message) => socket.send(JSON.stringify(message));
socket.onopen = () => send({ type: "connection_init", payload: { token: "secret" } });
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "ping") send({ type: "pong" });
  if (message.type === "connection_ack") {
    send({ id: "1", type: "subscribe", payload: {
      operationName: "TaskChanged",
      query: "subscription TaskChanged { changed: taskChanged { __typename id title done assignee { __typename id name } } }",
    } });
  }
};
const feed = new WebSocket(`ws://${location.host}/feed?tab=${tab}`);
const stream = new EventSource(`/stream?tab=${tab}`);
stream.onmessage = () => {};

await wait(2000);
send({ id: "2", type: "subscribe", payload: { operationName: "OneTask", query: one, variables: { id: id("Task", 2) } } });
await wait(2500);
await get("/api/orders");
await get("/api/orders/1");
await wait(1300);
await call("POST", "/graphql", { body: { operationName: "Tasks", query: tasks, variables: { id: id("Project", 1) } } });
send({ id: "3", type: "subscribe", payload: { operationName: "OneTask", query: one, variables: { id: id("Task", 1) } } });
await wait(1000);
await call("PATCH", "/api/orders/3", { body: { state: "paid" } });
await get("/api/orders", "refetch");
await wait(2600);
await get("/api/orders");
await wait(1500);
await call("POST", "/graphql", { body: { operationName: "Tasks", query: tasks, variables: { id: id("Project", 1) } } });
send({ id: "1", type: "complete" });
await wait(300);
socket.close();
feed.close();
await wait(300);
finish();
