// NodeClient on another thread than the node's. Events and replies arrive through one port, in order. The node
// increases a counter in shared memory after each message that it posts. sync() reads the counter to know how many
// messages to receive before a call. The other end is node/node-client-server.ts.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { parseBlock } from '../consensus/block/block-view.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { type BlockFacts, MempoolTx, type NodeClient, type NodeConstants, type NodeEvent, type NodeQueries } from './node-client.js';
import { OutputQueries } from './output-queries.js';

/** State of the node when the client is created. Everything except `tip` is constant. */
export interface ClientFacts extends Pick<NodeClient, 'tip' | 'genesis' | 'constants'> {}

/** NodeEvent as it crosses threads: bytes instead of parsed blocks and transactions. */
export type PackedEvent =
  /** `bytes` is null while no wallet listens. */
  | { readonly kind: 'connected'; readonly node: BlockFacts; readonly bytes: Uint8Array | null; readonly locator: Uint8Array }
  | {
      readonly kind: 'disconnected';
      readonly node: BlockFacts;
      readonly before: BlockFacts;
      readonly bytes: Uint8Array | null;
      readonly locator: Uint8Array;
    }
  | Extract<NodeEvent, { kind: 'jumped' | 'history' }>
  | { readonly kind: 'entered'; readonly bytes: Uint8Array }
  | { readonly kind: 'left'; readonly bytes: Uint8Array; readonly conflict: boolean }
  /** The queue is full. The node sends no mempool events until the client reads the mempool again. */
  | { readonly kind: 'lost' };

export type ToWallets =
  | PackedEvent
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly code: unknown };

/** Mempool as it crosses threads. */
export interface PackedMempool {
  /** txids, TXID_BYTES each. */
  readonly txids: Uint8Array;
  readonly txs: readonly Uint8Array[];
}
export const TXID_BYTES = 32;

/** Names of all requests: NodeQueries, and requests of the client itself. */
export type ClientRequest = keyof NodeQueries | 'listen' | 'listenNoMore' | 'readMempool' | 'settled';

export type ToNode =
  | { readonly kind: 'ask'; readonly id: number; readonly question: ClientRequest; readonly args: readonly unknown[] }
  | { readonly kind: 'keep'; readonly from: number }
  | { readonly kind: 'confirm'; readonly jumps: number };

/** Indexes of the counters that both threads see. */
export const CLIENT_COUNTER = { POSTED: 0, TAKEN_KB: 1, COUNT: 2 } as const;

/** The prune guard moves in steps of this many blocks, because a scan reports its position after every block. */
const PRUNE_GUARD_STEP = 144;

/** Copies a view of a larger buffer, because structuredClone would copy the whole buffer. */
export const compactCopy = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

const packed = (value: unknown): unknown =>
  value instanceof Uint8Array ? compactCopy(value) : Array.isArray(value) ? value.map(packed) : value;

/** Returns the size of a message's bytes, in kB. */
export function kilobytesOf(message: ToWallets): number {
  return 'bytes' in message && message.bytes !== null ? Math.ceil(message.bytes.length / 1000) : 0;
}

interface Pending {
  readonly done: (value: unknown) => void;
  readonly failed: (error: Error) => void;
}

export interface LinkedClientDeps {
  readonly facts: ClientFacts;
  readonly port: MessagePort;
  /** CLIENT_COUNTER.COUNT shared numbers. */
  readonly counters: Int32Array;
  readonly hashes: Hashes;
}

export class LinkedNodeClient implements NodeClient {
  readonly #deps: LinkedClientDeps;
  readonly #listeners = new Set<(event: NodeEvent) => unknown>();
  /** Resolves when the node has started to send events; null while there is no listener. */
  #listening: Promise<unknown> | null = null;
  readonly #pending = new Map<number, Pending>();
  /** Hex hashes of blocks that left the chain. */
  readonly #disconnected = new Set<string>();
  #tip: BlockFacts;
  #asked = 0;
  #taken = 0;
  #pruneGuardHeight = Number.POSITIVE_INFINITY;
  /**
   * True if blocks were disconnected since this client last asked the node whether their transactions are back in the
   * mempool.
   */
  #unsettled = false;
  /** Pending reply to the request "settled": transactions of disconnected blocks are back in the mempool. */
  #settling: Promise<void> | null = null;
  /** Pending read of the mempool, after events were lost. */
  #rereading: Promise<void> | null = null;

  constructor(deps: LinkedClientDeps) {
    this.#deps = deps;
    this.#tip = deps.facts.tip;
    deps.port.on('message', (message: ToWallets) => this.#receive(message));
  }

  // -- events of the node

  get tip(): BlockFacts {
    return this.#tip;
  }
  contains({ hashHex }: BlockFacts): boolean {
    return !this.#disconnected.has(hashHex);
  }
  async listen(listener: (event: NodeEvent) => unknown): Promise<() => void> {
    this.#listeners.add(listener);
    this.#listening ??= this.#request('listen');
    await this.#listening;
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#listening = null;
      this.#request('listenNoMore').catch(() => {});
    };
  }
  sync(): void {
    const { counters, port } = this.#deps;
    const posted = Atomics.load(counters, CLIENT_COUNTER.POSTED);
    while ((posted - this.#taken) | 0) {
      const next = receiveMessageOnPort(port);
      if (next === undefined) return;
      this.#receive(next.message);
    }
  }
  #receive(message: ToWallets): void {
    this.#taken = (this.#taken + 1) | 0;
    switch (message.kind) {
      case 'answer':
      case 'failed': {
        const pending = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        if (message.kind === 'answer') pending?.done(message.value);
        // The class of an error does not cross threads. The error's code does: it shows whether the operator can fix
        // the cause.
        else pending?.failed(Object.assign(new Error(message.message), { code: message.code }));
        break;
      }
      case 'lost':
        this.#rereading ??= this.readMempool((event) => this.#notifyListeners(event)).finally(() => {
          this.#rereading = null;
        });
        break;
      default:
        this.#updateTip(message);
        this.#deliver(message);
    }
  }
  /** Delivers an event to the listeners. The event counts as processed when no listener needs its bytes any more. */
  #deliver(message: Exclude<PackedEvent, { kind: 'lost' }>): void {
    const used = this.#listeners.size > 0 ? this.#unpack(message) : [];
    const kilobytes = kilobytesOf(message);
    const taken = (): number => Atomics.add(this.#deps.counters, CLIENT_COUNTER.TAKEN_KB, kilobytes);
    if (used.length === 0) taken();
    else void Promise.all(used).then(taken);
  }
  #updateTip(event: PackedEvent): void {
    if (event.kind === 'connected' || event.kind === 'jumped') {
      this.#disconnected.delete(event.node.hashHex);
      this.#tip = event.node;
    } else if (event.kind === 'disconnected') {
      this.#disconnected.add(event.node.hashHex);
      this.#tip = event.before;
      this.#unsettled = true;
    }
  }
  #unpack(event: Exclude<PackedEvent, { kind: 'lost' }>): Promise<unknown>[] {
    const { hashes } = this.#deps;
    switch (event.kind) {
      case 'connected':
      case 'disconnected':
        return event.bytes === null ? [] : this.#notifyListeners({ ...event, block: parseBlock(event.bytes, hashes) });
      case 'entered':
      case 'left':
        return this.#notifyListeners({ ...event, tx: parseTx(event.bytes, hashes) });
      default:
        return this.#notifyListeners(event);
    }
  }
  /** Calls the listeners. @returns promises of listeners that need the event's bytes until the promise resolves */
  #notifyListeners(event: NodeEvent): Promise<unknown>[] {
    const used: Promise<unknown>[] = [];
    for (const listener of this.#listeners) {
      const one = listener(event);
      if (one instanceof Promise) used.push(one);
    }
    return used;
  }
  readMempool(listener: (event: NodeEvent) => void): Promise<void> {
    const { hashes } = this.#deps;
    return this.#request('readMempool', [], (value) => {
      const { txids, txs } = value as PackedMempool;
      const idOf = (i: number): Uint8Array => txids.subarray(TXID_BYTES * i, TXID_BYTES * (i + 1));
      listener({ kind: 'pool', txs: txs.map((bytes, i) => new MempoolTx(idOf(i), bytes, hashes)) });
    }) as Promise<void>;
  }
  mempoolSettled(): Promise<void> | undefined {
    if (this.#unsettled) {
      this.#unsettled = false;
      const settling: Promise<void> = this.#request('settled')
        .then(
          () => this.#rereading ?? undefined,
          (error: unknown) => {
            this.#unsettled = true;
            throw error;
          },
        )
        .finally(() => {
          if (this.#settling === settling) this.#settling = null;
        });
      this.#settling = settling;
    }
    return this.#settling ?? this.#rereading ?? undefined;
  }
  setPruneGuard(height: number): void {
    const isNear = height >= this.#pruneGuardHeight && height < this.#pruneGuardHeight + PRUNE_GUARD_STEP;
    if (isNear) return;
    this.#pruneGuardHeight = height;
    this.#deps.port.postMessage({ kind: 'keep', from: height } satisfies ToNode);
  }
  confirmJump(jumps: number): void {
    this.#deps.port.postMessage({ kind: 'confirm', jumps } satisfies ToNode);
  }

  // -- queries to the node

  /** Sends a request. @param inPlace called with the reply when it arrives, before any later event */
  #request(question: ClientRequest, args: readonly unknown[] = [], inPlace?: (value: unknown) => void): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      const done = (value: unknown): void => {
        inPlace?.(value);
        resolve(value);
      };
      this.#pending.set(id, { done, failed: reject });
      this.#deps.port.postMessage({ kind: 'ask', id, question, args: args.map(packed) } satisfies ToNode);
    });
  }
  #queryFunction<Name extends keyof NodeQueries>(name: Name): NodeQueries[Name] {
    return ((...args: unknown[]) => this.#request(name, args)) as NodeQueries[Name];
  }
  readonly block = this.#queryFunction('block');
  readonly blocks = this.#queryFunction('blocks');
  readonly heights = this.#queryFunction('heights');
  readonly fork = this.#queryFunction('fork');
  readonly ancestor = this.#queryFunction('ancestor');
  readonly firstBlockSince = this.#queryFunction('firstBlockSince');
  readonly locator = this.#queryFunction('locator');
  readonly readBlock = this.#queryFunction('readBlock');
  readonly stored = this.#queryFunction('stored');
  readonly hasBlocks = this.#queryFunction('hasBlocks');
  readonly scan = this.#queryFunction('scan');
  readonly sign = this.#queryFunction('sign');
  readonly isInitialBlockDownload = this.#queryFunction('isInitialBlockDownload');
  readonly isReady = this.#queryFunction('isReady');
  readonly estimate = this.#queryFunction('estimate');
  readonly rates = this.#queryFunction('rates');
  readonly relatives = this.#queryFunction('relatives');
  readonly bumpFees = this.#queryFunction('bumpFees');
  readonly #outputs = new OutputQueries((packed) => this.#request('outputs', [packed]));
  outputs(outpoints: readonly Uint8Array[]): ReturnType<NodeClient['outputs']> {
    return this.#outputs.outputs(outpoints);
  }
  readonly fitsChainLimits = this.#queryFunction('fitsChainLimits');
  readonly broadcast = this.#queryFunction('broadcast');

  // -- constants of the node

  get genesis(): BlockFacts {
    return this.#deps.facts.genesis;
  }
  get constants(): NodeConstants {
    return this.#deps.facts.constants;
  }
}
