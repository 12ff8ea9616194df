const object = 0, order = 3;

/**
 * What a client that normalizes has kept: the lists that were written to it, each row in the latest version that any of them
 * brought. To ask the client itself for all of its lists at each event would cost more than all that it does.
 */
export class NormalizedLists {
  #lists = new Map(); // by text: what was asked for, and its list
  #latest = new Map(); // by object: its row

  /** The list with each row in the latest version, to be written to the client. */
  put(target, list) {
    const rows = list.rows.map((row) => {
      const known = this.#latest.get(row[object]);
      if (known !== undefined && known[order] > row[order]) return known;
      this.#latest.set(row[object], row);
      return row;
    });
    const put = { ...list, rows };
    this.#lists.set(JSON.stringify(target), [target, put]);
    return put;
  }

  remove(target) { this.#lists.delete(JSON.stringify(target)); }

  all() { return [...this.#lists.values()]; }
}
