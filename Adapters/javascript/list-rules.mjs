/**
 * What belongs into the lists of a scenario, and in which order, as `hello` declares it: what an app knows of its own
 * queries, and needs in order to patch an answer that it holds by the changes that the server tells.
 *
 * A list here is `{ rows, more }`: rows as the protocol has them, and whether the server has others beyond the limit. A row
 * that shows a part of its entity has its fields alone: where a list is in order of others, only the server can place a row.
 */

const object = 0, type = 1, order = 3, fields = 5, view = 6;

const comparisons = {
  "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  ">": (a, b) => a > b, ">=": (a, b) => a >= b,
};

/** What is asked for: `{ q }`, a query, or `{ object }`, one entity, which is kept as a list of one row or of none. */
export class ListRules {
  #lists;

  constructor({ model, lists }) {
    const kinds = new Map(model.types.flatMap((type) => (type.fields ?? []).map((f) => [`${type.name}.${f.name}`, f.holds])));
    const queries = new Map(model.queries.map((query) => [query.name, query]));
    const shows = (type, view, field) =>
      model.types.find(({ name }) => name === type)?.views?.find(({ name }) => name === view)?.shows?.includes(field) ?? true;
    this.#lists = lists.map((list) => {
      const query = queries.get(list.query);
      const isText = (field) => kinds.get(`${query.lists[0]}.${field}`) === "text";
      return {
        types: query.lists,
        limit: list.limit,
        conditions: (query.where ?? []).map((condition) => holds(condition, list)),
        // `undefined`: as an app showed it, which no rule can tell.
        keys: query.order?.map((key) => ({ ...key, none: isText(key.field) ? "" : 0 })),
        isPage: list.after !== undefined,
        showsItsOrder: (query.order ?? []).every(({ field }) =>
          query.shows === undefined || query.lists.every((type) => shows(type, query.shows, field))),
      };
    });
  }

  /** Whether a notice that something of a type may have changed concerns a list. */
  concerns(target, list, { type: changed }) {
    if (changed === undefined) return true;
    if (target.object !== undefined) return list.rows.some((row) => row[type] === changed);
    return this.#lists[target.q].types.includes(changed);
  }

  #belongs(q, row) {
    const list = this.#lists[q];
    return list.types.includes(row[type]) && list.conditions.every((holds) => holds(row));
  }

  /**
   * A list after some changes: the same list where they do not concern it, and `undefined` where only the server
   * knows: a row has left a list that was full, two rows are in no order, or the list is a page behind another.
   */
  after(target, list, changed, deleted) {
    return target.q === undefined
      ? entityAfter(target.object, list, changed, deleted) : this.#listAfter(target.q, list, changed, deleted);
  }

  #listAfter(q, list, changed, deleted) {
    let { rows, more } = list;
    for (const gone of deleted) {
      const place = rows.findIndex((row) => row[object] === gone);
      if (place < 0) continue;
      if (more || this.#lists[q].isPage) return undefined;
      rows = rows.toSpliced(place, 1);
    }
    for (const row of changed) {
      const place = rows.findIndex((other) => other[object] === row[object]);
      const isNewer = place < 0 || rows[place][order] < row[order];
      const belongs = this.#belongs(q, row);
      if (!isNewer || (place < 0 && !belongs)) continue;
      if (this.#lists[q].isPage || this.#lists[q].keys === undefined) return undefined;
      if (place >= 0) {
        if (more && !belongs) return undefined;
        rows = rows.toSpliced(place, 1);
      }
      if (!belongs) continue;
      if (!this.#lists[q].showsItsOrder && rows.some((row) => row[view] !== undefined)) return undefined;
      const next = this.#placeOf(q, rows, row);
      if (next === undefined) return undefined;
      if (more && next === rows.length) {
        // It stands behind the last that is known: beyond the limit, or first of those that are not known.
        if (place >= 0) return undefined;
        continue;
      }
      rows = rows.toSpliced(next, 0, row);
      if (rows.length > this.#lists[q].limit) {
        rows = rows.slice(0, -1);
        more = true;
      }
    }
    return rows === list.rows ? list : { ...list, rows, more };
  }

  #placeOf(q, rows, row) {
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const compared = this.#compare(q, rows[middle], row);
      if (compared === 0) return undefined;
      if (compared < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(q, one, other) {
    for (const { field, descending, none } of this.#lists[q].keys) {
      const a = one[fields][field] ?? none, b = other[fields][field] ?? none;
      if (a !== b) return a < b === !descending ? -1 : 1;
    }
    return 0;
  }
}

function entityAfter(asked, list, changed, deleted) {
  if (deleted.includes(asked)) return list.rows.length === 0 ? list : { ...list, rows: [] };
  const newer = changed.find((row) => row[object] === asked);
  const isNewer = newer && (list.rows.length === 0 || list.rows[0][order] < newer[order]);
  return isNewer ? { ...list, rows: [newer] } : list;
}

function holds(condition, { subject, prefix }) {
  const of = (row) => row[fields][condition.field];
  if (condition.itself) return (row) => row[object] === subject;
  if (condition.includes) return (row) => (of(row) ?? []).includes(subject);
  if (condition.begins) return (row) => (of(row) ?? "").startsWith(prefix);
  if (condition.compares) {
    const compare = comparisons[condition.compares];
    return (row) => compare(of(row) ?? 0, condition.to);
  }
  switch (condition.is) {
    case "set": return (row) => of(row) === true;
    case "unset": return (row) => of(row) !== true;
    default: return (row) => of(row) === subject;
  }
}
