// Reads a snapshot file in the format of releases since 28 (coins-dump.ts has its layout), in pieces. The file is not
// trusted: this module checks everything that can be checked without the other coins. The caller checks the hash over
// all coins before any coin is used. Messages are Core's (src/node/utxo_snapshot.h, validation.cpp).

import type { FileHandle } from 'node:fs/promises';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { Coin } from '../../consensus/coin.js';
import { MAX_MONEY } from '../../consensus/limits.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { networkOfMagic } from '../../consensus/params/networks.js';
import { openFile } from '../../lib/open-file.js';
import { readAmount, readHeightCode } from '../../storage/codec/coin.js';
import { readScript } from '../../storage/codec/script.js';
import { SNAPSHOT_HEAD_BYTES, SNAPSHOT_MAGIC, SNAPSHOT_VERSION } from '../coins/coins-dump.js';

/** Number of bytes read at a time. */
const PIECE_BYTES = 4 << 20;
/** Upper limit in bytes for the header of a transaction's coins (txid and count) with one coin. */
const RECORD_BYTES = 64 << 10;

/**
 * Thrown if a snapshot is refused. `part` is 'head' if the header of the file is wrong, 'coins' if its coins are, 'use'
 * if the snapshot cannot be used now.
 */
export class SnapshotError extends Error {
  constructor(
    readonly part: 'head' | 'coins' | 'use',
    message: string,
  ) {
    super(message);
  }
}

/** Header of a snapshot file. */
export interface SnapshotHead {
  /** Hash of the block of the coins, internal order. */
  readonly base: Uint8Array;
  /** Number of coins in the file. */
  readonly coins: number;
}

/** A coin with its outpoint: 36 bytes, vout little-endian. */
export interface SnapshotCoin {
  readonly outpoint: Uint8Array;
  readonly coin: Coin;
}

export class SnapshotFile {
  #bytes: Uint8Array = new Uint8Array(0);
  #reader = new ByteReader(this.#bytes);
  #atEnd = false;
  /** Number of coins read. */
  #read = 0;
  /** Number of coins of the current transaction that are not read yet. */
  #ofTx = 0;
  #txid: Uint8Array = new Uint8Array(32);
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Opens a file.
   * @throws the system's error, or an error if it is not a regular file
   */
  static async open(path: string): Promise<SnapshotFile> {
    return new SnapshotFile(await openFile(path));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Reads the header of the file. @throws SnapshotError */
  async head(params: ChainParams): Promise<SnapshotHead> {
    await this.#refill();
    const reader = this.#reader;
    const refuse = (why: string): never => {
      throw new SnapshotError('head', why);
    };
    const short = (bytes: number): void => {
      if (reader.remaining < bytes) refuse('AutoFile::read: end of file: unspecified iostream_category error');
    };
    short(SNAPSHOT_MAGIC.length);
    if (!equalBytes(reader.bytes(SNAPSHOT_MAGIC.length), SNAPSHOT_MAGIC)) {
      refuse(
        'Invalid UTXO set snapshot magic bytes. Please check if this is indeed a snapshot file or if you are using an outdated snapshot format.',
      );
    }
    short(2);
    const version = reader.u16();
    if (version !== SNAPSHOT_VERSION) refuse(`Version of snapshot ${version} does not match any of the supported versions.`);
    short(4);
    const magic = reader.bytes(4);
    if (!equalBytes(magic, params.magic)) {
      const name = networkOfMagic(magic);
      refuse(
        name === null
          ? 'This snapshot has been created for an unrecognized network. This could be a custom signet, a new testnet or possibly caused by data corruption.'
          : `The network of the snapshot (${name}) does not match the network of this node (${params.name}).`,
      );
    }
    short(SNAPSHOT_HEAD_BYTES - reader.offset);
    const base = reader.bytes(32).slice();
    const coins = reader.u64big();
    // No file has more coins than a safe integer can count. The reading of such a file fails later, so limit the
    // number.
    return { base, coins: Number(coins > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : coins) };
  }

  /**
   * Reads the next coins, at most `most`. Returns an empty list once all coins that the header announces were read and
   * nothing follows them.
   * @param baseHeight height of the snapshot block; a coin with a larger height is an error
   * @throws SnapshotError
   */
  async next({ coins }: SnapshotHead, baseHeight: number, most: number): Promise<SnapshotCoin[]> {
    const some: SnapshotCoin[] = [];
    while (some.length < most && this.#read < coins) {
      await this.#refill();
      try {
        some.push(this.#coin(coins, baseHeight));
        this.#read++;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        throw new SnapshotError('coins', `Bad snapshot format or truncated snapshot after deserializing ${this.#read} coins`);
      }
    }
    if (some.length === 0) {
      await this.#refill();
      if (this.#reader.remaining > 0) {
        throw new SnapshotError('coins', `Bad snapshot - coins left over after deserializing ${coins} coins`);
      }
    }
    return some;
  }

  #coin(coins: number, baseHeight: number): SnapshotCoin {
    const reader = this.#reader;
    const done = this.#read;
    while (this.#ofTx === 0) {
      this.#txid = reader.bytes(32).slice();
      this.#ofTx = reader.compactSize();
      if (this.#ofTx > coins - done) {
        throw new SnapshotError('coins', 'Mismatch in coins count in snapshot metadata and actual snapshot data');
      }
    }
    const index = reader.compactSize();
    const code = readHeightCode(reader);
    const value = readAmount(reader);
    const script = readScript(reader);
    const height = Math.floor(code / 2);
    if (height > baseHeight) throw new SnapshotError('coins', `Bad snapshot data after deserializing ${done} coins`);
    if (value > MAX_MONEY) throw new SnapshotError('coins', `Bad snapshot data after deserializing ${done} coins - bad tx out value`);
    this.#ofTx--;
    const outpoint = new Uint8Array(36);
    outpoint.set(this.#txid);
    new DataView(outpoint.buffer).setUint32(32, index, true);
    return { outpoint, coin: { value, script, height, coinbase: code % 2 === 1 } };
  }

  /** Reads enough bytes for the next coin, or all remaining bytes. */
  async #refill(): Promise<void> {
    if (this.#atEnd || this.#reader.remaining >= RECORD_BYTES) return;
    const left = this.#bytes.subarray(this.#reader.offset);
    const bytes = new Uint8Array(left.length + PIECE_BYTES);
    bytes.set(left);
    let length = left.length;
    while (!this.#atEnd && length < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) this.#atEnd = true;
      length += bytesRead;
    }
    this.#bytes = bytes.subarray(0, length);
    this.#reader = new ByteReader(this.#bytes);
  }
}
