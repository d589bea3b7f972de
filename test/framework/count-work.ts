// Counts what a piece of work does instead of timing it: how often each block of our code ran (V8's precise coverage),
// and how many elements the built-in searches and moves of arrays and strings looked at. The figure is the same on a
// slow machine and a fast one, so growth can be judged by it. Modules must be imported after openWorkCounter(): code
// that was compiled before has no counters in its blocks.
import inspector from 'node:inspector';

export interface WorkCounter {
  /** Blocks that ran and elements that built-ins looked at while the work was done. */
  count(work: () => unknown): Promise<number>;
  close(): void;
}

type Method = (this: { readonly length: number }, ...args: never[]) => unknown;
type Patched = Record<string, Method>;
/** Elements that a call looked at or moved. */
type Cost = (on: { readonly length: number }, args: readonly unknown[], result: unknown) => number;

const whole: Cost = ({ length }) => length;
const ofResult: Cost = (_on, _args, result) => (result as { length: number }).length;
const ofSource: Cost = (_on, [source]) => (source as { length: number }).length;
const between: Cost = ({ length }, [, start, end]) => ((end as number) ?? length) - ((start as number) ?? 0);
/** From the start of the search to what was found, or to the end. */
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

/** Starts counting; one counter at a time. */
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

  /** Blocks since the last call. */
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

  // Slices of the loop end by the clock: it stands still, and the figures are the same every time.
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
