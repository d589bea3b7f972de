// A small node for the warm-up: chain, mempool and templates of the same classes as in the real node, on a regtest
// chain of its own, with the same script threads but a database in memory. Its jobs wait behind those of the real node.

import { Chain } from '../../chain/index.js';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { chainParams } from '../../consensus/params/networks.js';
import { proofOfWork } from '../../consensus/rules/bits.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import { ListenerGuard } from '../../lib/listener-guard.js';
import { SystemClock } from '../../lib/system-clock.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { SlabRing } from '../../link/slab-ring.js';
import { silentLogger } from '../../log/logger.js';
import { Mempool } from '../../mempool/index.js';
import type { MempoolOptions } from '../../mempool/options.js';
import type { Assembler } from '../../parallel/assembler.js';
import type { BlockHasher } from '../../parallel/block-hasher.js';
import type { Verifier } from '../../parallel/verifier.js';
import { BlockFiles } from '../../storage/block-files.js';
import { MemoryStore } from '../../storage/memory-store.js';
import { TemplateService } from '../../template/index.js';
import type { TemplateOptions } from '../../template/options.js';
import { followTip } from '../follow-tip.js';

const COINS_CACHE_BYTES = 32 << 20;
/**
 * Largest age of a tip in seconds, so that the node is never in the initial download, where blocks are processed
 * differently.
 */
const NEVER_OLD = 1_000_000_000;
/** Offset of the nonce in a header. */
const NONCE_AT = 76;

/** Regtest with the rules of today's main network from the first block on. */
export const WARMUP_PARAMS: ChainParams = { ...chainParams('regtest'), bip34Height: 1 };

export interface ThrowawayNodeDeps {
  /** Folder of its block files. */
  readonly dir: string;
  readonly verifier: Verifier;
  readonly blockHasher: BlockHasher;
  /** Assembler of the throwaway node, which closes it. */
  readonly assembler: Assembler;
  /** Resolves when the real node has no other work. Awaited before each piece of work. */
  readonly waitForIdleNode: () => Promise<void>;
  readonly crypto: Crypto;
  readonly mempool: Partial<MempoolOptions>;
  readonly templates: Partial<TemplateOptions>;
}

export class ThrowawayNode {
  readonly #deps: ThrowawayNodeDeps;
  readonly #chain: Chain;
  readonly #mempool: Mempool;
  readonly #templates: TemplateService;
  #epoch = 0;
  /** Number of inputs of all processed blocks without coinbases, and number of templates. */
  inputs = 0;
  templates = 0;

  /** @throws ChainFault, StoreError */
  static async open(deps: ThrowawayNodeDeps): Promise<ThrowawayNode> {
    const { dir, crypto, blockHasher } = deps;
    const params = WARMUP_PARAMS;
    const verifier = lowestPriority(deps.verifier, deps.waitForIdleNode);
    const clock = new SystemClock({ get: () => 0, set() {} });
    const chain = await Chain.open(
      { coinsCacheBytes: COINS_CACHE_BYTES, maxTipAge: NEVER_OLD },
      {
        ...{ params, verifier, blockHasher, crypto, clock, log: silentLogger, store: new MemoryStore() },
        openFiles: (known) => BlockFiles.open({ dir, magic: params.magic, ...known }, { hashes: crypto }),
      },
    );
    return new ThrowawayNode({ ...deps, verifier }, chain, clock);
  }

  private constructor(deps: ThrowawayNodeDeps, chain: Chain, clock: SystemClock) {
    const { verifier, assembler, crypto } = deps;
    this.#deps = deps;
    this.#chain = chain;
    const mempool = new Mempool(deps.mempool, { chain: chain.view, verifier, clock, log: silentLogger });
    const templates = new TemplateService(deps.templates, {
      ...{ chain: chain.view, mempool, clock, hashes: crypto, versionBits: chain.view.versionBits, log: silentLogger },
      assembler,
      slabs: new SlabRing(),
      epoch: () => this.#epoch,
    });
    this.#mempool = mempool;
    this.#templates = templates;
    chain.commands.useCheckedTransactions(mempool);
    followTip({ chain, mempool, templates, guard: new ListenerGuard(silentLogger) }, () => {
      templates.onTip();
      this.#epoch++;
    });
    templates.onPublish(() => {
      this.templates++;
    });
    templates.start();
  }

  /**
   * Adds payments to the mempool.
   * @throws Error if one is refused
   */
  async acceptPayments(txs: readonly TxView[]): Promise<void> {
    await this.#mempool.prefetchTransactions(txs);
    const slice = new TimeSlice();
    for (const tx of txs) {
      refuse((await this.#mempool.accept(tx)).reject);
      if (!slice.over) continue;
      await this.#deps.waitForIdleNode();
      await slice.next();
    }
  }

  /** Resolves when there is a template of the current mempool. */
  async template(): Promise<void> {
    await this.#templates.refresh();
  }

  /**
   * Mines a block with these transactions and submits it, parsed again as if received.
   * @param tried how often the block is checked as a proposal before it is submitted (BIP-0023)
   * @returns the coinbase
   * @throws Error if the block is not accepted
   */
  async mine(script: Uint8Array, transactions: readonly TxView[], tried = 0): Promise<TxView> {
    const { crypto, waitForIdleNode } = this.#deps;
    await waitForIdleNode();
    const candidate = await this.#templates.assembleBlock(script, { transactions });
    const header = new Uint8Array(candidate.header);
    const view = new DataView(header.buffer);
    let nonce = 0;
    while (!proofOfWork(crypto.sha256d(header), candidate.bits, WARMUP_PARAMS.powLimit)) view.setUint32(NONCE_AT, ++nonce, true);
    const bytes = candidate.bytes(nonce);
    const parsed = (): BlockView => parseBlock(bytes, crypto);
    for (let i = 0; i < tried; i++) refuse(await this.#chain.view.testBlockValidity(parsed(), { checkPow: true, checkMerkle: true }));
    const block = parsed();
    const { kind, reject } = await this.#chain.commands.submitBlock(block);
    refuse(reject);
    if (kind !== 'accepted') throw new Error(`A block was not connected: ${kind}`);
    for (const tx of transactions) this.inputs += tx.inputCount;
    return block.txs[0];
  }

  async close(): Promise<void> {
    this.#templates.close();
    await this.#deps.assembler.close();
    await this.#chain.close();
  }
}

function refuse(reject: Reject | null): void {
  if (reject !== null) throw new Error(`Refused: ${rejectText(reject)}`);
}

/** Returns a verifier whose batches have the lowest class. */
function lowestPriority(inner: Verifier, waitForIdleNode: () => Promise<void>): Verifier {
  return {
    size: inner.size,
    canAcceptWork: () => inner.canAcceptWork('scan'),
    verifyTxs: async (batch) => {
      await waitForIdleNode();
      return inner.verifyTxs({ ...batch, klass: 'scan' });
    },
    stats: () => inner.stats(),
    close: () => inner.close(),
  };
}
