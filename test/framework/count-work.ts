// Counts the steps of a piece of work instead of measuring its time: how often each block of our code ran (V8's precise
// coverage), and how many elements the built-in methods of arrays and strings read or moved. The count is the same on
// every machine, so tests can check how it grows. Modules must be imported after openWorkCounter(), because V8 inserts
// counters only when it compiles.
import inspector from 'node:inspector';

export interface WorkCounter {
  /**
   * Runs work and returns the number of executed blocks, plus the number of elements that built-in methods read or
   * moved.
   */
  count(work: () => unknown): Promise<number>;
  close(): void;
}

type Method = (this: { readonly length: number }, ...args: never[]) => unknown;
type Patched = Record<string, Method>;
/** Returns the number of elements that a call read or moved. */
type Cost = (on: { readonly length: number }, args: readonly unknown[], result: unknown) => number;

const whole: Cost = ({ length }) => length;
const ofResult: Cost = (_on, _args, result) => (result as { length: number }).length;
const ofSource: Cost = (_on, [source]) => (source as { length: number }).length;
const between: Cost = ({ length }, [, start, end]) => ((end as number) ?? length) - ((start as number) ?? 0);
/** Number of elements from the start of a search to the element that was found, or to the end. */
const upTo: Cost = ({ length }, [, from], at) => Math.max(0, ((at as number) < 0 ? length : (at as number) + 1) - ((from as number) ?? 0));

const ARRAY: Record<string, Cost> = {
  indexOf: upTo,
  lastIndexOf: whole,
  includes: whole,
  shift: whole,
  unshift: whole,
  splice: whole,
  concat: ofResult,
  slice: ofResult,
  reverse: whole,
  with: whole,
};
const TEXT: Record<string, Cost> = {
  indexOf: upTo,
  lastIndexOf: whole,
  includes: whole,
  split: whole,
  replace: whole,
  replaceAll: whole,
  toLowerCase: whole,
  trim: whole,
};
const BYTES: Record<string, Cost> = { indexOf: upTo, includes: whole, slice: ofResult, set: ofSource, fill: between, reverse: whole };

/** Starts counting. Only one counter can be open. */
export function openWorkCounter(): WorkCounter {
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let looked = 0;
  const undo = [
    ...patch(Array.prototype, ARRAY),
    ...patch(String.prototype, TEXT),
    ...patch(Object.getPrototypeOf(Uint8Array.prototype), BYTES),
  ];

  function patch(target: object, costs: Record<string, Cost>): (() => void)[] {
    const prototype = target as Patched;
    return Object.entries(costs).map(([name, cost]) => {
      const original = prototype[name];
      prototype[name] = function (...args) {
        const before = { length: this.length };
        const result = Reflect.apply(original, this, args);
        looked += cost(before, args, result);
        return result;
      };
      return () => {
        prototype[name] = original;
      };
    });
  }

  /** Returns the number of executed blocks since the last call. */
  function blocks(): number {
    let sum = 0;
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error;
      for (const { url, functions } of coverage.result) {
        if (!url.startsWith('file:') || url.includes('/node_modules/') || url.includes('/test/')) continue;
        for (const { ranges } of functions) for (const range of ranges) sum += range.count;
      }
    });
    return sum;
  }

  // Time slices end by the clock. Stop the clock, so that the count is the same every time.
  const now = performance.now;
  performance.now = () => 0;
  blocks();
  return {
    async count(work) {
      looked = 0;
      await work();
      return looked + blocks();
    },
    close() {
      for (const one of undo) one();
      performance.now = now;
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
