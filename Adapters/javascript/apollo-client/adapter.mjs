/**
 * Apollo Client for `bridge.mjs`: `@apollo/client` with `InMemoryCache`, without React.
 *
 * Queries are `cache-first`, the client's own default: a view is a `watchQuery`, a read without one a `query`. Entities are
 * normalized by their number, the later of two versions stays, and an entity that a list brought answers `open`. The client
 * knows no events: by `--events`, the adapter patches each list with `writeQuery`, evicts it from the cache, upon which views
 * ask again, or ignores what the server tells.
 */
import { ApolloClient, ApolloLink, gql, InMemoryCache } from "@apollo/client";
import { from } from "rxjs";
import { EventStream } from "../event-stream.mjs";
import { installedVersion } from "../installed-version.mjs";
import { NormalizedLists } from "../normalized-lists.mjs";

export const name = "@apollo/client";
export const version = installedVersion(name, import.meta);

const order = 3; // its place in a row
const row = "{ __typename object row }";
const ofList = gql`query List($q: Int!) { list(q: $q) { __typename q more rows ${row} } }`;
const ofEntity = gql`query Entity($object: Int!) { entity(object: $object) ${row} }`;
const request = (target) => ({ query: target.q === undefined ? ofEntity : ofList, variables: target });

const entity = (row) => ({ __typename: "Row", object: row[0], row });

/** A list, as the answer of a query and back. */
function data({ q }, { rows, more }) {
  if (q === undefined) return { entity: rows.length === 0 ? null : entity(rows[0]) };
  return { list: { __typename: "List", q, more, rows: rows.map(entity) } };
}
function list({ q }, data) {
  if (q === undefined) return { rows: data.entity ? [data.entity.row] : [], more: false };
  return { rows: data.list.rows.map(({ row }) => row), more: data.list.more };
}

export default function (harness, { events }) {
  const cache = new InMemoryCache({
    typePolicies: {
      Row: {
        keyFields: ["object"],
        // Of two answers with one entity the older may come last.
        fields: { row: { merge: (known, row) => (known !== undefined && row[order] < known[order] ? known : row) } },
      },
      List: { keyFields: ["q"] },
      Query: {
        fields: {
          list: { keyArgs: ["q"] },
          // An entity that some list brought is there.
          entity: {
            read: (known, { args, toReference, canRead }) => {
              const brought = toReference({ __typename: "Row", object: args.object });
              return known === undefined && canRead(brought) ? brought : known;
            },
          },
        },
      },
    },
  });
  const client = new ApolloClient({
    cache,
    link: new ApolloLink(({ variables: target }) =>
      from(stream.fetch(target).then((list) => ({ data: data(target, lists.put(target, list)) })))),
  });
  const lists = new NormalizedLists();
  const views = new Map(); // by query: the subscriptions of its views

  const stream = new EventStream(harness, {
    together: (work) => cache.batch({ update: work }),
    kept: () => lists.all(),
    write: (target, list) => cache.writeQuery({ ...request(target), data: data(target, lists.put(target, list)) }),
    askAgain(target) {
      lists.remove(target);
      const field = target.q === undefined ? "entity" : "list";
      cache.evict({ id: "ROOT_QUERY", fieldName: field, args: target });
      if (target.q === undefined) cache.evict({ id: cache.identify({ __typename: "Row", ...target }) });
    },
  }, events);

  function ask(target) {
    return client.query(request(target)).then(
      ({ data }) => list(target, data).rows,
      (error) => { throw error.cause ?? error; });
  }

  return {
    read: (q) => ask({ q }),
    open: (object) => ask({ object }),
    observe(q) {
      const target = { q };
      return new Promise((resolve, reject) => {
        let shown;
        const view = client.watchQuery(request(target)).subscribe(({ data, error, dataState }) => {
          if (error) return reject(error);
          if (dataState !== "complete") return;
          const { rows } = list(target, data);
          if (shown === undefined) resolve(rows);
          else harness.notify(q, rows);
          shown = rows;
        });
        views.set(q, [...(views.get(q) ?? []), view]);
      });
    },
    unobserve(q) {
      for (const view of views.get(q) ?? []) view.unsubscribe();
      views.delete(q);
    },
    event: (line) => stream.event(line),
    heartbeat: (place) => stream.heartbeat(place),
  };
}
