/**
 * Replaces what a program in JavaScript can tell time and chance by: `Date`, timers, frames, `performance.now` and
 * `Math.random`. Install it before the first line of a client is loaded: many keep what they find then.
 *
 * Time stands still unless it is moved. It is counted in whole nanoseconds from the beginning of the run.
 */

/** What a timer is due by in JavaScript: milliseconds in 31 bits, as browsers and Node have it. */
const longestDelay = 2 ** 31 - 1;
const millisecond = 1e6;

export class VirtualTime {
  #now = 0;
  #numbered = 0;
  /** A heap, by when they are due and then by number; those that were cleared stay until they come up. */
  #heap = [];
  #timers = new Map();
  #immediates = [];
  #drain;

  /** `drain` runs all microtasks that wait; `started` is what `Date.now()` says at the beginning. */
  constructor(drain, { started = Date.UTC(2026, 0, 1) } = {}) {
    this.#drain = drain;
    this.started = started;
  }

  /** Nanoseconds since the beginning. */
  get now() { return this.#now; }

  /** When the next timer is due; null where there is none. */
  get next() {
    while (this.#heap.length > 0 && !this.#timers.has(this.#heap[0].id)) this.#take();
    return this.#heap.length > 0 ? this.#heap[0].due : null;
  }

  /** Runs the timers that are due by an instant, each at its own and with its microtasks after it. */
  async moveTo(instant) {
    for (let due = this.next; due !== null && due <= instant; due = this.next) {
      this.#now = Math.max(this.#now, due);
      const timer = this.#take();
      if (timer.period === undefined) this.#timers.delete(timer.id);
      else this.#arm({ ...timer, due: this.#now + timer.period });
      timer.run();
      await this.settle();
    }
    this.#now = Math.max(this.#now, instant);
  }

  /** Runs microtasks and immediates until none waits. */
  async settle() {
    await this.#drain();
    while (this.#immediates.length > 0) {
      const waiting = this.#immediates;
      this.#immediates = [];
      for (const immediate of waiting) if (!immediate.isCleared) immediate.run();
      await this.#drain();
    }
  }

  // Timers

  #schedule(run, delay, repeats) {
    let waits = Number(delay);
    if (!(waits >= 1 && waits <= longestDelay)) waits = 1;
    const period = Math.trunc(waits) * millisecond;
    const timer = { id: ++this.#numbered, due: this.#now + period, run };
    if (repeats) timer.period = period;
    this.#arm(timer);
    return timer.id;
  }

  #arm(timer) {
    this.#timers.set(timer.id, timer);
    const heap = this.#heap;
    let place = heap.push(timer) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!comesBefore(timer, heap[above])) break;
      heap[place] = heap[above];
      place = above;
    }
    heap[place] = timer;
  }

  #take() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && comesBefore(heap[below + 1], heap[below])) below += 1;
      if (!comesBefore(heap[below], last)) break;
      heap[place] = heap[below];
      place = below;
    }
    heap[place] = last;
    return first;
  }

  /** What `setTimeout` gives: a number where it is used as one, with the methods that Node's has. */
  #handle(id) {
    const time = this;
    return {
      ref() { return this; },
      unref() { return this; },
      hasRef: () => true,
      close: () => { time.#timers.delete(id); },
      [Symbol.toPrimitive]: () => id,
    };
  }

  /** Replaces the globals, also as members of `window`, which is made the global object. */
  install(seed) {
    const time = this;
    const global = globalThis;
    const RealDate = Date;
    const milliseconds = () => time.started + Math.floor(time.#now / millisecond);
    global.Date = class Date extends RealDate {
      constructor(...parts) {
        if (parts.length === 0) super(milliseconds());
        else super(...parts);
      }
      static now() { return milliseconds(); }
    };
    // Called without `new`, a date is a text.
    global.Date = new Proxy(global.Date, { apply: () => new RealDate(milliseconds()).toString() });
    Object.defineProperty(global.performance, "now", {
      value: () => time.#now / millisecond, configurable: true,
    });
    Object.defineProperty(global.performance, "timeOrigin", { value: time.started, configurable: true });
    Math.random = randomness(seed);

    const clear = (timer) => { if (timer != null) time.#timers.delete(Number(timer)); };
    global.setTimeout = (run, delay, ...values) =>
      time.#handle(time.#schedule(() => run(...values), delay, false));
    global.setInterval = (run, delay, ...values) =>
      time.#handle(time.#schedule(() => run(...values), delay, true));
    global.clearTimeout = clear;
    global.clearInterval = clear;
    global.setImmediate = (run, ...values) => {
      const immediate = { run: () => run(...values), isCleared: false };
      time.#immediates.push(immediate);
      return immediate;
    };
    global.clearImmediate = (immediate) => { if (immediate) immediate.isCleared = true; };
    // Sixty frames a second.
    global.requestAnimationFrame = (run) =>
      time.#schedule(() => run(time.#now / millisecond), 16, false);
    global.cancelAnimationFrame = clear;
    // Its messages would arrive between turns, by the real event loop. Who finds none takes timers.
    global.MessageChannel = undefined;
    if (global.window === undefined) global.window = global;
  }
}

const comesBefore = (one, other) => one.due < other.due || (one.due === other.due && one.id < other.id);

/** Numbers of at least 0 and below 1, by SplitMix with 32 bits. */
function randomness(seed) {
  let state = (Number(seed) || 0) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
