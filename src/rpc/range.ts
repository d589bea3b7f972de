// Parses ranges of descriptor indexes: an end, or [begin, end]. Core: rpc/util.cpp.
import { asInt64 } from './args.js';
import { fail, RPC_CODE } from './errors.js';
import { JsonNumber, type JsonValue } from './wire/values.js';

/** First and last index, both inclusive. */
export interface IndexRange {
  readonly begin: number;
  readonly end: number;
}

const MAX_END = 0x7fff_ffffn;
const MAX_LENGTH = 1_000_000n;

/** Parses a range of at most a million indexes below 2^31. */
export function asRange(value: JsonValue | undefined): IndexRange {
  const [begin, end] = bounds(value);
  if (begin < 0n) fail(RPC_CODE.INVALID_PARAMETER, 'Range should be greater or equal than 0');
  if (end < 0n || end > MAX_END) fail(RPC_CODE.INVALID_PARAMETER, 'End of range is too high');
  if (end >= begin + MAX_LENGTH) fail(RPC_CODE.INVALID_PARAMETER, 'Range is too large');
  return { begin: Number(begin), end: Number(end) };
}

function bounds(value: JsonValue | undefined): [bigint, bigint] {
  if (value instanceof JsonNumber) return [0n, asInt64(value)];
  if (Array.isArray(value) && value.length === 2 && value.every((bound) => bound instanceof JsonNumber)) {
    const begin = asInt64(value[0]);
    const end = asInt64(value[1]);
    if (begin > end) fail(RPC_CODE.INVALID_PARAMETER, 'Range specified as [begin,end] must not have begin after end');
    return [begin, end];
  }
  return fail(RPC_CODE.INVALID_PARAMETER, 'Range must be specified as end or as [begin,end]');
}
