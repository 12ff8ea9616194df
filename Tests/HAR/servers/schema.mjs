// A GraphQL schema over a world: what a field of a type is, and the answer to an operation.

import { createHash } from "node:crypto";

import { parse, resolve, spread } from "./selection.mjs";
import { Shown } from "./truth.mjs";

export const opaque = (kind, number) => Buffer.from(`${kind}:${number}`).toString("base64");

export class Schema {
  constructor(world) {
    this.world = world;
    this.known = new Map();
    this.created = 900;
  }

  fill() {
    const { world } = this;
    const user = (n) => opaque("User", n);
    for (let n = 1; n <= 5; n += 1) world.add("User", user(n), { name: `person ${n}`, email: `p${n}@example.org` });
    for (let n = 1; n <= 8; n += 1) {
      world.add("Project", opaque("Project", n), {
        name: `project ${n}`, status: "open", description: "d".repeat(30 * n), owner: user((n % 5) + 1),
        tags: [`tag ${n}`, "all"],
      });
    }
    for (let n = 1; n <= 30; n += 1) {
      world.add("Task", opaque("Task", n), {
        title: `task ${n}`, done: false, project: opaque("Project", ((n - 1) % 3) + 1),
        assignee: user((n % 5) + 1), estimate: n,
      });
    }
    for (let n = 1; n <= 12; n += 1) {
      world.add("Comment", opaque("Comment", n), {
        text: `comment ${n}`, task: opaque("Task", ((n - 1) % 3) + 1), author: user((n % 5) + 1),
      });
    }
  }

  /** What is at a field: a value, an entity, a list of them, or an object without identity. */
  field(parent, name, given) {
    const { world } = this;
    const { kind, values } = parent.entity ?? { kind: parent.type };
    if (kind === "Query") return this.query(name, given);
    if (kind === "Mutation") return this.mutation(name, given);
    if (parent.object) return parent.object[name];
    if (name === "owner" || name === "assignee" || name === "author") {
      return { entity: world.find("User", values[name]) };
    }
    if (kind === "Project" && name === "tasks") {
      return this.connection(this.listed("Task", "project", parent.entity), given);
    }
    if (kind === "Task" && name === "comments") {
      return this.listed("Comment", "task", parent.entity).map((entity) => ({ entity }));
    }
    if (kind === "Task" && name === "project") return { entity: world.find("Project", values.project) };
    if (kind === "User" && name === "projects") {
      return world.all("Project").slice(0, given.first ?? 10).map((entity) => ({ entity }));
    }
    return { value: values[name] };
  }

  listed(kind, by, entity) {
    return this.world.all(kind).filter((one) => one.values[by] === entity.id);
  }

  connection(all, { first = 5, after }) {
    const from = after ? all.findIndex((one) => one.id === after) + 1 : 0;
    const page = all.slice(from, from + first);
    const edges = page.map((entity) => ({
      type: "TaskEdge", object: { cursor: { value: entity.id }, node: { entity } },
    }));
    const pageInfo = {
      hasNextPage: { value: from + first < all.length }, endCursor: { value: page.at(-1)?.id ?? null },
    };
    return {
      type: "TaskConnection",
      object: {
        edges, pageInfo: { type: "PageInfo", object: pageInfo }, totalCount: { value: all.length },
      },
    };
  }

  query(name, given) {
    const { world } = this;
    if (name === "viewer") return { entity: world.find("User", opaque("User", 1)) };
    if (name === "project") return { entity: world.find("Project", given.id) };
    if (name === "task") return { entity: world.find("Task", given.id) };
    if (name === "nodes") {
      return given.ids.map((id) => ({ entity: [...world.entities.values()].find((one) => one.id === id) }));
    }
    if (name === "search") {
      const found = [...world.all("Project"), ...world.all("Task")].filter(
        (one) => (one.values.name ?? one.values.title).endsWith(given.text));
      return found.map((entity) => ({ entity }));
    }
    throw new Error(`there is no field ${name}`);
  }

  mutation(name, given) {
    const { world } = this;
    if (name === "renameProject") {
      const entity = world.find("Project", given.id);
      world.change(entity, { name: given.name });
      return { type: "RenameProjectPayload", object: { project: { entity } } };
    }
    if (name === "completeTask") {
      const entity = world.find("Task", given.id);
      world.change(entity, { done: true });
      return { entity };
    }
    if (name === "addComment") {
      const entity = world.create("Comment", opaque("Comment", this.created++), {
        text: given.text, task: given.task, author: opaque("User", 1),
      });
      return { type: "AddCommentPayload", object: { comment: { entity } } };
    }
    if (name === "deleteTask") {
      world.remove(world.find("Task", given.id));
      return { type: "DeleteTaskPayload", object: { deletedTaskId: { value: given.id } } };
    }
    throw new Error(`there is no field ${name}`);
  }

  /** The object or value at a field, written into `shown` in the order of the answer. */
  write(found, fields, state) {
    if (Array.isArray(found)) return found.map((one) => this.write(one, fields, state));
    if (!fields) return found.value ?? null;
    if (found.object || found.type) {
      const object = {};
      for (const field of spread(fields, found.type, state.fragments)) {
        object[field.alias] = field.name === "__typename"
          ? found.type : this.below(found, field, state);
      }
      return object;
    }
    const { entity } = found;
    if (!entity) return null;
    const all = spread(fields, entity.kind, state.fragments);
    const identified = ["id", "__typename"].every((name) => all.some((field) => field.alias === name && field.name === name));
    const named = {};
    const order = [];
    for (const field of all) {
      if (field.name === "id" || field.name === "__typename") continue;
      named[field.alias] = field.fields || field.name === "tags"
        ? () => this.below(found, field, state) : field.name;
      order.push(field.alias);
    }
    const identity = {};
    for (const field of all) {
      if (field.name === "id") identity[field.alias] = entity.id;
      if (field.name === "__typename") identity[field.alias] = entity.kind;
    }
    const into = identified ? state.shown : new Shown();
    return into.object(entity.kind, entity, identity, named);
  }

  below(found, field, state) {
    const given = {};
    for (const [name, argument] of Object.entries(field.arguments)) {
      given[name] = resolve(argument, state.variables);
    }
    return this.write(this.field(found, field.name, given), field.fields, state);
  }

  /** The first operation of a text. */
  parsed(query) {
    return parse(query).operations[0];
  }

  /**
   * The answer to one request: `query` or a hash of it, `variables`, `operationName`. What is known
   * by its hash alone is remembered, as automatic persisted queries are.
   */
  execute({ query, variables = {}, operationName, extensions }, shown = new Shown()) {
    const hash = extensions?.persistedQuery?.sha256Hash;
    if (hash && query && createHash("sha256").update(query).digest("hex") === hash) this.known.set(hash, query);
    const text = query ?? this.known.get(hash);
    const part = { kind: "read", shown, rows: shown.rows, failed: false };
    if (text === undefined) {
      const error = { message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } };
      return { ...part, unknown: true, answer: { errors: [error] } };
    }
    const document = parse(text);
    const operation = operationName
      ? document.operations.find((one) => one.name === operationName) : document.operations[0];
    const name = operation.name || "unnamed";
    const sorted = Object.entries(variables).sort().map(([key, value]) => [key, value]);
    part.query = `${name} ${JSON.stringify(sorted)}`;
    part.kind = operation.type === "mutation" ? "write" : "read";
    part.type = operation.type;
    const root = { type: operation.type === "mutation" ? "Mutation" : "Query", object: undefined };
    const state = { shown, variables, fragments: document.fragments };
    try {
      const data = {};
      const errors = [];
      for (const field of spread(operation.fields, root.type, document.fragments)) {
        if (field.name === "broken") {
          data[field.alias] = null;
          errors.push({ message: "this field is broken", path: [field.alias] });
        } else if (field.name === "__typename") {
          data[field.alias] = root.type;
        } else {
          data[field.alias] = this.below(root, field, state);
        }
      }
      part.answer = errors.length ? { errors, data } : { data };
    } catch (error) {
      part.failed = true;
      shown.rows.length = 0;
      part.answer = { errors: [{ message: error.message }] };
    }
    return part;
  }
}
