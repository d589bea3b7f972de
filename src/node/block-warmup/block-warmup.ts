// Warm-up: a throwaway node processes made-up blocks, so that V8 has compiled the code for the first real block.
// Without it that block takes two to three times as long as later ones. See
// docs/decisions/0024-warm-up-with-made-up-blocks.md.

import fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyTools } from '../../address/bip32/extended-key.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Logger } from '../../log/logger.js';
import type { Assembler } from '../../parallel/assembler.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';
import type { Verifier } from '../../parallel/verifier.js';
import type { SigningTools } from '../../signing/index.js';
import { coinsOf, type OwnCoin, Payments } from './payments.js';
import { ThrowawayNode, type ThrowawayNodeDeps } from './throwaway-node.js';

/** Interval in milliseconds between checks whether the node has other work. */
const GIVE_WAY_MS = 10;
/** Number of blocks until the first coinbase may be spent. */
const RIPE = 100;
/**
 * Size of a full warm-up. Fewer inputs, or the same number in smaller blocks, have less effect. Signing takes most of
 * the time, so each unseen block is checked as a proposal before it is submitted; known blocks need no signatures.
 */
const FULL: BlockWarmupSize = { unseen: 4, inputs: 1_200, tried: 2, known: 4, knownInputs: 4_800 };

/**
 * Script that coinbases pay to. It makes blocks large enough for the code of large blocks
 * (chain/connect/large-block.ts), though they have few signatures. It consists of OP_RETURN, so it has no signature
 * operations and cannot be spent.
 */
const longScript = (): Uint8Array => new Uint8Array(500_000).fill(0x6a);

export interface BlockWarmupSize {
  /** Number of blocks with unseen transactions, their inputs, and how often each is checked as a proposal first. */
  readonly unseen: number;
  readonly inputs: number;
  readonly tried: number;
  /**
   * Number of blocks with transactions from the mempool, and their inputs. As many other transactions stay in the
   * mempool.
   */
  readonly known: number;
  readonly knownInputs: number;
}

export interface BlockWarmupDeps extends Pick<ThrowawayNodeDeps, 'mempool' | 'templates'> {
  /** Folder of its block files only. Deleted at the end, or by the next warm-up after a process was killed. */
  readonly dir: string;
  readonly crypto: Crypto;
  readonly keys: KeyTools['keys'];
  readonly signing: SigningTools;
  /** Verifies scripts on the node's threads, without caching results. */
  readonly verifier: Verifier;
  readonly blockHasher: BlockHasher;
  /** Uses the thread of the node's assembler. */
  readonly assembler: Assembler;
  /** Returns whether the node has other work. The warm-up checks before each of its steps, and waits while the result is true. */
  readonly urgent: () => boolean;
  /** Returns whether other work has made the warm-up unnecessary. If so, the warm-up ends. */
  readonly needless: () => boolean;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly size?: BlockWarmupSize;
}

export class BlockWarmup {
  readonly #deps: BlockWarmupDeps;
  readonly #stopping = new AbortController();
  #run: Promise<void> | null = null;

  constructor(deps: BlockWarmupDeps) {
    this.#deps = deps;
  }

  get begun(): boolean {
    return this.#run !== null;
  }

  /**
   * Starts the warm-up; later calls return the same promise.
   * @returns a promise that resolves when the warm-up ends, even if it failed
   */
  startOnce(): Promise<void> {
    this.#run ??= this.#stopping.signal.aborted ? Promise.resolve() : this.#performAndLog();
    return this.#run;
  }

  /** Stops the warm-up before its next piece of work. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  async #performAndLog(): Promise<void> {
    const { log } = this.#deps;
    const began = performance.now();
    try {
      const { inputs, templates } = await this.#perform();
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      log.info(`Block warm-up finished: validated blocks with ${inputs} inputs and built ${templates} templates in ${seconds} s`);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn(`Block warm-up failed, so the first new block may take longer: ${(error as Error).message}`);
    }
  }

  async #perform(): Promise<Pick<ThrowawayNode, 'inputs' | 'templates'>> {
    const { size = FULL, ...deps } = this.#deps;
    const waitForIdleNode = (): Promise<void> => this.#waitForIdleNode();
    const remove = (): Promise<void> => fs.rm(deps.dir, { recursive: true, force: true });
    await remove();
    await fs.mkdir(deps.dir);
    try {
      const node = await ThrowawayNode.open({ ...deps, waitForIdleNode });
      const payments = new Payments({ hashes: deps.crypto, keys: deps.keys }, deps.signing, waitForIdleNode);
      try {
        await allBlocks(node, payments, size);
      } finally {
        payments.wipe();
        await node.close();
      }
      return { inputs: node.inputs, templates: node.templates };
    } finally {
      await remove();
    }
  }

  /**
   * Resolves when the node has no other work.
   * @throws AbortError when the warm-up ends
   */
  async #waitForIdleNode(): Promise<void> {
    const { urgent, needless } = this.#deps;
    const { signal } = this.#stopping;
    for (;;) {
      if (needless()) this.#stopping.abort();
      signal.throwIfAborted();
      if (!urgent()) return;
      await sleep(GIVE_WAY_MS, undefined, { signal });
    }
  }
}

async function allBlocks(node: ThrowawayNode, payments: Payments, size: BlockWarmupSize): Promise<void> {
  const [script] = payments.scripts;
  const reward = await node.mine(script, []);
  for (let i = 0; i < RIPE; i++) await node.mine(script, []);
  const first = await payments.split(coinsOf(reward)[0], 3);
  const [one, two, three] = coinsOf(first);
  const stock = await payments.split(one, size.inputs);
  const free = await Promise.all([two, three].map((coin) => payments.split(coin, size.knownInputs, [payments.free])));
  await node.mine(script, [first, stock, ...free]);
  await unseenBlocks(node, payments, coinsOf(stock), size);
  await knownBlocks(node, payments, free.map(coinsOf), size);
}

/** Processes blocks with unseen transactions. */
async function unseenBlocks(node: ThrowawayNode, payments: Payments, coins: readonly OwnCoin[], size: BlockWarmupSize): Promise<void> {
  let stock = [...coins];
  for (let i = 0; i < size.unseen; i++) {
    const txs = await payments.pay(stock);
    await node.mine(longScript(), txs, size.tried);
    stock = txs.flatMap(coinsOf);
  }
}

/**
 * Processes blocks with half of the transactions in the mempool.
 * @param stocks two sets of coins that pay alternately
 */
async function knownBlocks(node: ThrowawayNode, payments: Payments, stocks: readonly OwnCoin[][], size: BlockWarmupSize): Promise<void> {
  let pending = await payments.pay(stocks[0]);
  await node.acceptPayments(pending);
  for (let i = 0, stock = stocks[1]; i < size.known; i++) {
    const next = await payments.pay(stock);
    await node.acceptPayments(next);
    await node.template();
    await node.mine(longScript(), pending);
    stock = pending.flatMap(coinsOf);
    pending = next;
  }
}
