// Computes sums and hashes over all unspent outputs for gettxoutsetinfo. Reads a cursor, which later changes of the
// coins do not affect, in slices.

import { readU32 } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import type { Hashes, Sha256Stream } from '../../crypto/crypto.js';
import { MuHash } from '../../crypto/muhash.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { bogoSizeOf, coinElement } from '../../storage/codec/coin-element.js';
import { outpointOfCoinKey } from '../../storage/layout.js';
import type { StoreCursor } from '../../storage/store.js';
import type { CoinsStats } from '../connect/outcome.js';

/** Number of coins read at a time. */
const SLICE = 500;

/** Hashes to compute during the walk. */
export interface CoinsHashing {
  readonly hashes: Hashes;
  /** Serialised hash to compute: Core's hash_serialized_2, hash_serialized_3, or none. */
  readonly serialized: 2 | 3 | null;
  readonly muhash: boolean;
}

/** Error of a walk over the coins that was stopped, because the node stops or all clients of its result have left. */
export class WalkStoppedError extends Error {}

/**
 * Walks over all coins and returns their figures.
 * @param cursor cursor over exactly the coins at `tip`; closed by this function
 * @param stopping checked between slices
 * @throws WalkStoppedError
 */
export async function sumCoins(
  cursor: StoreCursor,
  tip: { readonly height: number; readonly hash: Uint8Array },
  hashing: CoinsHashing,
  stopping: () => boolean,
): Promise<Omit<CoinsStats, 'diskSize'>> {
  const { hashes } = hashing;
  const hash = hashing.serialized === 2 ? new CoinsHash(hashes, tip.hash) : null;
  const elements = hashing.serialized === 3 ? hashes.sha256Stream() : null;
  const set = hashing.muhash ? new MuHash(hashes) : null;
  const slice = new TimeSlice();
  let transactions = 0;
  let outputs = 0;
  let bogoSize = 0;
  // The sum exceeds 2^53 only if coins were forged; a bigint keeps it exact even then.
  let total = 0n;
  let lastTxid: Uint8Array | null = null;
  try {
    for (let rows = await cursor.next(SLICE); rows.length > 0; rows = await cursor.next(SLICE)) {
      if (stopping()) throw new WalkStoppedError('The scan of the UTXO set was interrupted because the node is shutting down');
      for (const [key, value] of rows) {
        const outpoint = outpointOfCoinKey(key);
        const coin = decodeCoin(value) as Coin;
        const first = lastTxid === null || !sameTxid(lastTxid, outpoint);
        if (first) transactions++;
        lastTxid = outpoint;
        outputs++;
        bogoSize += bogoSizeOf(coin.script);
        total += BigInt(coin.value);
        hash?.add(outpoint, coin, first);
        elements?.update(coinElement(outpoint, coin));
        set?.insert(coinElement(outpoint, coin));
        if (slice.over) await slice.next();
      }
    }
  } finally {
    await cursor.close();
  }
  const hashSerialized = elements === null ? (hash?.finish() ?? null) : hashes.sha256(elements.digest());
  const muhash = set === null ? null : set.digest();
  const { height, hash: bestBlock } = tip;
  return { height, bestBlock, transactions, outputs, bogoSize, hashSerialized, muhash, totalSats: Number(total) };
}

/**
 * Computes Core's hash_serialized_3 over all coins of a cursor: sha256d over the coins as set elements. Works in
 * slices.
 * @param cursor closed by this function
 * @param passed called with the number of coins read; returns false to stop
 * @returns the hash in internal order; null if `passed` returned false
 */
export async function hashCoins(cursor: StoreCursor, hashes: Hashes, passed: (coins: number) => boolean): Promise<Uint8Array | null> {
  const stream = hashes.sha256Stream();
  const slice = new TimeSlice();
  try {
    for (let rows = await cursor.next(SLICE); rows.length > 0; rows = await cursor.next(SLICE)) {
      for (const [key, value] of rows) stream.update(coinElement(outpointOfCoinKey(key), decodeCoin(value)));
      if (!passed(rows.length)) return null;
      if (slice.over) await slice.next();
    }
  } finally {
    await cursor.close();
  }
  return hashes.sha256(stream.digest());
}

function sameTxid(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Core's hash_serialized_2: the tip's hash, then per transaction: txid, the varint of a flag that is 1 unless height
 * and coinbase are both zero (an operator precedence slip that became the format), per output varint(vout + 1), script,
 * varint(value), and a closing 0.
 */
class CoinsHash {
  readonly #stream: Sha256Stream;
  #open = false;
  readonly #hashes: Hashes;

  constructor(hashes: Hashes, tipHash: Uint8Array) {
    this.#hashes = hashes;
    this.#stream = hashes.sha256Stream().update(tipHash);
  }

  add(outpoint: Uint8Array, coin: Coin, first: boolean): void {
    const out = new ByteWriter(64 + coin.script.length);
    if (first) {
      if (this.#open) out.u8(0);
      this.#open = true;
      out.bytes(outpoint.subarray(0, 32)).u8(coin.height !== 0 || coin.coinbase ? 1 : 0);
    }
    writeVarint(out, readU32(outpoint, 32) + 1);
    out.varBytes(coin.script);
    writeVarint(out, coin.value);
    this.#stream.update(out.finish());
  }

  finish(): Uint8Array {
    if (this.#open) this.#stream.update(Uint8Array.of(0));
    return this.#hashes.sha256(this.#stream.digest());
  }
}

/** Writes Core's VARINT: base 128, most significant group first; each group except the last is stored minus one. */
function writeVarint(out: ByteWriter, value: number): void {
  const groups: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128) - 1) {
    groups.push((rest % 128) | (groups.length > 0 ? 0x80 : 0));
    if (rest < 128) break;
  }
  for (let i = groups.length - 1; i >= 0; i--) out.u8(groups[i] as number);
}
