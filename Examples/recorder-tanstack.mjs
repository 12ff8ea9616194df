/**
 * Records for TanStack Query what its functions ask a server.
 *
 *     const recorder = new Recorder("my-app");
 *     useQuery({ queryKey: ["todos", { done }], queryFn: recorded(recorder, fetchTodos) });
 *     useMutation({ mutationFn: recordedWrite(recorder, addTodo) });
 *
 * What the client's own cache answers calls no function: record with `staleTime: 0`, the client's default, so that each view
 * asks when it appears. The first text of a key is the query's name, the rest its variables.
 */
export const recorded = (recorder, queryFn) => async (context) => {
  const [name, ...variables] = [context.queryKey].flat();
  const page = context.pageParam === undefined ? [] : [context.pageParam];
  const forced = context.meta?.forced === true;
  const request = recorder.ask(`${name}`, [...variables, ...page], { forced });
  try {
    const data = await queryFn(context);
    request.answer(data);
    return data;
  } catch (error) {
    // `fetch` rejects with a TypeError where there is no connection.
    request.fail(error instanceof TypeError);
    throw error;
  }
};

/** The same of a function that changes something; `name` is the property or the list that its answer belongs to. */
export const recordedWrite = (recorder, mutationFn, name = "write") => async (variables, ...more) => {
  const request = recorder.write();
  try {
    const data = await mutationFn(variables, ...more);
    request.answer(data ?? null, name);
    return data;
  } catch (error) {
    request.fail();
    throw error;
  }
};
