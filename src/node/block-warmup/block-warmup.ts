// Blocks for a throwaway node, so that V8 has compiled what the first real one needs: without them it takes two to three
// times as long as later ones.

import fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyTools } from '../../address/bip32/extended-key.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Logger } from '../../log/logger.js';
import type { Assembler } from '../../parallel/assembler.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';
import type { Verifier } from '../../parallel/verifier.js';
import type { SigningTools } from '../../signing/sign-transaction.js';
import { coinsOf, type OwnCoin, Payments } from './payments.js';
import { ThrowawayNode, type ThrowawayNodeDeps } from './throwaway-node.js';

/** Until it is asked again whether the node has other work. */
const GIVE_WAY_MS = 10;
/** Until the first coinbase may be spent. */
const RIPE = 100;
/**
 * Measured: fewer inputs leave half of the difference, and the same number in smaller blocks does less. Signing takes
 * most of the time, so each unseen block is tried as a proposal before it comes; known ones need no signatures.
 */
const FULL: BlockWarmupSize = { unseen: 4, inputs: 1_200, tried: 2, known: 4, knownInputs: 4_800 };

/**
 * What blocks pay to: with so many bytes of it they go the way of large ones (chain/connect/large-block.ts), though
 * they have few signatures. Bytes of OP_RETURN, which are no sigops; nobody spends it.
 */
const longScript = (): Uint8Array => new Uint8Array(500_000).fill(0x6a);

export interface BlockWarmupSize {
  /** Blocks whose transactions are new, how many inputs they have, and how often each is tried before it comes. */
  readonly unseen: number;
  readonly inputs: number;
  readonly tried: number;
  /** Blocks whose transactions are in the mempool, where as many others stay, and inputs of each. */
  readonly known: number;
  readonly knownInputs: number;
}

export interface BlockWarmupDeps extends Pick<ThrowawayNodeDeps, 'mempool' | 'templates'> {
  /** Folder of its block files, for nothing else: removed at the end, or by the next one after a process was killed. */
  readonly dir: string;
  readonly crypto: Crypto;
  readonly keys: KeyTools['keys'];
  readonly signing: SigningTools;
  /** Checks scripts on the node's threads, and keeps nothing of what passed. */
  readonly verifier: Verifier;
  readonly blockHasher: BlockHasher;
  /** On the thread of the node's own. */
  readonly assembler: Assembler;
  /** Whether the node has other work to do: asked before each piece of work, which waits meanwhile. */
  readonly urgent: () => boolean;
  /** Whether other work has done what a rehearsal is for: it ends. */
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

  /** Begins it; once is enough. @returns resolves at its end, whatever came of it */
  startOnce(): Promise<void> {
    this.#run ??= this.#stopping.signal.aborted ? Promise.resolve() : this.#performAndLog();
    return this.#run;
  }

  /** Ends it, before its next piece of work. */
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
      log.info(
        `Rehearsed blocks with ${inputs} inputs and ${templates} templates in ${seconds} s: the first real block finds its code compiled`,
      );
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn(`The rehearsal of blocks failed, so the first real one may take longer: ${(error as Error).message}`);
    }
  }

  async #perform(): Promise<Pick<ThrowawayNode, 'inputs' | 'templates'>> {
    const { size = FULL, ...deps } = this.#deps;
    const turn = (): Promise<void> => this.#waitForIdleNode();
    const remove = (): Promise<void> => fs.rm(deps.dir, { recursive: true, force: true });
    await remove();
    await fs.mkdir(deps.dir);
    try {
      const node = await ThrowawayNode.open({ ...deps, waitForIdleNode: turn });
      const payments = new Payments({ hashes: deps.crypto, keys: deps.keys }, deps.signing, turn);
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

  /** Resolves when the node has nothing else to do. @throws AbortError when the rehearsal ends */
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

/** Blocks whose transactions come with them. */
async function unseenBlocks(node: ThrowawayNode, payments: Payments, coins: readonly OwnCoin[], size: BlockWarmupSize): Promise<void> {
  let stock = [...coins];
  for (let i = 0; i < size.unseen; i++) {
    const txs = await payments.pay(stock);
    await node.mine(longScript(), txs, size.tried);
    stock = txs.flatMap(coinsOf);
  }
}

/** Blocks whose transactions the mempool holds, beside as many others. @param stocks coins that pay in turns */
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
