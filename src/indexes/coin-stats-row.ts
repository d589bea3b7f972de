// Row of the coin statistics index: sums over all coins after a block as varints in the order of the fields of
// CoinTotals, then the MuHash of the coins, 32 bytes. Amounts are sums over the whole history and may exceed 2^53
// satoshis, hence bigint.

import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { readVarint, readVarintBig, writeVarint } from '../storage/codec/varint.js';

/**
 * Sums after a block. Amounts in satoshis. `amount` concerns the current coins; the other amounts are sums over the
 * history of the chain.
 */
export interface CoinTotals {
  /** Number of unspent outputs. */
  outputs: number;
  /** Sum of Core's bogosize. */
  bogoSize: number;
  /** Sum of all unspent coins. */
  amount: bigint;
  subsidy: bigint;
  /** Amount that can never be spent, for any reason. */
  unspendable: bigint;
  prevoutSpent: bigint;
  newOutputsExCoinbase: bigint;
  coinbase: bigint;
  /** Parts of `unspendable`, by reason. */
  unspendableGenesis: bigint;
  unspendableBip30: bigint;
  unspendableScripts: bigint;
  unclaimedRewards: bigint;
}

const BIG_FIELDS = [
  'amount',
  'subsidy',
  'unspendable',
  'prevoutSpent',
  'newOutputsExCoinbase',
  'coinbase',
  'unspendableGenesis',
  'unspendableBip30',
  'unspendableScripts',
  'unclaimedRewards',
] as const;

/** Returns the sums before the genesis block. */
export const noCoins = (): CoinTotals => ({
  outputs: 0,
  bogoSize: 0,
  amount: 0n,
  subsidy: 0n,
  unspendable: 0n,
  prevoutSpent: 0n,
  newOutputsExCoinbase: 0n,
  coinbase: 0n,
  unspendableGenesis: 0n,
  unspendableBip30: 0n,
  unspendableScripts: 0n,
  unclaimedRewards: 0n,
});

/**
 * Encodes a row.
 * @param muhash 32 bytes, as MuHash.digest returns it
 */
export function encodeCoinStats(totals: CoinTotals, muhash: Uint8Array): Uint8Array {
  const out = new ByteWriter(128);
  writeVarint(out, totals.outputs);
  writeVarint(out, totals.bogoSize);
  for (const field of BIG_FIELDS) writeVarint(out, totals[field]);
  return out.bytes(muhash).finish();
}

/** @throws DecodeError */
export function decodeCoinStats(row: Uint8Array): { totals: CoinTotals; muhash: Uint8Array } {
  const reader = new ByteReader(row);
  const totals = noCoins();
  totals.outputs = readVarint(reader);
  totals.bogoSize = readVarint(reader);
  for (const field of BIG_FIELDS) totals[field] = readVarintBig(reader);
  const muhash = reader.bytes(32);
  if (reader.remaining > 0) throw new DecodeError('coin statistics row too long');
  return { totals, muhash };
}
