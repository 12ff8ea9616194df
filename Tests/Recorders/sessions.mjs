/**
 * Prints a session as `Examples/recorder.mjs` records it, behind the client that is named: `node sessions.mjs apollo`.
 *
 * The clients' packages are not here. Each stand-in calls what is recorded as the client itself does in its published tests:
 *
 * - Apollo Client: `apollographql/apollo-client`, `src/link/core/__tests__/ApolloLink.ts`: a link is a function of an
 *   operation (`query`, `operationName`, `variables`, `getContext()`) and `forward`, which gives an observable.
 * - urql: `urql-graphql/urql`, `packages/core/src/exchanges/map.test.ts` and `cache.test.ts`: an exchange is a function of
 *   `{ forward, client, dispatchDebug }`, then of a source of operations (`key`, `kind`, `variables`, `context`); what the
 *   cache answered has `context.meta.cacheOutcome`.
 * - TanStack Query: `TanStack/query`, `packages/query-core/src/__tests__/query.test.tsx`, "should provide context to
 *   queryFn": a query function is called with `queryKey`, `signal`, `client` and, of infinite queries, `pageParam`.
 */
import { recording } from "../../Examples/recorder-apollo.mjs";
import { recorded, recordedWrite } from "../../Examples/recorder-tanstack.mjs";
import { recordingExchange } from "../../Examples/recorder-urql.mjs";
import { Recorder } from "../../Examples/recorder.mjs";

/** A clock that the session turns, in milliseconds. */
let milliseconds = 0;
const now = () => milliseconds;
const wait = (seconds) => { milliseconds += 1000 * seconds; };

/** The server: a room of a chat, and what is said there. Each text is a secret. */
const message = (id, text = `secret ${id}`) => ({ __typename: "Message", id: `secret-${id}`, text });
const room = (...messages) => ({ room: { __typename: "Room", id: "secret-garden", messages } });
const document = (operation, name) =>
  ({ kind: "Document", definitions: [{ kind: "OperationDefinition", operation, name: { kind: "Name", value: name } }] });

/**
 * What happens, whatever the client: the room is shown, a message is told, the room is left and shown again, a message is
 * edited, the room is asked for after that, and at last there is no server.
 */
const story = {
  first: room(message(1), message(2)),
  told: { said: message(3) },
  again: room(message(1), message(2), message(3)),
  edited: { edit: message(2, "secret edit") },
  after: room(message(1), message(2, "secret edit"), message(3)),
};

/** The least of an observable: what its subscribers are told is decided when they come. */
class Observable {
  constructor(subscriber) { this.subscriber = subscriber; }
  subscribe(observer) {
    this.subscriber(observer);
    return { unsubscribe() {} };
  }
}

function apollo(recorder) {
  const link = recording(recorder, Observable);
  const operation = (kind, operationName, variables = {}) =>
    ({ query: document(kind, operationName), operationName, variables, extensions: {}, setContext() {}, getContext: () => ({}) });
  function request(operation, ...results) {
    const seen = [];
    const forward = (forwarded) => new Observable((observer) => {
      if (forwarded !== operation) throw new Error("another operation was forwarded");
      wait(0.05);
      for (const result of results) {
        if (result instanceof Error) return observer.error(result);
        observer.next(result);
      }
      observer.complete();
    });
    link(operation, forward).subscribe({ next: (result) => seen.push(result), error: (error) => seen.push(error), complete() {} });
    if (seen.some((result, place) => result !== results[place])) throw new Error("a result was changed");
  }
  const ask = () => operation("query", "Thread", { room: "secret-garden" });
  request(ask(), { data: story.first });
  wait(10);
  request(operation("subscription", "Said"), { data: story.told });
  wait(40);
  request(ask(), { data: story.again });
  wait(5);
  request(operation("mutation", "Edit", { text: "secret edit" }), { data: story.edited });
  wait(1);
  request(ask(), { data: story.after });
  wait(60);
  request(ask(), new Error("secret: offline"));
}

function urql(recorder) {
  const tap = (note) => (source) => (sink) => source((value) => { note(value); sink(value); });
  let emit, push;
  const forward = (operations) => (sink) => {
    push = sink;
    operations(() => {});
  };
  const seen = [];
  recordingExchange(recorder, tap)({ forward, client: {}, dispatchDebug: () => null })((sink) => { emit = sink; })((result) => seen.push(result));
  const context = { url: "secret", requestPolicy: "cache-first" };
  const thread = { key: 2, kind: "query", query: document("query", "Thread"), variables: { room: "secret-garden" }, context };
  const result = (operation, members, cacheOutcome = "miss") => push({
    operation: { ...operation, context: { ...operation.context, meta: { cacheOutcome } } }, stale: false, hasNext: false, ...members,
  });
  emit(thread);
  wait(0.05);
  result(thread, { data: story.first });
  wait(10);
  const said = { key: 3, kind: "subscription", query: document("subscription", "Said"), variables: {}, context };
  emit(said);
  result(said, { data: story.told });
  wait(10);
  emit({ ...thread, kind: "teardown" });
  wait(30);
  emit(thread);
  result(thread, { data: story.again }, "hit");
  wait(5);
  const edit = { key: 4, kind: "mutation", query: document("mutation", "Edit"), variables: {}, context };
  emit(edit);
  wait(0.05);
  result(edit, { data: story.edited });
  wait(1);
  const anew = { ...thread, context: { ...context, requestPolicy: "network-only" } };
  emit(anew);
  wait(0.05);
  result(anew, { data: story.after });
  wait(60);
  emit(anew);
  wait(0.05);
  result(anew, { data: undefined, error: { networkError: new Error("secret: offline") } });
  if (seen.length !== 6) throw new Error(`${seen.length} results came through`);
}

async function tanstack(recorder) {
  const ask = async (data) => {
    const queryFn = async ({ queryKey, signal }) => {
      if (queryKey[1].room !== "secret-garden" || !signal) throw new Error("another context was given");
      wait(0.05);
      if (data instanceof Error) throw data;
      return data;
    };
    const context = { client: {}, queryKey: ["Thread", { room: "secret-garden" }], signal: new AbortController().signal, meta: undefined };
    const given = await recorded(recorder, queryFn)(context).catch((error) => error);
    if (given !== data) throw new Error("a result was changed");
  };
  await ask(story.first);
  wait(10);
  recorder.event(story.told);
  wait(40);
  await ask(story.again);
  wait(5);
  await recordedWrite(recorder, async () => { wait(0.05); return story.edited; })({ text: "secret edit" });
  wait(1);
  await ask(story.after);
  wait(60);
  await ask(new TypeError("secret: offline"));
}

/** By hand, as an app without any of these does. */
function plain(recorder) {
  const message = (id, version = 1) => ({ id, text: `secret ${version}` });
  const first = [message(0), message(1), message(2)];
  recorder.ask("thread", { room: "garden" }).answer(first, { hit: false });
  wait(1);
  recorder.event(message(3), "thread");
  wait(1);
  recorder.leave("thread", { room: "garden" });
  wait(1);
  recorder.ask("thread", { room: "garden" }, { view: false }).shown([message(3), ...first]);
  wait(1);
  recorder.deleted("thread", 0);
  wait(1);
  recorder.ask("thread", { room: "garden" }, { view: false }).shown([message(3), message(1), message(2)]);
}

/** Names that people gave, where names of code stand as well. */
function names(recorder) {
  const of = (id) => ({ id, text: "secret" });
  recorder.ask("secret@example.com", { a: "secret" }).answer({ people: { "secret-anna": of(1), secretbob: of(2) } });
  recorder.ask("teams").answer({ members: { secretcarol: of(3) } });
  recorder.ask("secret 12345").answer([{ id: "secret", __typename: "secret type" }]);
}

const sessions = { apollo, urql, tanstack, plain, names };
const [name, form] = process.argv.slice(2);
if (form === "lines") {
  const recorder = new Recorder("appended", {
    now, types: ["Room", "Message"], queries: ["Thread"], onLine: (line) => process.stdout.write(line),
  });
  await sessions[name](recorder);
  recorder.close();
} else {
  const recorder = new Recorder(`recorded-${name}`, { now, ...(form === "few" && { mostLines: 12 }) });
  await sessions[name](recorder);
  process.stdout.write(recorder.text());
}
