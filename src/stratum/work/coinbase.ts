// The coinbase of a job, cut where miners insert their extranonces:
//
//   start   version, input count, outpoint, script length, script up to the extranonces
//             script: height (BIP-0034) | tag | push of 16 bytes: job number (4, big-endian), extranonce1 (4), extranonce2 (8)
//   end     sequence, outputs (payout first, fee, witness commitment), lock time
//
// Start and end are in the serialisation without witness, which the txid covers. Only the end depends on the payout.
// Devices show the first output. They silently cut a coinbase of more than 255 bytes; with a tag of MAX_TAG_BYTES and a
// fee a coinbase has 246.
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { coinbaseLock } from '../../consensus/rules/cleanup/coinbase-lock.js';
import { plainPush, pushNumber } from '../../consensus/script/build-script.js';

export const EXTRANONCE1_BYTES = 4;
/** Size of extranonce2. Whatsminers accept at most 8 bytes, marketplaces at least 4. */
export const EXTRANONCE2_BYTES = 8;
export const MAX_TAG_BYTES = 40;
const JOB_NUMBER_BYTES = 4;
const VERSION = 2;
const NO_INDEX = 0xffffffff;

/** An output of a coinbase. */
export interface Output {
  /** Satoshis. */
  readonly value: number;
  readonly script: Uint8Array;
}

/** Returns the coinbase up to extranonce1. @param tag at most MAX_TAG_BYTES; empty: none */
export function coinbaseStart(height: number, tag: Uint8Array, jobNumber: number): Uint8Array {
  const heightPush = pushNumber(height);
  const tagPush = tag.length === 0 ? tag : plainPush(tag);
  const pushed = JOB_NUMBER_BYTES + EXTRANONCE1_BYTES + EXTRANONCE2_BYTES;
  const writer = new ByteWriter(160).i32(VERSION).compactSize(1).bytes(new Uint8Array(32)).u32(NO_INDEX);
  writer.compactSize(heightPush.length + tagPush.length + 1 + pushed);
  writer.bytes(heightPush).bytes(tagPush).u8(pushed);
  return writer
    .u8(jobNumber >>> 24)
    .u8((jobNumber >>> 16) & 0xff)
    .u8((jobNumber >>> 8) & 0xff)
    .u8(jobNumber & 0xff)
    .finish();
}

export function coinbaseEnd(height: number, outputs: readonly Output[]): Uint8Array {
  const { sequence, locktime } = coinbaseLock(height);
  const writer = new ByteWriter(160).u32(sequence).compactSize(outputs.length);
  for (const { value, script } of outputs) writer.u64(value).varBytes(script);
  return writer.u32(locktime).finish();
}

/**
 * Adds marker, flag and the witness with its reserved value (BIP-0141) to a coinbase, for use in a block.
 * @param coinbase serialised without witness
 */
export function withWitness(coinbase: Uint8Array): Uint8Array {
  const body = coinbase.length - 4;
  return new ByteWriter(coinbase.length + 36)
    .bytes(coinbase.subarray(0, 4))
    .u8(0)
    .u8(1)
    .bytes(coinbase.subarray(4, body))
    .compactSize(1)
    .varBytes(new Uint8Array(32))
    .bytes(coinbase.subarray(body))
    .finish();
}
