import { ListRules } from "./list-rules.mjs";

/**
 * Follows the server's stream of changes as an app does: in order, each once, and asks for what was lost.
 *
 * `client` is where they go, the cache of the app:
 * - `kept()`: the lists that it has, as pairs of what was asked for and `{ rows, more }`;
 * - `write(target, list)`: keeps a list as it is now;
 * - `askAgain(target)`: a list is no longer known;
 * - `together(work)`, if it has that: calls `work`, which does some of the above at once;
 * - `moved(place)`, if it has that: all is known up to a place in the stream, as `[epoch, sequence]`.
 *
 * `how`: `patch` writes what a change makes of each list, as far as the rules tell; `invalidate` asks again for all lists
 * that a change concerns; `ignore` does nothing with events. `place` is where a former process had come to.
 */
export class EventStream {
  #harness;
  #client;
  #rules;
  #how;
  #known; // [epoch, sequence] up to which all is known; undefined before the first message
  #isAsking = false;
  #waiting = []; // events behind a gap
  #recent = []; // what was told last: { epoch, sequence, rows, deleted, order }

  constructor(harness, client, how = "patch", place = undefined) {
    if (!["patch", "invalidate", "ignore"].includes(how)) throw new Error(`--events ${how}: patch, invalidate or ignore`);
    this.#harness = harness;
    this.#rules = new ListRules(harness.hello);
    this.#client = client;
    this.#how = how;
    this.#known = place;
  }

  get #place() { return this.#known; }

  set #place(place) {
    this.#known = place;
    this.#client.moved?.(place);
  }

  event(line) {
    if (this.#how === "ignore") return;
    if (line.epoch === undefined) return this.#apply(line);
    if (this.#place === undefined) this.#place = [line.epoch, line.sequence - 1];
    if (this.#isAsking) return void this.#waiting.push(line);
    if (!isBefore(this.#place, [line.epoch, line.sequence])) return;
    if (line.epoch === this.#place[0] && line.sequence === this.#place[1] + 1) return this.#take(line);
    this.#waiting.push(line);
    this.#ask();
  }

  heartbeat(place) {
    if (this.#how === "ignore") return;
    if (this.#place === undefined) this.#place = place;
    else if (!this.#isAsking && isBefore(this.#place, place)) this.#ask();
  }

  /**
   * The answer to a fetch of `{ q }` or `{ object }`, after what has been told since the server read it: an event may
   * overtake an answer. Asks again where only the server knows.
   */
  async fetch(target) {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#harness.fetch(target);
      const known = { rows: answer.rows, more: answer.more === true };
      const list = this.#since(answer).reduce((list, { rows, deleted, stale }) => {
        if (list === undefined || (stale !== undefined && this.#rules.concerns(target, list, stale))) return undefined;
        return this.#rules.after(target, list, rows, deleted);
      }, known);
      if (list !== undefined || attempt === 3) return list ?? known;
    }
  }

  #since({ epoch, sequence }) {
    if (this.#how === "ignore") return [];
    if (this.#place === undefined) this.#place = [epoch, sequence];
    return this.#recent.filter((event) => isBefore([epoch, sequence], [event.epoch, event.sequence]));
  }

  #take(line) {
    this.#place = [line.epoch, line.sequence];
    this.#recent.push({
      epoch: line.epoch, sequence: line.sequence, rows: line.rows ?? [], deleted: line.deleted ?? [],
      stale: line.stale,
    });
    if (this.#recent.length > 256) this.#recent.shift();
    this.#apply(line);
  }

  #apply({ rows = [], deleted = [], stale }) {
    this.#update((target, list) => {
      const isStale = stale !== undefined && this.#rules.concerns(target, list, stale);
      return isStale ? undefined : this.#rules.after(target, list, rows, deleted);
    });
  }

  /** `after` gives each list as it is now, the same one where nothing changed, and `undefined` where nobody knows. */
  #update(after) {
    const update = () => {
      for (const [target, list] of this.#client.kept()) {
        const next = after(target, list);
        if (next === list) continue;
        if (next === undefined || this.#how === "invalidate") this.#client.askAgain(target);
        else this.#client.write(target, next);
      }
    };
    if (this.#client.together) this.#client.together(update);
    else update();
  }

  async #ask() {
    this.#isAsking = true;
    try {
      const answer = await this.#harness.reconcile(this.#place);
      if (answer.tooOld) {
        this.#place = [answer.epoch, answer.sequence];
        this.#recent = [];
        this.#update(() => undefined);
      } else {
        for (const event of answer.events) {
          if (isBefore(this.#place, [event.epoch, event.sequence])) this.#take(event);
        }
        if (isBefore(this.#place, [answer.epoch, answer.sequence])) this.#place = [answer.epoch, answer.sequence];
      }
    } catch {
      // The next event or heartbeat asks again, also for those behind the gap.
      this.#waiting = [];
    }
    this.#isAsking = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) this.event(line);
  }
}

const isBefore = (one, other) => one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
