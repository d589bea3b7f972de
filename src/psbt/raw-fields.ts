// Sorts fields in Core's order, for writing and showing PSBTs: fields that are stored byte for byte, by their types,
// and taproot leaves.
import { compareBytes } from '../consensus/bytes/hex.js';
import { GLOBAL, IN } from './field-types.js';
import { type PsbtInput, type RawField, sortedBy, type TapLeafScript } from './psbt.js';

/** Returns leaves sorted by script, then version, then control block: shorter ones first, then by bytes. */
export const sortedLeaves = ({ tapLeafScripts }: PsbtInput): TapLeafScript[] =>
  [...tapLeafScripts.values()].sort(
    (a, b) =>
      compareBytes(a.script, b.script) ||
      a.leafVersion - b.leafVersion ||
      a.controlBlock.length - b.controlBlock.length ||
      compareBytes(a.controlBlock, b.controlBlock),
  );

const KEY_SIZE = 33;

/** Returns fields of one type in Core's order. */
export function rawOf(fields: ReadonlyMap<string, RawField>, type: number): RawField[] {
  const found = [...fields.values()].filter(({ key }) => key[0] === type);
  if (type === GLOBAL.XPUB) return found.sort(byOrigin);
  const signers: readonly number[] = [IN.MUSIG2_PUB_NONCE, IN.MUSIG2_PARTIAL_SIG];
  return sortedBy(found, ({ key }) => (signers.includes(type) ? byAggregate(key) : key));
}

/** Returns fields of some types, type after type. */
export const sortedRaw = (fields: ReadonlyMap<string, RawField>, types: readonly number[]): RawField[] =>
  fields.size === 0 ? [] : types.flatMap((type) => rawOf(fields, type));

/** Returns the fields of all other types. */
export const remaining = (fields: ReadonlyMap<string, RawField>, types: readonly number[]): RawField[] =>
  sortedBy(
    [...fields.values()].filter(({ key }) => !types.includes(key[0])),
    ({ key }) => key,
  );

/**
 * Compares extended keys by master fingerprint, then by path length, then by path (numbers of 4 bytes, little-endian).
 */
function byOrigin(a: RawField, b: RawField): number {
  const masters = compareBytes(a.value.subarray(0, 4), b.value.subarray(0, 4));
  if (masters !== 0 || a.value.length !== b.value.length) return masters || a.value.length - b.value.length;
  const [left, right] = [a, b].map(({ value }) => new DataView(value.buffer, value.byteOffset, value.length));
  for (let at = 4; at < a.value.length; at += 4) {
    const difference = left.getUint32(at, true) - right.getUint32(at, true);
    if (difference !== 0) return difference;
  }
  return compareBytes(a.key.subarray(46), b.key.subarray(46)) || compareBytes(a.key, b.key);
}

/** Returns the sort key of a MuSig2 signer's field: aggregate key, leaf if any, participant. */
function byAggregate(key: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 * KEY_SIZE + 32);
  out.set(key.subarray(1 + KEY_SIZE), 0);
  out.set(key.subarray(1, 1 + KEY_SIZE), KEY_SIZE + 32);
  return out;
}
