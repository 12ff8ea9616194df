/**
 * Records for Apollo Client what reaches its link: queries, mutations and subscriptions, and how they ended.
 *
 *     const recorder = new Recorder("my-app");
 *     const link = ApolloLink.from([new ApolloLink(recording(recorder, Observable)), httpLink]);
 *
 * What the client's own cache answers reaches no link: record with `defaultOptions.watchQuery.fetchPolicy` at `network-only`.
 * `Observable` is that of `rxjs` for Apollo Client 4, and of `@apollo/client` for 3. A context of `{ forced: true }` marks what
 * the app asks whatever its cache holds.
 */
export const recording = (recorder, Observable) => (operation, forward) => {
  const { operationName, variables } = operation;
  const name = operationName || "unnamed";
  const kind = operation.operationType
    ?? operation.query.definitions.find((definition) => definition.kind === "OperationDefinition").operation;
  const source = forward(operation);
  return new Observable((observer) => {
    const request = kind === "query"
      ? recorder.ask(name, variables, { forced: operation.getContext().forced === true })
      : kind === "mutation" ? recorder.write() : undefined;
    let isOver = false;
    const note = (result) => {
      if (!request) {
        if (result.data) recorder.event(result.data, name);
      } else if (!isOver) {
        isOver = true;
        if (result.data) request.answer(result.data, kind === "mutation" ? name : undefined);
        else request.fail();
      }
    };
    const subscription = source.subscribe({
      next(result) {
        note(result);
        observer.next(result);
      },
      error(error) {
        // A server that answered with a status is there.
        if (!isOver) request?.fail(error?.statusCode === undefined);
        isOver = true;
        observer.error(error);
      },
      complete: () => observer.complete(),
    });
    return () => subscription.unsubscribe();
  });
};
