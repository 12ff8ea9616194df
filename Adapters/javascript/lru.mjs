/**
 * A cache for `bridge.mjs`: queries kept by recency, with a time to live. It keeps whole answers, follows no events,
 * and asks again for what has expired, as `Adapters/lru.py` does.
 *
 * `--queries 500`: the most answers that are kept. `--ttl 300`: seconds for which an answer is fresh.
 */
export const name = "lru.mjs";
export const version = "1";

export default function (harness, { queries = 500, ttl = 300 }) {
  const answers = new Map(); // by what was asked: rows and when they came, the latest used last
  const requests = new Map(); // by what was asked: the promise of its rows

  async function ask(key, target) {
    try {
      const { rows } = await harness.fetch(target);
      answers.delete(key);
      answers.set(key, { rows, at: harness.now });
      if (answers.size > queries) answers.delete(answers.keys().next().value);
      return rows;
    } catch (error) {
      // Without a server, what there is, however old.
      if (error.reason === "unreachable" && answers.has(key)) return answers.get(key).rows;
      throw error;
    } finally {
      requests.delete(key);
    }
  }

  function read(key, target) {
    const known = answers.get(key);
    if (known && harness.now - known.at < ttl * 1e9) {
      answers.delete(key);
      answers.set(key, known);
      return known.rows;
    }
    if (!requests.has(key)) requests.set(key, ask(key, target));
    return requests.get(key);
  }

  return {
    features: ["parts"],
    read: (q) => read(`q ${q}`, { q }),
    open: (object) => read(`object ${object}`, { object }),
  };
}
