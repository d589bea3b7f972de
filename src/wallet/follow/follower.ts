// What chain and mempool tell a wallet, in the order it happened. Little is worked off at once, before every call; a
// large block, or many transactions, in turns. Until those are over the wallet is neither read nor changed: calls wait
// (rpc/wallet/select.ts), and so does whoever paused. That it is whole when a turn of the event loop begins holds to
// the turn's end, so nobody needs to ask twice.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { Turns, yieldToLoop } from '../../lib/turns.js';
import { StoreError } from '../../storage/store-error.js';
import type { Steps } from '../coins/ledger.js';
import { NOWHERE } from '../coins/tx-table.js';
import type { NodeEvent } from '../node-client.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { WalletState } from '../wallet-state.js';
import { DEFAULT_PACE } from '../wallet-state.js';
import { connectBlock, disconnectBlock, takeSteps, whole } from './block-steps.js';
import { markScan } from './open-scan.js';

/** A payment may empty a pool. Filling one that is larger than the default takes turns. */
const AT_ONCE_KEYPOOL = 1000;

function bytesOf(event: NodeEvent): number {
  const txs = 'block' in event ? event.block.txs : 'txs' in event ? event.txs : 'tx' in event ? [event.tx] : [];
  return txs.reduce((sum, tx) => sum + tx.totalSize, 0);
}

export class Follower {
  #inbox: NodeEvent[] = [];
  #bytes = 0;
  #pushed = 0;
  #turns: Promise<void> | undefined;
  #begun = false;
  readonly #wallet: WalletState;

  constructor(wallet: WalletState) {
    this.#wallet = wallet;
  }

  push(event: NodeEvent): void {
    this.#inbox.push(event);
    this.#pushed++;
    this.#bytes += bytesOf(event);
  }
  /** How many events there were. */
  get pushed(): number {
    return this.#pushed;
  }
  /** Settled when the wallet may be read again; undefined while it may, and then to the end of this turn. */
  get midway(): Promise<void> | undefined {
    return this.#begun ? this.#turns : undefined;
  }

  /**
   * Works off what happened.
   * @returns undefined when that is done; otherwise it goes on in turns, and more may have come at their end
   */
  drain(): Promise<void> | undefined {
    if (this.#turns !== undefined) return this.#turns;
    if (this.#inbox.length === 0 || this.#wallet.frozen || this.#wallet.closed) return undefined;
    const { pace, options } = this.#wallet.parts;
    if (this.#bytes > (pace ?? DEFAULT_PACE).atOnceBytes || options.keypool > AT_ONCE_KEYPOOL) {
      this.#turns = this.#inTurns();
      return this.#turns;
    }
    const batch = new WalletBatch();
    const before = this.#wallet.tip;
    try {
      for (const _ of this.#steps(batch));
    } catch (error) {
      // Events that are half applied: nothing of them may be written, nor of what follows.
      this.#wallet.fail(error);
      return undefined;
    }
    // A failure reaches onFault by way of Wallet.exclusive().
    this.#end(before, batch).catch(() => {});
    return undefined;
  }

  /**
   * The same for the first `count` events.
   * @returns undefined when the wallet may be read and knows of them; else whoever waits asks again
   */
  reach(count: number): Promise<void> | undefined {
    return this.#pushed - this.#inbox.length < count ? this.drain() : this.midway;
  }

  async #inTurns(): Promise<void> {
    // Whoever found the wallet whole in this turn relies on it.
    await yieldToLoop();
    const wallet = this.#wallet;
    try {
      if (wallet.frozen || wallet.closed) return;
      this.#begun = true;
      const turns = new Turns();
      const batch = new WalletBatch();
      const before = wallet.tip;
      await takeSteps(wallet, this.#steps(batch), batch, () => (turns.over ? turns.next() : undefined));
      await this.#end(before, batch);
    } catch (error) {
      // One of the store's has reached it by way of Wallet.exclusive().
      if (!(error instanceof StoreError)) wallet.fail(error);
    } finally {
      this.#begun = false;
      this.#turns = undefined;
    }
  }
  #end(before: WalletState['tip'], batch: WalletBatch): Promise<void> {
    if (this.#wallet.tip !== before) this.#wallet.writeLocator(batch);
    return this.#wallet.commit(batch);
  }
  *#steps(batch: WalletBatch): Steps {
    const events = this.#inbox;
    this.#inbox = [];
    this.#bytes = 0;
    for (const event of events) yield* this.#apply(event, batch);
  }
  *#apply(event: NodeEvent, batch: WalletBatch): Steps {
    const wallet = this.#wallet;
    const { ledger } = wallet;
    switch (event.kind) {
      case 'connected':
        wallet.locator = event.locator;
        yield* connectBlock(wallet, event.node, event.block.txs.entries(), batch);
        break;
      case 'disconnected':
        wallet.locator = event.locator;
        yield* disconnectBlock(wallet, event.before, event.block.txs, batch);
        break;
      case 'jumped':
        // What lies between is looked through when it is here.
        markScan((wallet.tip?.height ?? 0) + 1, event.node.height, batch);
        wallet.tip = event.node;
        wallet.locator = event.locator;
        ledger.setTip(event.node.height);
        yield true;
        break;
      case 'entered':
        yield* whole(ledger.syncing(event.tx, NOWHERE, batch));
        ledger.enteredMempool(event.tx.txid);
        yield true;
        break;
      case 'pool':
        yield* this.#takeStock(event.txs, batch);
        break;
      case 'left':
        ledger.leftMempool(event.tx.txid);
        if (event.conflict) yield* whole(ledger.syncing(event.tx, NOWHERE, batch));
        yield true;
        break;
    }
  }
  /** The mempool holds these, and nothing else. */
  *#takeStock(pooled: readonly TxView[], batch: WalletBatch): Steps {
    const { ledger } = this.#wallet;
    const { txs } = ledger;
    const here = new Set(pooled.map(({ txid }) => hashKey(txid)));
    for (const row of [...txs.liveRows()]) {
      if (txs.inMempool(row) && !here.has(hashKey(txs.txid(row)))) ledger.leftMempool(txs.txid(row));
    }
    for (const tx of pooled) {
      yield* whole(ledger.syncing(tx, NOWHERE, batch));
      ledger.enteredMempool(tx.txid);
      yield true;
    }
  }
}
