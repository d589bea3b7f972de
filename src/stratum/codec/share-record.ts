// Records of shares for programs outside: the stream of -zmqpubshare and -fleetshares. A message is one byte of the
// format, then records. docs/mining.md has the table for readers.
//
//   2  length of the record with this field        all numbers little-endian
//   1  number of the process (-stratumfront)
//   1  result: its place in SHARE_RESULTS
//   1  1 if the share is a block
//   1  length of the address
//   4  height of the block that the job builds; 0 if the job is unknown
//   8  number of the record since the start, double
//   8  time, milliseconds since 1970, double
//   8  difficulty of the job, double
//   8  difficulty of the share's hash, double; 0 if it was not computed
//   n  address, ASCII
//   *  worker, ASCII
import { SHARE_RESULTS, type ShareRecord } from '../session/sink.js';

export const SHARE_FORMAT = 1;
const ADDRESS_AT = 42;

/** Returns the length of a record. */
export const shareRecordLength = ({ address, worker }: ShareRecord): number => ADDRESS_AT + address.length + worker.length;

/**
 * Writes a record. Names have ASCII characters only, and at most 128.
 * @param number of the record since the start
 * @returns the place after the record
 */
export function writeShareRecord(view: DataView, at: number, share: ShareRecord, front: number, number: number): number {
  const { address, worker, result, difficulty, shareDifficulty, height, timeMs, block } = share;
  const end = at + shareRecordLength(share);
  view.setUint16(at, end - at, true);
  view.setUint8(at + 2, front);
  view.setUint8(at + 3, SHARE_RESULTS.indexOf(result));
  view.setUint8(at + 4, block ? 1 : 0);
  view.setUint8(at + 5, address.length);
  view.setUint32(at + 6, height, true);
  view.setFloat64(at + 10, number, true);
  view.setFloat64(at + 18, timeMs, true);
  view.setFloat64(at + 26, difficulty, true);
  view.setFloat64(at + 34, shareDifficulty, true);
  let place = at + ADDRESS_AT;
  for (const name of [address, worker]) for (let i = 0; i < name.length; i++) view.setUint8(place++, name.charCodeAt(i));
  return end;
}
