// Rebuilds the header of a share from mining.submit.

import { fromHex } from '../../consensus/bytes/hex.js';
import { writeU32 } from '../../consensus/bytes/writer.js';
import type { Hashes } from '../../crypto/crypto.js';
import { parseU32Hex } from '../codec/hex-fields.js';
import { textAt } from '../codec/request.js';
import { EXTRANONCE1_BYTES, EXTRANONCE2_BYTES } from '../work/coinbase.js';
import type { StratumJob } from '../work/job.js';
import type { Payout } from '../work/payouts.js';

/** Fields of mining.submit after user name and job id. */
export interface ShareFields {
  readonly extranonce2: Uint8Array;
  readonly time: number;
  readonly nonce: number;
  /** Bits that differ from the job's version; 0 if the miner sent none. */
  readonly versionBits: number;
}

export interface Share {
  /** Serialised without witness. */
  readonly coinbase: Uint8Array;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
}

const HEADER_BYTES = 80;
/** Memory in which shares are rebuilt, one after another. Arrays for each share would be a sixth of its cost. */
const header = new Uint8Array(HEADER_BYTES);
const headerPiece = Int32Array.of(0, HEADER_BYTES);
const coinbasePiece = new Int32Array(2);
const root = new Uint8Array(32);
const hash = new Uint8Array(32);
let coinbase = new Uint8Array(512);
/** Job and payout whose coinbase is in `coinbase`, except for the extranonces. */
let builtJob: StratumJob | null = null;
let builtPayout: Payout | null = null;

/** Parses the fields of a share. @returns an error text for the miner if a field is wrong */
export function readShareFields(params: readonly unknown[]): ShareFields | { readonly error: string } {
  const extranonce2 = textAt(params, 2);
  if (extranonce2 === null || extranonce2.length !== EXTRANONCE2_BYTES * 2 || !/^[0-9a-fA-F]+$/.test(extranonce2)) {
    return { error: 'Invalid extranonce2' };
  }
  const time = parseU32Hex(textAt(params, 3) ?? '');
  if (time === null) return { error: 'Invalid ntime' };
  const nonce = parseU32Hex(textAt(params, 4) ?? '');
  if (nonce === null) return { error: 'Invalid nonce' };
  const versionBits = params[5] === undefined || params[5] === null ? 0 : parseU32Hex(textAt(params, 5) ?? '');
  if (versionBits === null) return { error: 'Invalid version bits' };
  return { extranonce2: fromHex(extranonce2), time, nonce, versionBits };
}

/** Rebuilds a share. @returns its hash, valid until the next share is rebuilt */
export function hashShare(job: StratumJob, payout: Payout, extranonce1: Uint8Array, fields: ShareFields, hashes: Hashes): Uint8Array {
  const { coinbaseStart, tip } = job;
  if (job !== builtJob || payout !== builtPayout) buildCoinbase(job, payout);
  coinbase.set(extranonce1, coinbaseStart.length);
  coinbase.set(fields.extranonce2, coinbaseStart.length + EXTRANONCE1_BYTES);
  hashes.sha256dPieces(coinbase, coinbasePiece, 1, root, 0);
  hashes.sha256dPath(root, job.path);

  // XOR sets the miner's bits, because these are cleared in the job's version. If a miner sends other bits, XOR still
  // rebuilds the header that the miner hashed.
  writeU32(header, 0, job.version ^ fields.versionBits);
  header.set(tip.prevHash, 4);
  header.set(root, 36);
  writeU32(header, 68, fields.time);
  writeU32(header, 72, tip.bits);
  writeU32(header, 76, fields.nonce);
  hashes.sha256dPieces(header, headerPiece, 1, hash, 0);
  return hash;
}

/** Returns copies of the share that was rebuilt last. */
export function takeShare(): Share {
  return { coinbase: coinbase.slice(0, coinbasePiece[1]), header: header.slice(), hash: hash.slice() };
}

function buildCoinbase(job: StratumJob, payout: Payout): void {
  const start = job.coinbaseStart;
  const end = job.coinbaseEnd(payout);
  const endAt = start.length + EXTRANONCE1_BYTES + EXTRANONCE2_BYTES;
  const length = endAt + end.length;
  if (coinbase.length < length) coinbase = new Uint8Array(length);
  coinbase.set(start);
  coinbase.set(end, endAt);
  coinbasePiece[1] = length;
  builtJob = job;
  builtPayout = payout;
}
