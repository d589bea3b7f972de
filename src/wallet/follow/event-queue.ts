// Applies events of the chain and the mempool to a wallet, in order. Each event is one synchronous change with one
// batch. Between two events other work may run, and calls may read the wallet.
import { TimeSlice, yieldInQueue, yieldToLoop } from '../../lib/time-slice.js';
import { UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { MempoolTx, NodeEvent } from '../node-client.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { WalletState } from '../wallet-state.js';
import { connectBlock, disconnectBlock, recordBlock, withKeys } from './record-block.js';

export class EventQueue {
  /**
   * Events not yet applied. Entries before index #applied were applied and are null, so that their blocks can be freed.
   */
  #inbox: (NodeEvent | null)[] = [];
  #applied = 0;
  /** Number of applied events that are no longer in the inbox. */
  #before = 0;
  /** True if the event that is being applied has changed the tip. */
  #hasMoved = false;
  #isDraining = false;
  /** Callbacks to run when the number of applied events reaches a target. */
  readonly #waiting: { readonly target: number; readonly passed: () => void }[] = [];
  readonly #wallet: WalletState;

  constructor(wallet: WalletState) {
    this.#wallet = wallet;
  }

  /**
   * Adds an event. The queue applies it in an event-loop tick of its own, or earlier if a call applies all pending
   * events.
   */
  push(event: NodeEvent): void {
    this.#inbox.push(event);
    // A mempool may be large, so its transactions are applied one by one.
    if (event.kind === 'pool') for (const entered of event.txs) this.#inbox.push(entered);
    if (!this.#isDraining) void this.#drain();
  }
  /** Resolves when the events pushed so far are applied. Does not apply them earlier than the queue would. */
  whenApplied(): Promise<void> {
    return new Promise((passed) => this.#waiting.push({ target: this.#pushed, passed }));
  }
  /**
   * Applies the events pushed so far.
   * @returns undefined if all were applied synchronously; otherwise a promise, and other work runs between events
   */
  applyPending(): Promise<void> | undefined {
    const target = this.#pushed;
    if (this.#reached >= target) return undefined;
    const done = this.#applyUpTo(target);
    return done === true ? undefined : this.#continueUpTo(target, done);
  }
  /** Applies all events synchronously, before the wallet is closed. Other code must not use the wallet any more. */
  applyAll(): void {
    while (this.#reached < this.#pushed) this.#applyNext();
  }

  get #pushed(): number {
    return this.#before + this.#inbox.length;
  }
  get #reached(): number {
    return this.#before + this.#applied;
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#reached < this.#pushed) {
      // Use one event-loop tick per wallet, because a block may take some milliseconds in each. During exclusive work,
      // changes queue up in their order anyway.
      if (!this.#wallet.access.isExclusive) await yieldInQueue();
      await this.#applyUpTo(this.#pushed);
    }
    this.#isDraining = false;
  }
  async #continueUpTo(target: number, first: boolean | Promise<boolean>): Promise<void> {
    for (let done = await first; !done; done = await this.#applyUpTo(target)) await yieldToLoop();
  }
  /**
   * Applies events until the time slice ends, but at least one event, or a part of it if it needs many new keys.
   * @param target number of events to apply in all
   * @returns whether that number is reached
   */
  #applyUpTo(target: number): boolean | Promise<boolean> {
    return this.#wallet.access.runChange(() => {
      const slice = new TimeSlice('chain');
      do {
        if (this.#reached >= target) return true;
      } while (this.#applyNext() && !slice.over);
      return this.#reached >= target;
    });
  }
  /**
   * Applies the next event.
   * @returns false if the same event must be applied again because new keys were needed (withKeys)
   */
  #applyNext(): boolean {
    const wallet = this.#wallet;
    const batch = new WalletBatch();
    const before = wallet.tip;
    let isDone = true;
    try {
      if (!wallet.closed) isDone = withKeys(wallet, () => this.#apply(this.#inbox[this.#applied]!, batch));
      this.#hasMoved ||= wallet.tip !== before;
      // Write the locator last. Until the event is complete, the block may still have transactions for keys that were
      // just derived.
      if (isDone && this.#hasMoved) wallet.position.writeLocator(batch);
      // A failed write is reported to onFault by Wallet.queueWrite().
      if (!wallet.closed) wallet.commit(batch).catch(() => {});
    } catch (error) {
      // The event is half applied. Neither its rows nor those of later events may be written.
      wallet.storage.fail(error);
      isDone = true;
    }
    if (!isDone) return false;
    this.#hasMoved = false;
    this.#inbox[this.#applied] = null;
    if (++this.#applied === this.#inbox.length) {
      this.#before += this.#applied;
      this.#inbox = [];
      this.#applied = 0;
    }
    while (this.#waiting.length > 0 && this.#waiting[0].target <= this.#reached) this.#waiting.shift()!.passed();
    return true;
  }
  #apply(event: NodeEvent, batch: WalletBatch): void {
    const wallet = this.#wallet;
    const { ledger } = wallet;
    switch (event.kind) {
      case 'connected':
        wallet.position.setLocator(event.locator);
        connectBlock(wallet, event.node);
        recordBlock(wallet, event.node, event.block.txs.entries(), batch);
        break;
      case 'disconnected':
        wallet.position.setLocator(event.locator);
        disconnectBlock(wallet, event.before, event.block.txs, batch);
        break;
      case 'jumped':
        // The blocks between the old and the new tip are scanned later, when they are stored.
        wallet.scans.markUnseen({ nextHeight: (wallet.tip?.height ?? 0) + 1, stopHeight: event.node.height }, batch);
        wallet.position.setLocator(event.locator);
        connectBlock(wallet, event.node);
        break;
      case 'entered': {
        const { tx } = event;
        ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch);
        ledger.setInMempool(tx, true);
        break;
      }
      case 'pool':
        this.#syncMempool(event.txs);
        break;
      case 'left':
        ledger.setInMempool(event.tx, false);
        if (event.conflict) ledger.syncTransaction(event.tx, UNCONFIRMED_PLACE, batch);
        break;
    }
  }
  /** Marks records as not in the mempool if the complete list of mempool transactions lacks them. */
  #syncMempool(pooled: readonly MempoolTx[]): void {
    const { ledger } = this.#wallet;
    const { txs } = ledger;
    ledger.poolConflicts.clear();
    const here = new Set(pooled.map(({ txid }) => txs.find(txid)));
    for (const row of [...txs.rowsOutsideChain()]) {
      const tx = txs.view(row);
      if (tx && txs.inMempool(row) && !here.has(row)) ledger.setInMempool(tx, false);
    }
  }
}
