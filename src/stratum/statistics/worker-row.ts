// A worker in the database: one row, keyed by address and worker name.
//
//   key     address | 00 | worker name, both ASCII
//   row     1     format, 1
//           8     first seen, milliseconds since 1970      all numbers are doubles, little-endian
//           8     time of the sums
//           5*8   sums of the windows
//           8     work
//           8     best share ever
//           8     last share
//           7*8   shares by result
//           8     blocks
//           rest  user agent, ASCII
import { DecodeError } from '../../consensus/bytes/reader.js';
import { bytesOf, textOf } from '../codec/text.js';
import { SHARE_RESULTS } from '../session/sink.js';
import { WINDOWS_MS, type WorkerFigures } from './worker-statistics.js';

const FORMAT = 1;
const NUMBERS = 6 + WINDOWS_MS.length + SHARE_RESULTS.length;
const AGENT_AT = 1 + NUMBERS * 8;

/** Returns the key of a worker's row. Rows of one address are adjacent. */
export function encodeWorkerKey(address: string, worker: string): Uint8Array {
  return bytesOf(`${address}\0${worker}`);
}

/** Decodes the key of a worker's row. @throws DecodeError */
export function decodeWorkerKey(key: Uint8Array): { readonly address: string; readonly worker: string } {
  const text = textOf(key);
  const cut = text.indexOf('\0');
  if (cut < 0) throw new DecodeError('a worker without a name');
  return { address: text.slice(0, cut), worker: text.slice(cut + 1) };
}

export function encodeWorkerRow(figures: WorkerFigures): Uint8Array {
  const { firstSeenMs, decayedMs, sums, work, bestEver, lastShareMs, shares, blocks, agent } = figures;
  const agentBytes = bytesOf(agent);
  const row = new Uint8Array(AGENT_AT + agentBytes.length);
  const view = new DataView(row.buffer);
  row[0] = FORMAT;
  const numbers = [firstSeenMs, decayedMs, ...sums, work, bestEver, lastShareMs, ...shares, blocks];
  numbers.forEach((number, i) => {
    view.setFloat64(1 + i * 8, number, true);
  });
  row.set(agentBytes, AGENT_AT);
  return row;
}

/** Decodes a worker's row. @throws DecodeError if the row has another format or is truncated */
export function decodeWorkerRow(row: Uint8Array): WorkerFigures {
  if (row.length < AGENT_AT || row[0] !== FORMAT) throw new DecodeError('a row of another format');
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  let at = 1;
  const next = (): number => {
    const number = view.getFloat64(at, true);
    at += 8;
    if (!Number.isFinite(number)) throw new DecodeError('a row with a number that is none');
    return number;
  };
  return {
    firstSeenMs: next(),
    decayedMs: next(),
    sums: WINDOWS_MS.map(next),
    work: next(),
    bestEver: next(),
    lastShareMs: next(),
    shares: SHARE_RESULTS.map(next),
    blocks: next(),
    agent: textOf(row.subarray(AGENT_AT)),
  };
}
