/**
 * Records for urql what its components ask: what the client's cache answers, too, and how long views are there.
 *
 *     const recorder = new Recorder("my-app");
 *     const client = new Client({ url, exchanges: [recordingExchange(recorder, tap), cacheExchange, fetchExchange] });
 *
 * It comes before the exchange that caches. `tap` is that of `wonka`, which `@urql/core` depends on.
 */
export function recordingExchange(recorder, tap) {
  const requests = new Map(); // by key of an operation: what waits for its result
  const views = new Map(); // by key: name and variables of what is on screen

  const nameOf = ({ query }) =>
    query.definitions.find((definition) => definition.kind === "OperationDefinition").name?.value ?? "unnamed";

  function begin(operation) {
    const { key, kind, variables, context } = operation;
    if (kind === "query") {
      const forced = context?.requestPolicy === "network-only";
      views.set(key, [nameOf(operation), variables]);
      requests.set(key, recorder.ask(nameOf(operation), variables, { forced }));
    } else if (kind === "mutation") {
      requests.set(key, recorder.write());
    } else if (kind === "teardown") {
      if (views.has(key)) recorder.leave(...views.get(key));
      views.delete(key);
      requests.delete(key);
    }
  }

  function end({ operation, data, error, stale }) {
    if (operation.kind === "subscription") return void (data && recorder.event(data, nameOf(operation)));
    const request = requests.get(operation.key), hit = operation.context?.meta?.cacheOutcome === "hit";
    // One that is stale is followed by another: the server's.
    if (!(stale && hit)) requests.delete(operation.key);
    if (!request) return;
    if (!data) request.fail(error?.networkError !== undefined && error.response === undefined);
    else if (operation.kind === "mutation") request.answer(data, nameOf(operation));
    else if (hit) request.shown(data);
    else request.answer(data, { hit: false });
  }

  return ({ forward }) => (operations) => tap(end)(forward(tap(begin)(operations)));
}
