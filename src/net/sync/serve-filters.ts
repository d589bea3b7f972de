// Serves block filters (BIP-0157, BIP-0158): getcfilters, getcfheaders, getcfcheckpt. Only with -peerblockfilters. A
// peer that requests something that is not offered, or too much, is disconnected. The cost of a short message is
// bounded: hashes and headers are read without their filters, checkpoints are cached, a few peers are served at a time,
// and the time of the node thread is charged to them.

import { setTimeout } from 'node:timers/promises';
import type { HeaderNode } from '../../chain/index.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { BlockHash } from '../../consensus/ids.js';
import { Semaphore } from '../../lib/semaphore.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { decodeFilterCheckpoints, decodeFilterRange } from '../wire/messages.js';
import { mayServe } from './serve-blocks.js';

const BASIC = 0;
/**
 * Maximum number of filters in one request, maximum number of filter hashes in one request, and distance of checkpoints
 * in blocks.
 */
const MAX_FILTERS = 1_000;
const MAX_HASHES = 2_000;
const CHECKPOINT_INTERVAL = 1_000;
/** Milliseconds between checks whether a slow peer has read. */
const READ_WAIT_MS = 20;
/** Number of hashes and headers that are read together; number of peers that are served at a time. */
const HEADS_AT_A_TIME = 250;
const READERS_AT_A_TIME = 4;
/** Maximum number of cached filter headers of checkpoints: enough for some decades of the best chain. */
const MAX_CHECKPOINTS = 4_096;

/** Part of the filter index that this module needs. */
export interface FilterSource {
  find(blockHash: Uint8Array): Promise<{ filter: Uint8Array; header: Uint8Array } | undefined>;
  /** Returns filter hashes and headers; undefined where there is no filter. */
  heads(blockHashes: readonly Uint8Array[]): Promise<(FilterHead | undefined)[]>;
}

interface FilterHead {
  readonly hash: BlockHash;
  readonly header: Uint8Array;
}

interface Range {
  readonly stop: HeaderNode;
  readonly start: number;
}

export class FilterServer {
  readonly #reads = new Semaphore(READERS_AT_A_TIME);
  /** Filter headers at multiples of a thousand blocks, in order of reading. */
  readonly #checkpoints = new Map<HeaderNode, Uint8Array>();
  readonly #context: NetContext;
  /** Filter index; null: the node serves no filters. */
  readonly #source: FilterSource | null;

  constructor(context: NetContext, source: FilterSource | null) {
    this.#context = context;
    this.#source = source;
  }

  /** Handles getcfilters. @throws DecodeError */
  async filters(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, startHeight, stop } = decodeFilterRange(payload);
    const range = this.#range(peer, type, startHeight, stop, MAX_FILTERS);
    if (range === null) return;
    for (const node of nodesOf(range)) {
      // Send as fast as the peer reads.
      while (peer.connection.sendPaused && !peer.leaving) await setTimeout(READ_WAIT_MS);
      const found = await this.#reads.run(async () => this.#source?.find(node.hash));
      // The index has not reached this block. The peer asks another node.
      if (found === undefined || peer.leaving) return;
      const { filter } = found;
      this.#context.chargeTo(peer, () => {
        peer.send('cfilter', new ByteWriter(40 + filter.length).u8(BASIC).bytes(node.hash).varBytes(filter).finish());
      });
    }
  }

  /** Handles getcfheaders. @throws DecodeError */
  async headers(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, startHeight, stop } = decodeFilterRange(payload);
    const range = this.#range(peer, type, startHeight, stop, MAX_HASHES);
    if (range === null) return;
    const nodes = nodesOf(range);
    const [first] = nodes as [HeaderNode];
    const heads = await this.#heads(peer, first.prev === null ? nodes : [first.prev, ...nodes]);
    if (heads === null) return;
    const before = first.prev === null ? new Uint8Array(32) : (heads.shift() as FilterHead).header;
    const writer = new ByteWriter(100 + nodes.length * 32).u8(BASIC).bytes(range.stop.hash).bytes(before);
    writer.compactSize(nodes.length);
    for (const { hash } of heads) writer.bytes(hash);
    peer.send('cfheaders', writer.finish());
  }

  /** Handles getcfcheckpt. @throws DecodeError */
  async checkpoints(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, stop } = decodeFilterCheckpoints(payload);
    const range = this.#range(peer, type, 0, stop, Number.POSITIVE_INFINITY);
    if (range === null) return;
    const count = Math.floor(range.stop.height / CHECKPOINT_INTERVAL);
    const nodes = Array.from({ length: count }, (_, i) => range.stop.ancestor((i + 1) * CHECKPOINT_INTERVAL) as HeaderNode);
    const headers = nodes.map((node) => this.#checkpoints.get(node));
    const unknown = nodes.filter((_, i) => headers[i] === undefined);
    const heads = await this.#heads(peer, unknown);
    if (heads === null) return;
    const read = heads.values();
    const writer = new ByteWriter(50 + count * 32).u8(BASIC).bytes(range.stop.hash).compactSize(count);
    for (const header of headers) writer.bytes(header ?? (read.next().value as FilterHead).header);
    for (const [i, node] of unknown.entries()) {
      this.#checkpoints.set(node, (heads[i] as FilterHead).header);
      if (this.#checkpoints.size > MAX_CHECKPOINTS) this.#checkpoints.delete(this.#checkpoints.keys().next().value as HeaderNode);
    }
    peer.send('cfcheckpt', writer.finish());
  }

  /** Returns hashes and headers of blocks' filters; null if one is missing, or if the peer has disconnected. */
  #heads(peer: Peer, nodes: readonly HeaderNode[]): Promise<FilterHead[] | null> {
    return this.#reads.run(async () => {
      const heads: FilterHead[] = [];
      for (let at = 0; at < nodes.length; at += HEADS_AT_A_TIME) {
        if (peer.leaving) return null;
        const hashes = nodes.slice(at, at + HEADS_AT_A_TIME).map(({ hash }) => hash);
        for (const head of (await this.#context.chargeTo(peer, () => this.#source?.heads(hashes))) ?? [undefined]) {
          // The index has not reached this block. The peer asks another node.
          if (head === undefined) return null;
          heads.push(head);
        }
      }
      return peer.leaving ? null : heads;
    });
  }

  #range(peer: Peer, type: number, start: number, stopHash: Uint8Array, most: number): Range | null {
    const { chain } = this.#context;
    const refuse = (why: string): null => {
      this.#context.disconnect(peer, `peer ${why}`);
      return null;
    };
    if (this.#source === null || type !== BASIC) return refuse(`requested unsupported block filter type: ${type}`);
    const stop = chain.node(stopHash);
    // Only blocks that may be served: others would reveal what this node has seen.
    if (stop === undefined || !mayServe(chain, stop, this.#context.params)) {
      return refuse(`requested invalid block hash: ${Buffer.from(stopHash).reverse().toString('hex')}`);
    }
    if (start > stop.height)
      return refuse(`sent invalid getcfilters/getcfheaders with start height ${start} and stop height ${stop.height}`);
    if (stop.height - start >= most) return refuse(`requested too many cfilters/cfheaders: ${stop.height - start + 1} / ${most}`);
    return { stop, start };
  }
}

function nodesOf({ stop, start }: Range): HeaderNode[] {
  const nodes: HeaderNode[] = new Array(stop.height - start + 1);
  for (let node: HeaderNode = stop, i = nodes.length - 1; i >= 0; i--) {
    nodes[i] = node;
    node = node.prev as HeaderNode;
  }
  return nodes;
}
