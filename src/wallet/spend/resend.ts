// Submits unconfirmed payments again: all of them when their wallet is loaded and after imports, and about once a day
// those that are older than the last block, at random times so that peers cannot recognise the wallet that sends them.
// Core 0.21: ReacceptWalletTransactions, ResendWalletTransactions.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TX_STATE } from '../coins/tx-table.js';
import type { Wallet } from '../wallet.js';
import { submit } from './commit-transaction.js';
import type { SpendTools } from './payment.js';
import { logOf } from './payment.js';
import { inPaymentQueue } from './payment-queue.js';

const HOUR = 60 * 60;
/** Time until the next attempt: 12 to 36 hours. */
const LEAST_WAIT = 12 * HOUR;
const SPREAD = 24 * HOUR;
/** Number of seconds by which a payment must be older than the last block to be submitted again. */
const OLDER_BY = 5 * 60;

/** Returns the unconfirmed payments of a wallet, oldest first. */
function waiting(wallet: Wallet): { row: number; tx: TxView }[] {
  const { txs } = wallet.ledger;
  const found: { row: number; tx: TxView }[] = [];
  for (const row of txs.rowsOutsideChain()) {
    const tx = txs.view(row);
    if (tx && txs.state(row) === TX_STATE.UNCONFIRMED && !txs.isCoinbase(row)) found.push({ row, tx });
  }
  return found.sort((a, b) => txs.order(a.row) - txs.order(b.row));
}

/** Submits a wallet's unconfirmed payments to the mempool, without announcing them to peers. */
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
  /** Returns the time at which the last block arrived, seconds; 0 before the first. */
  readonly lastBlockSeconds: () => number;
}

export class Resender {
  /** Time of each wallet's next attempt, seconds. */
  readonly #next = new WeakMap<Wallet, number>();
  readonly #deps: ResenderDeps;

  constructor(deps: ResenderDeps) {
    this.#deps = deps;
  }

  /** Called every second. */
  async tick(): Promise<void> {
    const { tools, wallets } = this.#deps;
    for (const wallet of wallets()) if (!this.#next.has(wallet)) this.#schedule(wallet);
    // Send nothing until the node has all blocks: a payment that seems unconfirmed may be in a block that is still
    // missing.
    if (wallets().length === 0 || !(await tools.client.isReady())) return;
    for (const wallet of [...wallets()]) {
      const next = this.#next.get(wallet) ?? Infinity;
      if (tools.nowSeconds() < next || !wallet.parts.options.walletBroadcast) continue;
      this.#schedule(wallet);
      await this.#resend(wallet);
    }
  }

  #schedule(wallet: Wallet): void {
    const { nowSeconds, chance } = this.#deps.tools;
    this.#next.set(wallet, nowSeconds() + LEAST_WAIT + chance.below(SPREAD));
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
