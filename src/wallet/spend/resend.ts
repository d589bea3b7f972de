// Payments that wait for a block are handed in again: all of them when their wallet is loaded and after imports, and
// about once a day those that are older than the last block, at random times so that peers don't learn whose they are.
// Core 0.21: ReacceptWalletTransactions, ResendWalletTransactions.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TX_STATE } from '../coins/tx-table.js';
import type { Wallet } from '../wallet.js';
import { submit } from './commit-transaction.js';
import type { SpendTools } from './payment.js';
import { logOf } from './payment.js';
import { inPaymentQueue } from './payment-queue.js';

const HOUR = 60 * 60;
/** The next time is 12 to 36 hours away. */
const LEAST_WAIT = 12 * HOUR;
const SPREAD = 24 * HOUR;
/** A payment must be older than the last block by this much, seconds. */
const OLDER_BY = 5 * 60;

/** Payments of a wallet that are in no block, oldest first. */
function waiting(wallet: Wallet): { row: number; tx: TxView }[] {
  const { txs } = wallet.ledger;
  const found: { row: number; tx: TxView }[] = [];
  for (const row of txs.liveRows()) {
    const tx = txs.view(row);
    if (tx && txs.state(row) === TX_STATE.UNCONFIRMED && !txs.isCoinbase(row)) found.push({ row, tx });
  }
  return found.sort((a, b) => txs.order(a.row) - txs.order(b.row));
}

/** Puts a wallet's waiting transactions into the mempool; peers are not told. */
export async function reacceptTransactions(wallet: Wallet, tools: SpendTools): Promise<void> {
  if (!wallet.parts.options.walletBroadcast) return;
  for (const { row, tx } of waiting(wallet)) {
    if (wallet.closed) return;
    if (wallet.ledger.txs.inMempool(row)) continue;
    await inPaymentQueue(wallet, () => submit(wallet, tx, tools, false));
  }
}

export interface ResenderDeps {
  readonly tools: SpendTools;
  readonly wallets: () => readonly Wallet[];
  /** Seconds when the last block came, 0 before the first. */
  readonly lastBlockSeconds: () => number;
}

export class Resender {
  /** Seconds of a wallet's next time. */
  readonly #next = new WeakMap<Wallet, number>();
  readonly #deps: ResenderDeps;

  constructor(deps: ResenderDeps) {
    this.#deps = deps;
  }

  /** Called every second. */
  async tick(): Promise<void> {
    const { tools, wallets } = this.#deps;
    // Before the node has all blocks nothing is sent: old payments may be in blocks to come.
    if (wallets().length === 0 || !(await tools.client.isReady())) return;
    const now = tools.nowSeconds();
    for (const wallet of [...wallets()]) {
      const next = this.#next.get(wallet) ?? 0;
      if (now < next || !wallet.parts.options.walletBroadcast) continue;
      this.#next.set(wallet, now + LEAST_WAIT + tools.chance.below(SPREAD));
      if (next > 0) await this.#resend(wallet);
    }
  }

  async #resend(wallet: Wallet): Promise<void> {
    const { tools, lastBlockSeconds } = this.#deps;
    const before = lastBlockSeconds() - OLDER_BY;
    let count = 0;
    for (const { row, tx } of waiting(wallet)) {
      if (wallet.closed) return;
      if (wallet.ledger.txs.received(row) > before) continue;
      if ((await inPaymentQueue(wallet, () => submit(wallet, tx, tools, true))) === null) count++;
    }
    if (count > 0) logOf(wallet, tools, `ResendWalletTransactions: resubmit ${count} unconfirmed transactions`);
  }
}
