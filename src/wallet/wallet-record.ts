// The row with a wallet's version, flags, HD chain and counters. The row is cached in memory. Every batch that changes
// a field writes the whole row.
import { WALLET_PREFIX, walletKey } from './storage/layout.js';
import { bytesOf, packRow, type RowValue, unpackRow } from './storage/rows.js';
import type { WalletBatch } from './storage/wallet-batch.js';

/** Wallet flags, with Core's names and bits. */
export const WALLET_FLAG = {
  AVOID_REUSE: 1n << 0n,
  KEY_ORIGIN_METADATA: 1n << 1n,
  DISABLE_PRIVATE_KEYS: 1n << 32n,
  BLANK: 1n << 33n,
  DESCRIPTORS: 1n << 34n,
  EXTERNAL_SIGNER: 1n << 35n,
} as const;

/** Flags that this version knows. A wallet with unknown flags above bit 31 must not be loaded. */
export const KNOWN_FLAGS = Object.values(WALLET_FLAG).reduce((all, flag) => all | flag, 0n);

/** Core's wallet versions (FEATURE numbers). HD: keys derived from a seed; HD_SPLIT: separate keys for change. */
export const WALLET_VERSION = { HD: 130000, HD_SPLIT: 139900, LATEST: 169900 } as const;

/** A seed, with the next indices of its receiving keys (external) and change keys (internal). */
export interface HdChain {
  /** HASH160 of the seed key's public key. */
  readonly seedId: Uint8Array;
  external: number;
  internal: number;
}

const chainRow = (chain: HdChain): RowValue => [chain.seedId, chain.external, chain.internal];
const chainOf = (row: RowValue): HdChain | null =>
  Array.isArray(row) ? { seedId: bytesOf(row[0]), external: Number(row[1]), internal: Number(row[2]) } : null;

const KEY = /* @__PURE__ */ walletKey(WALLET_PREFIX.wallet);

export class WalletRecord {
  version: number = WALLET_VERSION.LATEST;
  flags = 0n;
  hd: HdChain | null = null;
  inactive: HdChain[] = [];
  nextOrder = 0;
  lastPoolIndex = 0;
  /** Ids of the descriptors that give out addresses, by `${type}/${internal ? 1 : 0}`. */
  active = new Map<string, Uint8Array>();
  /** Time of the earliest key, seconds since 1970; Infinity without keys. */
  birthSeconds = Number.POSITIVE_INFINITY;

  get privateKeysDisabled(): boolean {
    return this.has(WALLET_FLAG.DISABLE_PRIVATE_KEYS);
  }
  has(flag: bigint): boolean {
    return (this.flags & flag) !== 0n;
  }
  get canSplit(): boolean {
    return this.version >= WALLET_VERSION.HD_SPLIT;
  }
  /**
   * Records the time of a key. 0 or less counts as 1, the beginning of the chain.
   * @returns whether this time is the earliest so far
   */
  recordBirth(seconds: number): boolean {
    const before = this.birthSeconds;
    this.birthSeconds = Math.min(before, Math.max(seconds, 1));
    return this.birthSeconds < before;
  }

  write(batch: WalletBatch): void {
    batch.putOnce(KEY, () =>
      packRow([
        this.version,
        this.flags.toString(),
        this.hd && chainRow(this.hd),
        this.inactive.map(chainRow),
        this.nextOrder,
        this.lastPoolIndex,
        [...this.active].map(([slot, id]) => [slot, id]),
        Number.isFinite(this.birthSeconds) ? this.birthSeconds : null,
      ]),
    );
  }

  static key(): Uint8Array {
    return KEY;
  }
  static decode(value: Uint8Array): WalletRecord {
    const [version, flags, hd, inactive, nextOrder, lastPoolIndex, active, birth] = unpackRow(value);
    const record = new WalletRecord();
    record.version = Number(version);
    record.flags = BigInt(String(flags));
    record.hd = chainOf(hd);
    record.inactive = Array.isArray(inactive) ? inactive.map(chainOf).filter((chain) => chain !== null) : [];
    record.nextOrder = Number(nextOrder);
    record.lastPoolIndex = Number(lastPoolIndex);
    if (Array.isArray(active)) {
      for (const pair of active) if (Array.isArray(pair)) record.active.set(String(pair[0]), bytesOf(pair[1]));
    }
    record.birthSeconds = birth === null || birth === undefined ? Number.POSITIVE_INFINITY : Number(birth);
    return record;
  }
}
