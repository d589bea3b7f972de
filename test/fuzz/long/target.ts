// Interface of the long fuzz suite to a parser: make an input, check its result. A check that throws is a find.
import type { Dice } from './dice.js';

/** One parser or surface. */
export interface Target {
  readonly name: string;
  /** Cases of this target in a round of all. */
  readonly share: number;
  make(dice: Dice): Uint8Array;
  /**
   * @returns whether the input got past the outermost checks: a target that hardly ever does tests nothing
   * @throws anything, when the answer is wrong or the parser failed in a way of its own
   */
  check(input: Uint8Array): boolean;
}

/** A target whose checks wait for something, such as a live node: it takes many inputs at once. */
export interface SlowTarget extends Omit<Target, 'check'> {
  /**
   * @returns how many inputs got past the outermost checks
   * @throws Find for the input that is to blame, where that is known
   */
  checkAll(inputs: readonly Uint8Array[]): Promise<number>;
  /** Ends what it opened. */
  close(): Promise<void>;
}

/** A wrong answer. */
export class Find extends Error {
  readonly input: Uint8Array | undefined;
  constructor(message: string, input?: Uint8Array) {
    super(message);
    this.name = 'Find';
    this.input = input;
  }
}

/** @throws Find unless it holds */
export function hold(condition: boolean, what: string): void {
  if (!condition) throw new Find(what);
}

/** The value, or undefined for an error of a class that the parser may throw; all other errors go through. */
export function attempt<T>(foreseen: abstract new (...args: never[]) => Error, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof foreseen) return undefined;
    throw error;
  }
}

/** Returns true if the call succeeds, false if it throws an error of the allowed class. Rethrows all other errors. */
export function succeeds(foreseen: abstract new (...args: never[]) => Error, run: () => void): boolean {
  const ended = attempt(foreseen, () => {
    run();
    return true;
  });
  return ended === true;
}

/** Equal bytes. */
export const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
