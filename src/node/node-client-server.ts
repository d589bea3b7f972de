// Node side of wallet/linked-node-client.ts. Posts events in the same tick in which chain and mempool change, before
// any reply that depends on them, and answers requests. If a message cannot be posted, for example because of a lack of
// memory, it is posted again before all later messages, so wallets miss no event.

import type { MessagePort } from 'node:worker_threads';
import type { ListenerGuard } from '../lib/listener-guard.js';
import {
  answerOutputs,
  CLIENT_COUNTER,
  type ClientFacts,
  compactCopy,
  kilobytesOf,
  type MempoolTx,
  type NodeEvent,
  type PackedEvent,
  type PackedMempool,
  type ToNode,
  type ToWallets,
  TXID_BYTES,
} from '../wallet/node-face.js';
import type { InlineNodeClient } from './inline-node-client.js';

/**
 * Limit in kilobytes for messages that the wallets have not processed. Above it, mempool events are dropped and the
 * wallets read the whole mempool later.
 */
const MAX_PENDING_KB = 64_000;
/** Above this multiple of the limit, blocks are announced without their bytes and the wallets scan them later. */
const BLOCKS_SHARE = 4;
/** Interval in milliseconds between checks whether the wallets have caught up. */
const CHECK_MS = 200;
/** Milliseconds until a message that could not be posted is posted again, unless another message comes earlier. */
const RETRY_MS = 200;

/** Returns the ids in one array, and the bytes of each transaction. */
function packedPool(txs: readonly MempoolTx[]): PackedMempool {
  const txids = new Uint8Array(TXID_BYTES * txs.length);
  for (const [i, { txid }] of txs.entries()) txids.set(txid, TXID_BYTES * i);
  return { txids, txs: txs.map(({ bytes }) => compactCopy(bytes)) };
}

export class NodeClientServer {
  readonly #client: InlineNodeClient;
  readonly #port: MessagePort;
  readonly #counters: Int32Array;
  readonly #maxPendingKb: number;
  readonly #guard: ListenerGuard;
  /** Messages to post, in order. Empty unless a message could not be posted. */
  #unposted: (() => ToWallets)[] = [];
  #retry: NodeJS.Timeout | null = null;
  #stop: Promise<() => void> | null = null;
  #postedKb = 0;
  /** True after mempool events were dropped: the wallets will read the mempool again. */
  #lost = false;
  /**
   * Timer that runs after blocks were announced without their bytes, until the wallets get the event that makes them
   * scan.
   */
  #behind: NodeJS.Timeout | null = null;

  constructor(client: InlineNodeClient, port: MessagePort, counters: Int32Array, guard: ListenerGuard, maxPendingKb = MAX_PENDING_KB) {
    this.#guard = guard;
    this.#client = client;
    this.#port = port;
    this.#counters = counters;
    this.#maxPendingKb = maxPendingKb;
    // Block events are always posted; their bytes only while wallets listen.
    const unfollow = client.followChain((event) => this.#postInOrder(() => this.#skipped(event) ?? this.#packed(event)));
    port.on('message', (message: ToNode) => this.#onMessage(message));
    port.on('close', () => {
      unfollow();
      void this.#stop?.then((stop) => stop());
      client.setPruneGuard(Number.POSITIVE_INFINITY);
      this.#endBehind();
      this.#unposted = [];
      if (this.#retry !== null) clearTimeout(this.#retry);
    });
  }

  /** Current facts for the other end. */
  get facts(): ClientFacts {
    const { tip, genesis, constants } = this.#client;
    return { tip, genesis, constants };
  }

  /** Posts an event. Queues the event if it cannot be posted. */
  #postInOrder(event: () => ToWallets): void {
    this.#unposted.push(event);
    this.#postRest();
  }
  #postRest(): void {
    try {
      for (let event = this.#unposted[0]; event !== undefined; event = this.#unposted[0]) {
        this.#post(event());
        this.#unposted.shift();
      }
    } catch (error) {
      this.#guard.failed('wallets', error);
      this.#retry ??= setTimeout(() => {
        this.#retry = null;
        this.#postRest();
      }, RETRY_MS).unref();
    }
  }
  /** Posts an answer after all queued events. @throws if a message cannot be posted */
  #answerWith(message: ToWallets): void {
    if (this.#unposted.length > 0) this.#postInOrder(() => message);
    else this.#post(message);
  }
  #post(message: ToWallets): void {
    this.#postedKb = (this.#postedKb + kilobytesOf(message)) | 0;
    // A block is copied once, into a buffer that is transferred. Small messages are copied by postMessage.
    const moved = (message.kind === 'connected' || message.kind === 'disconnected') && message.bytes;
    this.#port.postMessage(message, moved ? [moved.buffer as ArrayBuffer] : []);
    Atomics.add(this.#counters, CLIENT_COUNTER.POSTED, 1);
  }
  /**
   * Returns the short event for a block if the wallets are far behind: like after a snapshot, they record the block and
   * scan it later. Null for other events.
   */
  #skipped(event: NodeEvent): PackedEvent | null {
    if (event.kind !== 'connected' || this.#stop === null || this.#pendingKb <= BLOCKS_SHARE * this.#maxPendingKb) return null;
    this.#behind ??= setInterval(() => this.#checkCaughtUp(), CHECK_MS).unref();
    return { kind: 'jumped', node: event.node, locator: event.locator };
  }
  #packed(event: NodeEvent): PackedEvent {
    switch (event.kind) {
      case 'connected':
      case 'disconnected': {
        const { block, ...facts } = event;
        return { ...facts, bytes: this.#stop === null ? null : new Uint8Array(block.bytes) };
      }
      case 'entered':
        return { kind: 'entered', bytes: compactCopy(event.tx.bytes) };
      case 'left':
        return { kind: 'left', bytes: compactCopy(event.tx.bytes), conflict: event.conflict };
      case 'pool':
        throw new Error('the mempool as a whole is only told as an answer');
      default:
        return event;
    }
  }
  get #pendingKb(): number {
    return (this.#postedKb - Atomics.load(this.#counters, CLIENT_COUNTER.TAKEN_KB)) | 0;
  }
  #checkCaughtUp(): void {
    if (this.#pendingKb > this.#maxPendingKb) return;
    this.#endBehind();
    // While blocks below a snapshot are missing, the chain itself causes this event when they are complete.
    if (!this.#client.stored().historyMissing) this.#postInOrder(() => this.#client.historyEvent);
  }
  #endBehind(): void {
    if (this.#behind !== null) clearInterval(this.#behind);
    this.#behind = null;
  }
  #postPoolEvent(event: NodeEvent): void {
    if (this.#lost || (event.kind !== 'entered' && event.kind !== 'left')) return;
    this.#lost = this.#pendingKb > this.#maxPendingKb;
    const lost = this.#lost;
    this.#postInOrder(() => (lost ? { kind: 'lost' } : this.#packed(event)));
  }

  #onMessage(message: ToNode): void {
    if (message.kind === 'keep') {
      this.#client.setPruneGuard(message.from);
      return;
    }
    if (message.kind === 'confirm') {
      this.#client.confirmJump(message.jumps);
      return;
    }
    const { id } = message;
    const failed = (error: unknown): void => {
      const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error), code: undefined };
      this.#answerWith({ kind: 'failed', id, message, code });
    };
    try {
      const value = this.#answer(message);
      // Post known answers immediately, before anything else can happen.
      if (!(value instanceof Promise)) this.#answerWith({ kind: 'answer', id, value });
      else value.then((known: unknown) => this.#answerWith({ kind: 'answer', id, value: known })).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
  #answer({ question, args }: Extract<ToNode, { kind: 'ask' }>): unknown {
    switch (question) {
      case 'listen':
        this.#stop ??= this.#client.listen((event) => this.#postPoolEvent(event));
        return this.#stop.then(() => null);
      case 'listenNoMore':
        void this.#stop?.then((stop) => stop());
        this.#stop = null;
        this.#lost = false;
        return null;
      case 'settled':
        return this.#client.mempoolSettled() ?? null;
      case 'outputs':
        return answerOutputs(args[0] as Uint8Array, (outpoints) => this.#client.outputs(outpoints));
      case 'readMempool':
        this.#lost = false;
        return packedPool(this.#client.pool());
      default:
        return (this.#client[question] as (...given: readonly unknown[]) => unknown).apply(this.#client, [...args]);
    }
  }
}
