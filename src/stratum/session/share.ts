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

/** A rebuilt share. Coinbase and header are valid until the next share is rebuilt. */
export interface Share {
  /** Serialised without witness. */
  readonly coinbase: Uint8Array;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
}

/** Memory in which shares are rebuilt, one after another. Arrays for each share would be a sixth of its cost. */
const header = new Uint8Array(80);
const pair = new Uint8Array(64);
let scratch = new Uint8Array(512);

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

export function rebuildShare(job: StratumJob, payout: Payout, extranonce1: Uint8Array, fields: ShareFields, hashes: Hashes): Share {
  const start = job.coinbaseStart;
  const end = job.coinbaseEnd(payout);
  const extranoncesEnd = start.length + EXTRANONCE1_BYTES + EXTRANONCE2_BYTES;
  const length = extranoncesEnd + end.length;
  if (scratch.length < length) scratch = new Uint8Array(length);
  const coinbase = scratch.subarray(0, length);
  coinbase.set(start);
  coinbase.set(extranonce1, start.length);
  coinbase.set(fields.extranonce2, start.length + EXTRANONCE1_BYTES);
  coinbase.set(end, extranoncesEnd);

  pair.set(hashes.sha256d(coinbase));
  for (const sibling of job.template.branch) {
    pair.set(sibling, 32);
    hashes.sha256dPairs(pair, 0, 1, pair, 0);
  }

  // XOR sets the miner's bits, because these are cleared in the job's version. If a miner sends other bits, XOR still
  // rebuilds the header that the miner hashed.
  writeU32(header, 0, job.version ^ fields.versionBits);
  header.set(job.tip.prevHash, 4);
  header.set(pair.subarray(0, 32), 36);
  writeU32(header, 68, fields.time);
  writeU32(header, 72, job.tip.bits);
  writeU32(header, 76, fields.nonce);
  return { coinbase, header, hash: hashes.sha256d(header) };
}
