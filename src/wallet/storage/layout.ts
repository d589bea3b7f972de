// All database keys of a wallet. Each wallet has a RocksDB database of its own. No other file defines a prefix.
//
//   prefix  rest of the key                      value (rows.ts)
//   's'     -                                    schema version, one byte
//   'N'     -                                    counters, flags, version, HD chain (wallet record, msgpack)
//   'L'     -                                    locator: block hashes, 32 each, newest first
//   'k'     HASH160 of public key, 20            key row: public key, secret (plain or encrypted), times, origin
//   'c'     HASH160 of script, 20                redeem or witness script with its time
//   'w'     output script                        watched: time, u64
//   'p'     pool index, BE64                     key pool entry: time, HASH160 of the key, internal, pre-split
//   'd'     descriptor id, 32                    descriptor record (msgpack)
//   'e'     descriptor id, 32 | index, BE32      output scripts of that index, and public keys they need
//   'y'     descriptor id, 32 | key id, 20       private key of a descriptor (plain or encrypted)
//   'a'     output script of the address         label, purpose, used mark (msgpack)
//   'l'     txid, 32 | vout, BE32                output locked by lockunspent
//   'm'     master key number, BE32              encrypted master key
//   'q'     -                                    scripts to reassess; empty: all scripts (reassess.ts)
//   'Q'     -                                    of earlier versions; ignored
//   'S'     -                                    empty: encrypted, but the seed is older; the first unlocking makes a new one
//   'R'     -                                    past blocks to scan: next height, last height
//   't'     txid, 32                             transaction record: state, block, times, order, values (coins/tx-row.ts)
//   'r'     order of arrival, BE64               transaction bytes with witness
//   'v'     txid, 32 | wtxid, 32                 bytes of one version of a transaction that was seen with several witnesses
//   'o'     outpoint, 36 (vout LE)                output of the wallet: ownership, value, output script (coins/coin-table.ts)
//   'f'     mark of an output script, BE32       empty: transactions pay a foreign script with this mark (coins/foreign-outputs.ts)
//   'f'     mark, BE32 | order of arrival, BE32  empty: one of these transactions
//   'i'     spent outpoint, 36 | spender's txid, 32            empty: spender of an outpoint, in any state
//   'h'     height, BE32 | position, BE32 | txid, 32           empty: transaction of the best chain by position
//   'T'     -                                    id of the image of the tables (image/), 16
//   'J'     image id, 8 | number, BE64           keys of rows written since that image (msgpack)
//
// Outputs by script and the sums behind balances are only in the tables (coins/coin-table.ts), which are read from
// their image or built from 'o' and 'i'. txids are in internal byte order. Iteration over 't' is Core's order of
// mapWallet.

const ascii = (text: string): number => text.charCodeAt(0);

/** First byte of every key. */
export const WALLET_PREFIX = {
  schema: ascii('s'),
  wallet: ascii('N'),
  locator: ascii('L'),
  key: ascii('k'),
  script: ascii('c'),
  watched: ascii('w'),
  pool: ascii('p'),
  descriptor: ascii('d'),
  descriptorScripts: ascii('e'),
  descriptorKey: ascii('y'),
  address: ascii('a'),
  lockedCoin: ascii('l'),
  masterKey: ascii('m'),
  reassess: ascii('q'),
  needsNewSeed: ascii('S'),
  rescan: ascii('R'),
  tx: ascii('t'),
  txBytes: ascii('r'),
  version: ascii('v'),
  output: ascii('o'),
  foreign: ascii('f'),
  spender: ascii('i'),
  byHeight: ascii('h'),
  image: ascii('T'),
  journal: ascii('J'),
} as const;

/** Prefixes of descriptor rows, in the order in which they are read. */
export const DESCRIPTOR_ROWS = [WALLET_PREFIX.descriptor, WALLET_PREFIX.descriptorKey, WALLET_PREFIX.descriptorScripts] as const;

/** Returns whether a row belongs to the image of the tables. Such a row must not be copied to another database. */
export const isOfImage = (key: Uint8Array): boolean => key[0] === WALLET_PREFIX.image || key[0] === WALLET_PREFIX.journal;

/**
 * Version of this layout. Code that writes rows must also maintain the journal of the image (rows 'J') and the index of
 * foreign outputs (rows 'f'). Wallets of version 1 or 2 lack these rows and get them when they are loaded. Wallets of a
 * later version are refused.
 */
export const WALLET_SCHEMA = 3;

/** Joins a prefix and parts into a key. Numbers are 32-bit big-endian. */
export function walletKey(prefix: number, ...parts: readonly (Uint8Array | number)[]): Uint8Array {
  let size = 1;
  for (const part of parts) size += typeof part === 'number' ? 4 : part.length;
  const key = new Uint8Array(size);
  key[0] = prefix;
  let at = 1;
  for (const part of parts) {
    if (typeof part === 'number') {
      key[at++] = part >>> 24;
      key[at++] = part >>> 16;
      key[at++] = part >>> 8;
      key[at++] = part;
    } else {
      key.set(part, at);
      at += part.length;
    }
  }
  return key;
}

/** Reads a 32-bit big-endian number from a key. */
export function keyNumber(key: Uint8Array, at: number): number {
  return ((key[at] << 24) | (key[at + 1] << 16) | (key[at + 2] << 8) | key[at + 3]) >>> 0;
}

/** Encodes an integer below 2^53 as eight bytes, big-endian. */
export function be64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  let left = value;
  for (let at = 7; at >= 0; at--) {
    const rest = Math.floor(left / 256);
    bytes[at] = left - rest * 256;
    left = rest;
  }
  return bytes;
}

/** Decodes a number that be64 encoded. */
export function fromBe64(bytes: Uint8Array, at = 0): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(at));
}
