// Makes a chain over a memory store and block files in a temporary folder, for unit tests and benches of the chain
// module.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain } from '../../src/chain/chain.js';
import type { ChainDeps, ChainOptions } from '../../src/chain/options.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import type { Clock } from '../../src/lib/clock.js';
import { type Logger, silentLogger } from '../../src/log/logger.js';
import { InlineVerifier } from '../../src/parallel/inline-verifier.js';
import type { Verifier } from '../../src/parallel/verifier.js';
import { BlockFiles, type BlockFilesOptions } from '../../src/storage/block-files.js';
import { PREFIX, prefixRange } from '../../src/storage/layout.js';
import { MemoryStore } from '../../src/storage/memory-store.js';
import type { Store } from '../../src/storage/store.js';

/** Later than all test blocks, unless moved. */
export const TEST_NOW = 1_900_000_000;

/**
 * Tip age that counts every test block as recent: changes are written at once. The default of Core means initial
 * download for them.
 */
export const OUT_OF_DOWNLOAD = 1_000_000_000;
export const IN_DOWNLOAD = 24 * 60 * 60;

/** A clock that stands still until it is set. */
export class TestClock implements Clock {
  seconds = TEST_NOW;
  nowSeconds(): number {
    return this.seconds;
  }
  nowMs(): number {
    return Date.now();
  }
  monotonicMs(): number {
    return performance.now();
  }
}

export const crypto = createNativeCrypto();

export interface FixtureOptions extends Partial<ChainOptions> {
  readonly network?: 'main' | 'signet' | 'regtest';
  readonly store?: Store;
  readonly dir?: string;
  readonly verifier?: Verifier;
  readonly log?: Logger;
  readonly clock?: TestClock;
  /** Other sizes of block files. */
  readonly fileSizes?: Partial<BlockFilesOptions>;
  /** Puts something between the chain and its files. */
  readonly wrapFiles?: (files: BlockFiles) => BlockFiles;
  readonly deps?: Partial<ChainDeps>;
}

export interface Fixture {
  readonly chain: Chain;
  readonly store: Store;
  readonly dir: string;
  readonly clock: TestClock;
  readonly faults: Error[];
  /** Closes the chain and removes the folder. */
  end(): Promise<void>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'adit-chain-'));
}

/** Returns the chain's faces by their names in the contexts of net and rpc. */
export function facesOf({ view: chain, blocks, coins, commands, download, events }: Chain) {
  return { chain, blocks, coins, commands, download, events };
}

/** Opens a chain; with `store` and `dir` of an earlier one it is a restart. */
export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const {
    network,
    store: givenStore,
    dir: givenDir,
    verifier,
    log,
    clock: givenClock,
    wrapFiles,
    fileSizes,
    deps,
    ...chainOptions
  } = options;
  const store = givenStore ?? new MemoryStore();
  const dir = givenDir ?? temporaryFolder();
  const clock = givenClock ?? new TestClock();
  const params = chainParams(network ?? 'regtest');
  const faults: Error[] = [];
  const chain = await Chain.open(
    { coinsCacheBytes: 64 << 20, maxTipAge: OUT_OF_DOWNLOAD, ...chainOptions },
    {
      params,
      store,
      openFiles: async (known) => {
        const files = await BlockFiles.open({ dir, magic: params.magic, ...known, ...fileSizes }, { hashes: crypto });
        return wrapFiles === undefined ? files : wrapFiles(files);
      },
      verifier: verifier ?? new InlineVerifier(crypto),
      crypto,
      clock,
      log: log ?? silentLogger,
      onFault: (fault) => faults.push(fault),
      ...deps,
    },
  );
  const end = async () => {
    await chain.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { chain, store, dir, clock, faults, end };
}

/** Every coin in the store, flushed: hex of key to hex of value. */
export async function coinsOf(fixture: Fixture): Promise<Map<string, string>> {
  if (fixture.chain.fault === null) await fixture.chain.commands.flush();
  return storedCoins(fixture.store);
}

export async function storedCoins(store: Store): Promise<Map<string, string>> {
  const coins = new Map<string, string>();
  for await (const [key, value] of store.iterate(prefixRange(PREFIX.coin))) {
    coins.set(Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex'));
  }
  return coins;
}
