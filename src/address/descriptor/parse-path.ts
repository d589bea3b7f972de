// Parses the path of a key: hardened and unhardened steps, a multipath step (BIP-0389), and the star of a range.
import { HARDENED } from '../bip32/extended-key.js';
import type { HardenedMark } from '../bip32/key-path.js';
import { type DescriptorContext, DescriptorError } from './context.js';
import { parseUint32 } from './cursor.js';
import type { RangeKind } from './key-expression.js';
import type { KeyTokens } from './key-tokens.js';
import type { SecretRing } from './secrets.js';

/** Function in which a script expression is: none, sh(), wsh(), or a leaf of tr(). */
export type ScriptPlace = 'top' | 'sh' | 'wsh' | 'leaf';

/** Position of a key, which determines the allowed forms. */
export type KeyPlace = 'any' | 'compressed' | 'x-only' | 'participant';

/** State of one run of the parser. */
export interface ParseState {
  readonly context: DescriptorContext;
  /** Private keys found so far. */
  readonly secrets: SecretRing;
  /** Private keys that tokens in the text stand for. */
  readonly keyTokens: KeyTokens;
  /** Position of the next key expression in the descriptor. */
  nextPlace: number;
}

/** Mark (' or h) with which the hardened steps of one key expression are printed: the last mark that was read. */
export interface PathMarks {
  mark: HardenedMark;
}

/** Largest number of items of a multipath step. A short text could otherwise stand for very many descriptors. */
const MAX_MULTIPATH = 1000;

/**
 * Limit for the number of paths, multiplied by the number of steps, keys or scripts that each path repeats. Otherwise a
 * text of n characters could stand for a number of objects that grows with n squared.
 */
const MAX_MULTIPLIED = 100_000;

/** Takes the star from the end of a path. */
export function takeRange(steps: string[], context: DescriptorContext, marks: PathMarks): RangeKind {
  const last = steps.at(-1);
  if (last === '*') {
    steps.pop();
    return 'plain';
  }
  if (last !== "*'" && last !== '*h') return 'none';
  noteMark(last === "*'" ? "'" : 'h', context, marks);
  steps.pop();
  return 'hardened';
}

/** Parses steps into paths: one, or one per item of a multipath step. Sets the last hardened mark in `marks`. */
export function parsePath(steps: readonly string[], multipath: boolean, context: DescriptorContext, marks: PathMarks): number[][] {
  const path: number[] = [];
  let choices: { at: number; steps: number[] } | null = null;
  for (const step of steps) {
    if (context.language === 'master' && step.startsWith('<') && step.endsWith('>')) {
      if (!multipath) {
        throw new DescriptorError(`Key path value '${step}' specifies multipath in a section where multipath is not allowed`);
      }
      if (choices !== null) throw new DescriptorError('Multiple multipath key path specifiers found');
      choices = { at: path.length, steps: parseChoices(step, context, marks) };
      path.push(0);
    } else {
      path.push(parseStep(step, context, marks));
    }
  }
  if (choices === null) return [path];
  const { at, steps: items } = choices;
  checkMultiplied(items.length, path.length);
  return items.map((item) => path.with(at, item));
}

function parseChoices(step: string, context: DescriptorContext, marks: PathMarks): number[] {
  const items = step.slice(1, -1).split(';', MAX_MULTIPATH + 1);
  if (items.length < 2) throw new DescriptorError('Multipath key path specifiers must have at least two items');
  if (items.length > MAX_MULTIPATH) {
    throw new DescriptorError(`Multipath key path specifiers can have ${MAX_MULTIPATH} items at most`);
  }
  const seen = new Set<number>();
  for (const item of items) {
    const value = parseStep(item, context, marks);
    if (seen.has(value)) throw new DescriptorError(`Duplicated key path value ${value} in multipath specifier`);
    seen.add(value);
  }
  return [...seen];
}

function parseStep(step: string, context: DescriptorContext, marks: PathMarks): number {
  const sign = step.at(-1);
  const hardened = sign === "'" || sign === 'h';
  const digits = hardened ? step.slice(0, -1) : step;
  const index = parseUint32(digits, context.language === '0.21');
  if (index === null) {
    if (context.language === '0.21') throw new DescriptorError(`Key path value '${digits}' is not a valid uint32`);
    throw new DescriptorError(`Key path value '${step}' is not ${step === '' ? 'valid' : 'a valid uint32'}`);
  }
  if (index >= HARDENED) throw new DescriptorError(`Key path value ${index} is out of range`);
  if (hardened) noteMark(sign, context, marks);
  return hardened ? index + HARDENED : index;
}

/**
 * Converts a list of parts, each with its paths, into a list of paths, each with its parts. A part that has only one
 * path is used in all paths.
 * @param least number of paths of another part
 * @throws DescriptorError with `mismatch` if the counts differ; also if paths times parts exceed the limit
 */
export function alignPaths<T>(parts: readonly (readonly T[])[], mismatch: string, least = 1): T[][] {
  const count = parts.reduce((most, part) => Math.max(most, part.length), least);
  if (parts.some((part) => part.length !== 1 && part.length !== count)) throw new DescriptorError(mismatch);
  checkMultiplied(count, parts.length);
  return Array.from({ length: count }, (_, path) => parts.map((part) => part[part.length === 1 ? 0 : path]));
}

/** Checks the limit MAX_MULTIPLIED. @param each number of steps of a path, or of keys or scripts of a list */
function checkMultiplied(paths: number, each: number): void {
  if (paths > 1 && paths * each > MAX_MULTIPLIED) {
    throw new DescriptorError(`Multipath key path specifiers can repeat ${MAX_MULTIPLIED} steps, keys or scripts at most`);
  }
}

/** Records the mark that was read. Does nothing in the language 0.21, which reads both marks and always prints '. */
function noteMark(mark: HardenedMark, { language }: DescriptorContext, marks: PathMarks): void {
  if (language === 'master') marks.mark = mark;
}
