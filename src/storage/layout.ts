// All keys of the chain's database in one table. Only the functions below make keys.
//
//   prefix  rest of the key            value                                                                             codec
//   'b'     block hash, 32             header, height, status, file positions                                            codec/index-row.ts
//   'C'     txid, 32 | vout, BE32      coin                                                                              codec/coin.ts
//   't'     -                          hash of the block after which the coins are as stored, 32
//   'H'     -                          flush marker: from hash, 32 | to hash, 32
//   'R'     height mod 8, one byte     changes that disconnect one of the newest blocks                                  codec/rollback.ts
//   'D','u','J','S'                    as 'C', 't', 'H' and 'R': a second set of coins (CoinSpace)
//   'A'     -                          which set of coins the chain uses, and the state of the other                     codec/coin-sets.ts
//   'F'     flag name, ASCII           empty: set; no row: not set
//   'P'     file number, BE32          empty: blk and rev files of this number were pruned and still have to be deleted
//   'x'     txid, 32                   position of the transaction                                                       indexes/tx-index.ts
//   'o'     hash, 8 | place            empty: the transaction at this position may spend the output                      indexes/spender-index.ts
//   'g'     filter type, 1 | hash, 32  filter hash, filter header, filter                                                indexes/filter-index.ts
//   'm'     block hash, 32             sums over the coins after the block                                               indexes/coin-stats-row.ts
//   'I'     index name, ASCII          last processed block and state of an index                                        indexes/follower.ts
//
// Hashes are in internal byte order. vout is big-endian, so that the coins of a transaction are in order and all coins
// sort as in gettxoutsetinfo. Rows of wallets are in the wallets' own databases.

const ascii = (text: string): number => text.charCodeAt(0);

/** First byte of every key. */
export const PREFIX = {
  blockIndex: ascii('b'),
  coin: ascii('C'),
  tip: ascii('t'),
  flushMarker: ascii('H'),
  rollback: ascii('R'),
  otherCoin: ascii('D'),
  otherTip: ascii('u'),
  otherFlushMarker: ascii('J'),
  otherRollback: ascii('S'),
  coinSets: ascii('A'),
  flag: ascii('F'),
  prunedFile: ascii('P'),
  txIndex: ascii('x'),
  spender: ascii('o'),
  filterIndex: ascii('g'),
  coinStats: ascii('m'),
  indexState: ascii('I'),
} as const;

/** Length of an outpoint in a transaction: txid, 32, then vout little-endian, 4. */
export const OUTPOINT_BYTES = 36;
/** Length of a coin's key: prefix, txid, vout big-endian. */
export const COIN_KEY_BYTES = 37;

/** Number of the newest blocks that have a rollback row. */
export const ROLLBACK_ROWS = 8;

/** A range of all keys with one prefix. */
export interface PrefixRange {
  readonly gte: Uint8Array;
  readonly lt: Uint8Array;
}

/** Returns the range of all keys with a prefix byte. */
export function prefixRange(prefix: number): PrefixRange {
  return { gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) };
}

/**
 * Returns the key of a block's index row.
 * @param hash block hash, internal order
 */
export function blockIndexKey(hash: Uint8Array): Uint8Array {
  const key = new Uint8Array(33);
  key[0] = PREFIX.blockIndex;
  key.set(hash.subarray(0, 32), 1);
  return key;
}

/** Returns the block hash of a block index key, as a view. */
export function hashOfBlockIndexKey(key: Uint8Array): Uint8Array {
  return key.subarray(1, 33);
}

/**
 * Keys of one set of coins and of its tip. There are two sets: while the node uses a snapshot's coins, the other set
 * contains the coins made from the blocks below the snapshot. Most nodes use only the first set.
 */
export class CoinSpace {
  /** Key of the row with the hash of the block of these coins. */
  readonly tipKey: Uint8Array;
  readonly flushMarkerKey: Uint8Array;
  readonly coins: PrefixRange;
  readonly rollbacks: PrefixRange;
  readonly #coin: number;
  readonly #rollback: number;

  constructor(coin: number, tip: number, flushMarker: number, rollback: number) {
    this.#coin = coin;
    this.#rollback = rollback;
    this.tipKey = Uint8Array.of(tip);
    this.flushMarkerKey = Uint8Array.of(flushMarker);
    this.coins = prefixRange(coin);
    this.rollbacks = prefixRange(rollback);
  }

  /**
   * Returns the keys of coins, as views of one buffer.
   * @param outpoints 36 bytes each
   */
  keysOf(outpoints: readonly Uint8Array[]): Uint8Array[] {
    const buffer = new Uint8Array(outpoints.length * COIN_KEY_BYTES);
    return outpoints.map((outpoint, i) => {
      if (outpoint.length !== OUTPOINT_BYTES) throw new RangeError('an outpoint has 36 bytes');
      this.writeKey(buffer, i * COIN_KEY_BYTES, outpoint);
      return buffer.subarray(i * COIN_KEY_BYTES, (i + 1) * COIN_KEY_BYTES);
    });
  }

  /**
   * Writes the key of a coin into `key` at `offset`.
   * @param bytes buffer with the outpoint at `at`: 36 bytes, vout little-endian
   */
  writeKey(key: Uint8Array, offset: number, bytes: Uint8Array, at = 0): void {
    key[offset] = this.#coin;
    for (let i = 0; i < 32; i++) key[offset + 1 + i] = bytes[at + i]!;
    key[offset + 33] = bytes[at + 35]!;
    key[offset + 34] = bytes[at + 34]!;
    key[offset + 35] = bytes[at + 33]!;
    key[offset + 36] = bytes[at + 32]!;
  }

  /**
   * Returns the key of a coin.
   * @param outpoint 36 bytes, vout little-endian
   */
  key(outpoint: Uint8Array): Uint8Array {
    const key = new Uint8Array(COIN_KEY_BYTES);
    this.writeKey(key, 0, outpoint);
    return key;
  }

  /**
   * Returns the range of all coins of a transaction.
   * @param txid internal order
   */
  ofTx(txid: Uint8Array): PrefixRange {
    const gte = new Uint8Array(33);
    gte[0] = this.#coin;
    gte.set(txid.subarray(0, 32), 1);
    const lt = new Uint8Array(38).fill(0xff);
    lt.set(gte);
    return { gte, lt };
  }

  /** Returns the key of a block's rollback row. A later block with the same height modulo ROLLBACK_ROWS replaces it. */
  rollbackKey(height: number): Uint8Array {
    return Uint8Array.of(this.#rollback, height % ROLLBACK_ROWS);
  }
}

/** Set of coins of a new folder. */
export const FIRST_COINS = new CoinSpace(PREFIX.coin, PREFIX.tip, PREFIX.flushMarker, PREFIX.rollback);
/** Set into which the first snapshot is loaded. Later snapshots use whichever set is unused. */
export const SECOND_COINS = new CoinSpace(PREFIX.otherCoin, PREFIX.otherTip, PREFIX.otherFlushMarker, PREFIX.otherRollback);
/** Returns the other set of coins. */
export const otherCoins = (space: CoinSpace): CoinSpace => (space === FIRST_COINS ? SECOND_COINS : FIRST_COINS);
/** Key of the row about the two sets (codec/coin-sets.ts). Without this row the node uses the first set. */
export const COIN_SETS_KEY: Uint8Array = Uint8Array.of(PREFIX.coinSets);

/** Returns the outpoint of a coin's key as a new array: 36 bytes, vout little-endian. */
export function outpointOfCoinKey(key: Uint8Array): Uint8Array {
  const outpoint = new Uint8Array(OUTPOINT_BYTES);
  outpoint.set(key.subarray(1, 33));
  outpoint[32] = key[36]!;
  outpoint[33] = key[35]!;
  outpoint[34] = key[34]!;
  outpoint[35] = key[33]!;
  return outpoint;
}

/**
 * Returns the key of a flag.
 * @param name ASCII, e.g. "reindexing"
 */
export function flagKey(name: string): Uint8Array {
  return named(PREFIX.flag, name);
}

/**
 * Key of the flag that is set once any block was pruned. From then on, missing blocks are no damage. The name is
 * Core's.
 */
export const PRUNED_FLAG_KEY: Uint8Array = flagKey('prunedblockfiles');

/**
 * Returns the key of the row that marks a pruned file for deletion.
 * @param file number of the blk file
 */
export function prunedFileKey(file: number): Uint8Array {
  const key = new Uint8Array(5);
  key[0] = PREFIX.prunedFile;
  new DataView(key.buffer).setUint32(1, file);
  return key;
}

/** Returns the file number of a key made by prunedFileKey; null if the key has another length. */
export function fileOfPrunedFileKey(key: Uint8Array): number | null {
  return key.length === 5 ? new DataView(key.buffer, key.byteOffset, 5).getUint32(1) : null;
}

function named(prefix: number, name: string): Uint8Array {
  const key = new Uint8Array(1 + name.length);
  key[0] = prefix;
  for (let i = 0; i < name.length; i++) key[i + 1] = name.charCodeAt(i) & 0x7f;
  return key;
}

function withHash(head: readonly number[], hash: Uint8Array): Uint8Array {
  const key = new Uint8Array(head.length + 32);
  key.set(head);
  key.set(hash.subarray(0, 32), head.length);
  return key;
}

/**
 * Returns the key of a transaction's row in the transaction index.
 * @param txid internal order
 */
export const txIndexKey = (txid: Uint8Array): Uint8Array => withHash([PREFIX.txIndex], txid);
/**
 * Returns the key of a row in the spender index.
 * @param hash of the output, 8 bytes
 * @param place position of the spending transaction, encoded as in indexes/tx-place.ts
 */
export function spenderKey(hash: Uint8Array, place: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + hash.length + place.length);
  key[0] = PREFIX.spender;
  key.set(hash, 1);
  key.set(place, 1 + hash.length);
  return key;
}
/** Returns the position of the transaction in a key of spenderKey. */
export const placeOfSpenderKey = (key: Uint8Array): Uint8Array => key.subarray(9);
/**
 * Returns the range of all possible spenders of an output. The bytes of the upper bound are 255: a position begins
 * with a file number, whose varint never begins with 255.
 */
export const spendersRange = (hash: Uint8Array): PrefixRange => ({
  gte: spenderKey(hash, new Uint8Array(0)),
  lt: spenderKey(hash, new Uint8Array(16).fill(0xff)),
});
/**
 * Returns the key of a filter.
 * @param type BIP-0158 filter type
 * @param hash block hash, internal order
 */
export const filterIndexKey = (type: number, hash: Uint8Array): Uint8Array => withHash([PREFIX.filterIndex, type], hash);
/**
 * Returns the key of a block's row in the coin statistics index.
 * @param hash block hash, internal order
 */
export const coinStatsKey = (hash: Uint8Array): Uint8Array => withHash([PREFIX.coinStats], hash);
/**
 * Returns the key of an index's state.
 * @param name ASCII, e.g. "txindex"
 */
export const indexStateKey = (name: string): Uint8Array => named(PREFIX.indexState, name);

/** Encodes the flush marker: the coins in the database are in a state between these two blocks. */
export function encodeFlushMarker(from: Uint8Array, to: Uint8Array): Uint8Array {
  const value = new Uint8Array(64);
  value.set(from.subarray(0, 32), 0);
  value.set(to.subarray(0, 32), 32);
  return value;
}

/**
 * Decodes a flush marker.
 * @returns views, or null if the value has another length
 */
export function decodeFlushMarker(value: Uint8Array): { from: Uint8Array; to: Uint8Array } | null {
  return value.length === 64 ? { from: value.subarray(0, 32), to: value.subarray(32, 64) } : null;
}
