// A user of the GraphQL server: a dashboard, projects and tasks in pages, mutations, a batch,
// persisted queries.

import { call, finish, wait } from "./session.js";

const id = (kind, number) => btoa(`${kind}:${number}`);

const dashboard = `query Dashboard($first: Int) {
  viewer { __typename id name projects(first: $first) { ...row owner { __typename id name } } }
}
fragment row on Project { __typename id name status }`;
const page = `query ProjectPage($id: ID!, $after: String) {
  project(id: $id) {
    __typename id name description
    tasks(first: 4, after: $after) {
      totalCount
      edges { cursor node { __typename id title done assignee { __typename id name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;
const task = `query TaskPage($id: ID!) {
  task(id: $id) {
    __typename id title done estimate
    project { __typename id label: name }
    comments { __typename id text author { __typename id name email } }
  }
}`;
const two = `query Two($a: ID!, $b: ID!) {
  first: project(id: $a) { __typename id name tags }
  second: project(id: $b) { __typename id name status owner { __typename id } }
}`;
const bare = "query Bare($id: ID!) { project(id: $id) { __typename ident: id name } }";
const search = `query Search($text: String!) {
  search(text: $text) { __typename ... on Project { id name } ... on Task { id title } }
}`;

const post = (query, variables, operationName, reason) =>
  call("POST", "/graphql", { body: { operationName, query, variables }, reason });

async function hashed(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** By its hash with GET; and if the server does not know it, again with its text. */
async function persisted(query, operationName, variables, reason) {
  const extensions = { persistedQuery: { version: 1, sha256Hash: await hashed(query) } };
  const parameters = new URLSearchParams({
    operationName, variables: JSON.stringify(variables), extensions: JSON.stringify(extensions),
  });
  const answer = await call("GET", `/graphql?${parameters}`, { reason });
  if (answer?.errors?.[0].message !== "PersistedQueryNotFound") return answer;
  return call("POST", "/graphql", {
    body: { operationName, variables, extensions, query }, reason,
  });
}

await post(dashboard, { first: 3 }, "Dashboard");
await wait(800);
await post(page, { id: id("Project", 1), after: null }, "ProjectPage");
await post(page, { id: id("Project", 1), after: id("Task", 10) }, "ProjectPage");
await wait(1700);
await post(two, { a: id("Project", 1), b: id("Project", 2) }, "Two");
await wait(600);
await post(two, { b: id("Project", 2), a: id("Project", 1) }, "Two");
await wait(900);
await post(dashboard, { first: 3 }, "Dashboard");
await post("{ viewer { __typename id name email } }", undefined, undefined);
await wait(700);
await persisted(task, "TaskPage", { id: id("Task", 1) });
await persisted(task, "TaskPage", { id: id("Task", 4) });
await wait(1600);
await persisted(task, "TaskPage", { id: id("Task", 4) });
await post(bare, { id: id("Project", 4) }, "Bare");
await wait(500);
await post(
  `mutation RenameProject($id: ID!, $name: String!) {
    renameProject(id: $id, name: $name) { project { __typename id name } }
  }`, { id: id("Project", 3), name: "renamed here" }, "RenameProject");
await post(dashboard, { first: 3 }, "Dashboard", "refetch");
await wait(2500);
await call("POST", "/graphql", { body: [
  { operationName: "ProjectPage", query: page, variables: { id: id("Project", 2), after: null } },
  { operationName: "Search", query: search, variables: { text: " 3" } },
  { operationName: "CompleteTask", query: "mutation CompleteTask($id: ID!) { completeTask(id: $id) { __typename id done } }", variables: { id: id("Task", 2) } },
] });
await wait(2600);
await post(page, { id: id("Project", 2), after: null }, "ProjectPage");
await post("query Broken { viewer { __typename id name } broken }", {}, "Broken");
await post("query Missing { missing { __typename id } }", {}, "Missing");
await post("query Refused { viewer { __typename id } }", {}, "Refused");
await wait(400);
await post(
  "mutation AddComment($task: ID!, $text: String!) { addComment(task: $task, text: $text) { comment { __typename id text author { __typename id name } } } }",
  { task: id("Task", 1), text: "here" }, "AddComment");
await persisted(task, "TaskPage", { id: id("Task", 1) }, "refetch");
await post("mutation DeleteTask($id: ID!) { deleteTask(id: $id) { deletedTaskId } }", { id: id("Task", 7) }, "DeleteTask");
await wait(2300);
await post(page, { id: id("Project", 1), after: null }, "ProjectPage");
await post(search, { text: " 3" }, "Search");
await wait(500);
finish();
