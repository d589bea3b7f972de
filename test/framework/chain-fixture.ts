// Makes a chain over a memory store and block files in a temporary folder, for unit tests and benches of the chain
// module.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain } from '../../src/chain/chain.js';
import type { ChainDeps, ChainOptions } from '../../src/chain/options.js';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import type { Clock } from '../../src/lib/clock.js';
import { type Logger, silentLogger } from '../../src/log/logger.js';
import type { Verifier } from '../../src/parallel/verifier.js';
import { BlockFiles, type BlockFilesOptions } from '../../src/storage/block-files.js';
import { PREFIX, prefixRange } from '../../src/storage/layout.js';
import { MemoryStore } from '../../src/storage/memory-store.js';
import type { Store } from '../../src/storage/store.js';
import { InlineVerifier } from './inline-verifier.js';

/** A time after all test blocks, the default of the fixture's clock. */
export const TEST_NOW = 1_900_000_000;

/**
 * Value of -maxtipage with which no test block is old, so that the chain is not in the initial block download and
 * writes changes at once. With Core's default, test blocks would be in the initial block download.
 */
export const OUT_OF_DOWNLOAD = 1_000_000_000;
export const IN_DOWNLOAD = 24 * 60 * 60;

/** A clock that only changes when a test sets it. */
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
  readonly network?: ChainName;
  readonly store?: Store;
  readonly dir?: string;
  readonly verifier?: Verifier;
  readonly log?: Logger;
  readonly clock?: TestClock;
  /** Sizes of block files that differ from the defaults. */
  readonly fileSizes?: Partial<BlockFilesOptions>;
  /** Replaces the block files by a wrapper around them. */
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

/** Returns the chain's interfaces under the names that the contexts of net and rpc use. */
export function facesOf({ view: chain, blocks, coins, commands, download, events }: Chain) {
  return { chain, blocks, coins, commands, download, events };
}

/** Opens a chain. With `store` and `dir` of an earlier fixture, it is restarted. */
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

/** Flushes the coins, and returns all of them as hex: key and value. */
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

/** Resolves when the chain has connected all stored blocks that it can connect. It connects them in several changes. */
export async function allConnected({ chain }: Pick<Fixture, 'chain'>): Promise<void> {
  for (let tip: unknown; tip !== chain.view.tip; await new Promise((resolve) => setImmediate(resolve))) {
    tip = chain.view.tip;
    await chain.commands.settled();
  }
}
