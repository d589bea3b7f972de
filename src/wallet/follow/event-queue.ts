// What chain and mempool tell a wallet, in the order it happened: each event is a change of its own, in plain
// synchronous code with one batch. Between two events the loop may turn, and the wallet may be read.
import { yieldInQueue } from '../../lib/slicer.js';
import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { MempoolTx, NodeEvent } from '../node-client.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { WalletState } from '../wallet-state.js';
import { markUnseen } from './open-scan.js';
import { connectBlock, disconnectBlock, recordBlock, withKeys } from './record-block.js';

export class EventQueue {
  /** Those before #applied are let go of: blocks are large. */
  #inbox: (NodeEvent | null)[] = [];
  #applied = 0;
  /** Events applied before those in the inbox. */
  #before = 0;
  /** The event that is being applied moved the tip. */
  #hasMoved = false;
  #isDraining = false;
  /** What waits until so many events are applied. */
  readonly #waiting: { readonly target: number; readonly passed: () => void }[] = [];
  readonly #wallet: WalletState;

  constructor(wallet: WalletState) {
    this.#wallet = wallet;
  }

  /** Takes an event, which is applied in a turn of the loop of its own unless a call comes first. */
  push(event: NodeEvent): void {
    this.#inbox.push(event);
    // A mempool may be large: what it holds enters transaction by transaction.
    if (event.kind === 'pool') for (const entered of event.txs) this.#inbox.push(entered);
    if (!this.#isDraining) void this.#drain();
  }
  /** Settled when what was pushed up to now is applied, in its own time. */
  whenApplied(): Promise<void> {
    return new Promise((passed) => this.#waiting.push({ target: this.#pushed, passed }));
  }
  /**
   * Applies what was pushed up to now.
   * @returns undefined when that is done at once; otherwise other work gets turns between events
   */
  applyPending(): Promise<void> | undefined {
    const target = this.#pushed;
    if (this.#reached >= target) return undefined;
    const done = this.#applyUpTo(target);
    return done === true ? undefined : this.#continueUpTo(target, done);
  }
  /** Applies everything at once, for the end of the wallet: nothing else may use it. */
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
      // Each wallet in a turn of its own: a block may take every one of them some milliseconds. Changes that wait for
      // the end of exclusive work come in their order.
      if (!this.#wallet.access.isExclusive) await yieldInQueue();
      await this.#applyUpTo(this.#pushed);
    }
    this.#isDraining = false;
  }
  async #continueUpTo(target: number, first: boolean | Promise<boolean>): Promise<void> {
    for (let done = await first; !done; done = await this.#applyUpTo(target)) await yieldToLoop();
  }
  /** Applies events for a turn's time, or one, or some of the keys that one needs. @returns whether it came to the `due`th */
  #applyUpTo(target: number): boolean | Promise<boolean> {
    return this.#wallet.access.runChange(() => {
      const slice = new TimeSlice();
      do {
        if (this.#reached >= target) return true;
      } while (this.#applyNext() && !slice.over);
      return this.#reached >= target;
    });
  }
  /** @returns false: the event is to be applied once more, see withKeys */
  #applyNext(): boolean {
    const wallet = this.#wallet;
    const batch = new WalletBatch();
    const before = wallet.tip;
    let isDone = true;
    try {
      if (!wallet.closed) isDone = withKeys(wallet, () => this.#apply(this.#inbox[this.#applied]!, batch));
      this.#hasMoved ||= wallet.tip !== before;
      // What is still to be found in a block comes before the locator.
      if (isDone && this.#hasMoved) wallet.writeLocator(batch);
      // A failure reaches onFault by way of Wallet.queueWrite().
      if (!wallet.closed) wallet.commit(batch).catch(() => {});
    } catch (error) {
      // An event that is half applied: nothing of it may be written, nor of what follows.
      wallet.fail(error);
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
        wallet.locator = event.locator;
        connectBlock(wallet, event.node);
        recordBlock(wallet, event.node, event.block.txs.entries(), batch);
        break;
      case 'disconnected':
        wallet.locator = event.locator;
        disconnectBlock(wallet, event.before, event.block.txs, batch);
        break;
      case 'jumped':
        // What lies between is looked through when it is here.
        markUnseen(wallet, { nextHeight: (wallet.tip?.height ?? 0) + 1, stopHeight: event.node.height }, batch);
        wallet.locator = event.locator;
        connectBlock(wallet, event.node);
        break;
      case 'entered': {
        const { tx } = event;
        ledger.sync(tx, UNCONFIRMED_PLACE, batch);
        ledger.enteredMempool(tx.txid);
        break;
      }
      case 'pool':
        this.#syncMempool(event.txs);
        break;
      case 'left':
        ledger.leftMempool(event.tx.txid);
        if (event.conflict) ledger.sync(event.tx, UNCONFIRMED_PLACE, batch);
        break;
    }
  }
  /** The mempool holds these, and nothing else. */
  #syncMempool(pooled: readonly MempoolTx[]): void {
    const { ledger } = this.#wallet;
    const { txs } = ledger;
    const here = new Set(pooled.map(({ txid }) => txs.find(txid)));
    for (const row of [...txs.liveRows()]) {
      if (txs.inMempool(row) && !here.has(row)) ledger.leftMempool(txs.txid(row));
    }
  }
}
