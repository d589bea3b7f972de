// A mempool over a chain that has every coin and a verifier that likes everything, and ordinary payments to fill it:
// for benches of the pool itself.

import { buildTx } from '../../src/consensus/tx/build-tx.js';
import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { silentLogger } from '../../src/log/logger.js';
import { Mempool } from '../../src/mempool/mempool.js';
import type { MempoolOptions } from '../../src/mempool/options.js';
import type { MempoolChain } from '../../src/mempool/source.js';
import { ModelNode } from '../../test/framework/model-chain.js';
import { pseudoRandom } from '../../test/framework/pseudo-random.js';

const crypto = createNativeCrypto();
const COIN = { value: 1_000_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)), height: 1, coinbase: false };
const PASSED = { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, checked: 1, jobs: 1, cpuMs: 0 };

function tallTip(): ModelNode {
  let tip = new ModelNode(null, 0, 1_600_000_000, [], 0, crypto);
  for (let height = 1; height < 20; height++) tip = new ModelNode(tip, height, 1_600_000_000 + height, [], 0, crypto);
  return tip;
}

/** A pool where everything that is well formed gets in. */
export function createBenchPool(options: Partial<MempoolOptions> = {}): Mempool {
  const chain: MempoolChain = {
    tip: tallTip(),
    coins: { prefetch: async () => {}, isKnown: () => true, get: () => COIN },
    nextBlockFlags: () => 0,
  };
  const verifier = { size: 1, verifyTxs: async () => PASSED, canAcceptWork: () => true, stats: () => ({}) as never, close: async () => {} };
  const clock = { nowSeconds: () => 1_600_000_000, nowMs: () => 0, monotonicMs: () => performance.now() };
  return new Mempool({ maxUsageBytes: 1e9, ...options }, { chain, verifier, clock, log: silentLogger });
}

/** Payments like most: inputs with a signature and a key each, to someone and back. */
export class Payments {
  readonly #random: () => number;
  readonly #below = (n: number): number => Math.floor(this.#random() * n);
  readonly #bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, () => this.#below(256));

  constructor(seed: number) {
    this.#random = pseudoRandom(seed);
  }

  /**
   * @param parent spends its first output; a coin of the chain without
   * @param extraFee on top of 1,000 to 21,000 satoshis
   */
  next(parent: Uint8Array | null = null, extraFee = 0): TxView {
    const inputs = Array.from({ length: parent === null && this.#below(4) === 0 ? 2 : 1 }, () => ({
      prevHash: parent ?? this.#bytes(32),
      prevIndex: 0,
      scriptSig: new Uint8Array(0),
      sequence: 0xfffffffd,
      witness: [this.#bytes(71), this.#bytes(33)],
    }));
    const total = (parent === null ? 1_000_000 * inputs.length : 500_000) - 1_000 - this.#below(20_000) - extraFee;
    const first = parent === null ? 500_000 : 200_000;
    return this.#build(inputs, first, total - first);
  }

  /** Spends the first input of another and pays more. */
  rival(of: TxView, extraFee: number): TxView {
    const input = {
      prevHash: new Uint8Array(of.prevHash(0)),
      prevIndex: of.prevIndex(0),
      scriptSig: new Uint8Array(0),
      sequence: 0xfffffffd,
      witness: [this.#bytes(71), this.#bytes(33)],
    };
    return this.#build([input], 500_000, 400_000 - extraFee);
  }

  #build(inputs: Parameters<typeof buildTx>[0]['inputs'], first: number, second: number): TxView {
    const output = (value: number) => ({ value, script: Uint8Array.of(0, 20, ...this.#bytes(20)) });
    return parseTx(buildTx({ version: 2, inputs, outputs: [output(first), output(second)], locktime: 0 }), crypto);
  }
}

/** Fills a pool; every fifth transaction spends the one before it. @returns bytes of all transactions */
export async function fillPool(pool: Mempool, payments: Payments, count: number): Promise<number> {
  let txBytes = 0;
  let parent: Uint8Array | null = null;
  for (let i = 0; i < count; i++) {
    const tx = payments.next(i % 5 === 4 ? parent : null);
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(`refused: ${reject.reason} ${reject.debug}`);
    txBytes += tx.totalSize;
    parent = new Uint8Array(tx.txid);
  }
  return txBytes;
}
