/**
 * Graphcache for `bridge.mjs`: `@urql/core` with the normalized cache of `@urql/exchange-graphcache`.
 *
 * Queries are `cache-first`, the client's own default. Entities are normalized by their number, and an entity that a list
 * brought answers `open`. Events reach the cache as the results of a subscription whose updater, by `--events`, patches each
 * list with `updateQuery`, or invalidates it, upon which views ask again; or they are ignored.
 */
import { Client, gql, makeErrorResult, makeResult } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { filter, fromPromise, makeSubject, map, merge, mergeMap, pipe, share, subscribe, takeUntil } from "wonka";
import { EventStream } from "../event-stream.mjs";
import { installedVersion } from "../installed-version.mjs";
import { NormalizedLists } from "../normalized-lists.mjs";

export const name = "@urql/exchange-graphcache";
export const version = installedVersion(name, import.meta);

const row = "{ __typename object row }";
const ofList = gql`query List($q: Int!) { list(q: $q) { __typename q more rows ${row} } }`;
const ofEntity = gql`query Entity($object: Int!) { entity(object: $object) ${row} }`;
const ofChanges = gql`subscription Changes { changes }`;
const document = (target) => (target.q === undefined ? ofEntity : ofList);

const entity = (row) => ({ __typename: "Row", object: row[0], row });

/** A list, as the answer of a query and back. */
function data({ q }, { rows, more }) {
  if (q === undefined) return { __typename: "Query", entity: rows.length === 0 ? null : entity(rows[0]) };
  return { __typename: "Query", list: { __typename: "List", q, more, rows: rows.map(entity) } };
}
function list({ q }, data) {
  if (q === undefined) return { rows: data.entity ? [data.entity.row] : [], more: false };
  return { rows: data.list.rows.map(({ row }) => row), more: data.list.more };
}

export default function (harness, { events }) {
  const lists = new NormalizedLists();
  const views = new Map(); // by query: the subscriptions of its views
  const changes = makeSubject();
  let number = 0;
  let update; // what the updater is to do
  let cache; // what it is given

  const stream = new EventStream(harness, {
    // A cache may be written where a result comes in.
    together(work) {
      update = work;
      changes.next((number += 1));
    },
    kept: () => lists.all(),
    write: (target, list) =>
      cache.updateQuery({ query: document(target), variables: target }, () => data(target, lists.put(target, list))),
    askAgain(target) {
      lists.remove(target);
      if (target.q === undefined) cache.invalidate({ __typename: "Row", ...target });
      cache.invalidate("Query", target.q === undefined ? "entity" : "list", target);
    },
  }, events);

  /** The server: answers queries, and carries what it tells by the one subscription. */
  const server = () => (operations) => {
    const shared = pipe(operations, share);
    const answers = pipe(
      shared,
      filter(({ kind }) => kind === "query"),
      mergeMap((operation) => {
        const ended = pipe(shared, filter(({ kind, key }) => kind === "teardown" && key === operation.key));
        return pipe(
          fromPromise(stream.fetch(operation.variables).then(
            (list) => makeResult(operation, { data: data(operation.variables, lists.put(operation.variables, list)) }),
            (error) => makeErrorResult(operation, error))),
          takeUntil(ended));
      }));
    const notices = pipe(
      shared,
      filter(({ kind }) => kind === "subscription"),
      mergeMap((operation) => pipe(
        changes.source,
        map((number) => makeResult(operation, { data: { __typename: "Subscription", changes: number } })))));
    return merge([answers, notices]);
  };

  const client = new Client({
    url: "tidemark:",
    preferGetMethod: false,
    exchanges: [
      cacheExchange({
        keys: { Row: ({ object }) => String(object), List: ({ q }) => String(q) },
        resolvers: {
          Query: {
            // An entity that some list brought is there.
            entity: (parent, { object }, cache) => {
              const brought = { __typename: "Row", object };
              const known = cache.resolve("Query", "entity", { object });
              return known === undefined && cache.resolve(brought, "row") !== undefined ? brought : known;
            },
          },
        },
        updates: {
          Subscription: {
            changes(result, args, given) {
              cache = given;
              update();
            },
          },
        },
      }),
      server,
    ],
  });
  pipe(client.subscription(ofChanges, {}), subscribe(() => {}));

  function ask(target) {
    return client.query(document(target), target).toPromise().then(({ data, error }) => {
      if (!data) throw error.networkError ?? error;
      return list(target, data).rows;
    });
  }

  return {
    read: (q) => ask({ q }),
    open: (object) => ask({ object }),
    observe(q) {
      const target = { q };
        return new Promise((resolve, reject) => {
        let isFirst = true;
        const view = pipe(client.query(ofList, target), subscribe(({ data, error }) => {
          if (!data) return error && reject(error.networkError ?? error);
          const { rows } = list(target, data);
          if (isFirst) resolve(rows);
          else harness.notify(q, rows);
          isFirst = false;
        }));
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
