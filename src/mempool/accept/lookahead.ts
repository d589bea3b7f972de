// Script checks that begin before their transaction's turn: callers that know what they will offer next (batches of
// RPC, a saved pool) say so, the verifier's threads get to work, and acceptance finds the verdict ready. Nothing is
// decided here. A verdict depends on the transaction and on the outputs it spends alone, and an outpoint never changes
// what it holds, so it stays true whatever happens between.
import type { Coin } from '../../consensus/coin.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Verifier, VerifyResult } from '../../parallel/verifier.js';
import { poolCoin } from '../entry.js';
import { keyOf } from '../hash-key.js';
import { NO_ROW } from '../rows.js';
import type { MempoolChain } from '../source.js';
import type { TxPool } from '../tx-pool.js';
import { alsoRemembered } from './script-checks.js';

/** What is known of a transaction before its turn. */
interface Foreseen {
  /**
   * Null until its scripts are with the verifier, and for good when a coin was not found. The promise never rejects:
   * undefined is a fault.
   */
  verdict: Promise<VerifyResult | undefined> | null;
}

export interface LookaheadDeps {
  readonly pool: TxPool;
  readonly chain: MempoolChain;
  readonly verifier: Verifier;
}

export class Lookahead {
  readonly #deps: LookaheadDeps;
  /** By the very object that will be offered: what nobody offers is forgotten with it. */
  readonly #foreseen = new WeakMap<TxView, Foreseen>();

  constructor(deps: LookaheadDeps) {
    this.#deps = deps;
  }

  /**
   * These will be offered soon, in this order; later ones may spend earlier ones. Resolves when their scripts are with
   * the verifier.
   */
  async begin(txs: readonly TxView[]): Promise<void> {
    const { pool, chain } = this.#deps;
    const batch = new Map<string, TxView>();
    const fresh: { tx: TxView; known: Foreseen }[] = [];
    const wanted: Uint8Array[] = [];
    for (const tx of txs) {
      const known: Foreseen = { verdict: null };
      if (this.#foreseen.has(tx) || pool.find(tx.txid) !== NO_ROW) continue;
      this.#foreseen.set(tx, known);
      batch.set(keyOf(tx.txid), tx);
      fresh.push({ tx, known });
      for (let i = 0; i < tx.inputCount; i++) {
        if (batch.has(keyOf(tx.prevHash(i))) || pool.find(tx.buffer, tx.outpointAt(i)) !== NO_ROW) continue;
        const outpoint = tx.outpoint(i);
        if (!chain.coins.isKnown(outpoint)) wanted.push(outpoint);
      }
    }
    if (wanted.length > 0) await chain.coins.prefetch(wanted);
    for (const { tx, known } of fresh) {
      const spent = this.#coinsOf(tx, batch);
      if (spent !== null) known.verdict = this.#verify(tx, spent);
    }
  }

  /**
   * The verdict under the standard flags: null when none is coming, undefined inside the promise when the verifier
   * could not say.
   */
  verdict(tx: TxView): Promise<VerifyResult | undefined> | null {
    return this.#foreseen.get(tx)?.verdict ?? null;
  }

  #coinsOf(tx: TxView, batch: ReadonlyMap<string, TxView>): Coin[] | null {
    const { pool, chain } = this.#deps;
    const spent: Coin[] = [];
    for (let i = 0; i < tx.inputCount; i++) {
      const row = pool.find(tx.buffer, tx.outpointAt(i));
      const parent = row === NO_ROW ? batch.get(keyOf(tx.prevHash(i))) : pool.tx(row);
      const outpoint = tx.outpoint(i);
      const coin =
        parent !== undefined ? poolCoin(parent, tx.prevIndex(i)) : chain.coins.isKnown(outpoint) ? chain.coins.get(outpoint) : undefined;
      if (coin === undefined) return null;
      spent.push(coin);
    }
    return spent;
  }

  async #verify(tx: TxView, spent: Coin[]): Promise<VerifyResult | undefined> {
    const { verifier, chain } = this.#deps;
    if (!verifier.canAcceptWork('transaction')) return undefined;
    try {
      const remembered = alsoRemembered(chain.nextBlockFlags());
      return await verifier.verifyTxs({ txs: [{ tx, spent }], flags: STANDARD_SCRIPT_FLAGS, klass: 'transaction', ...remembered });
    } catch {
      // Busy or broken: acceptance asks again and tells its caller.
      return undefined;
    }
  }
}
