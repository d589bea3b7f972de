// Serves filters of BIP-0158 to peers as BIP-0157 has it: getcfilters, getcfheaders, getcfcheckpt. Only with -peerblockfilters; whoever asks
// for what is not offered, or for too much, is disconnected. Callers: Net's table of messages.
import { setTimeout } from 'node:timers/promises';
import type { HeaderNode } from '../../chain/header-node.js';
import { NodeStatus } from '../../chain/header-node.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { decodeFilterCheckpoints, decodeFilterRange } from '../wire/messages.js';

const BASIC = 0;
/** Most filters and filter hashes of one request, and the distance of checkpoints. */
const MAX_FILTERS = 1_000;
const MAX_HASHES = 2_000;
const CHECKPOINT_INTERVAL = 1_000;
/** Between looks at a peer that is slow to read. */
const READ_WAIT_MS = 20;

/** The filter index as this room wants it. */
export interface FilterSource {
  find(blockHash: Uint8Array): Promise<{ filter: Uint8Array; header: Uint8Array } | undefined>;
}

interface Range {
  readonly stop: HeaderNode;
  readonly start: number;
}

export class FilterServer {
  constructor(
    private readonly context: NetContext,
    /** null: nothing is served. */
    private readonly source: FilterSource | null,
  ) {}

  /** getcfilters. @throws DecodeError */
  async filters(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, startHeight, stop } = decodeFilterRange(payload);
    const range = this.#range(peer, type, startHeight, stop, MAX_FILTERS);
    if (range === null) return;
    for (const node of nodesOf(range)) {
      // As fast as the peer reads.
      while (peer.connection.sendPaused && !peer.leaving) await setTimeout(READ_WAIT_MS);
      const found = await this.source?.find(node.hash);
      // Not built that far yet: the peer asks another.
      if (found === undefined || peer.leaving) return;
      peer.send('cfilter', new ByteWriter(40 + found.filter.length).u8(BASIC).bytes(node.hash).varBytes(found.filter).finish());
    }
  }

  /** getcfheaders. @throws DecodeError */
  async headers(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, startHeight, stop } = decodeFilterRange(payload);
    const range = this.#range(peer, type, startHeight, stop, MAX_HASHES);
    if (range === null) return;
    const before = range.start === 0 ? undefined : await this.source?.find((range.stop.ancestor(range.start - 1) as HeaderNode).hash);
    if (range.start > 0 && before === undefined) return;
    const nodes = nodesOf(range);
    const writer = new ByteWriter(100 + nodes.length * 32)
      .u8(BASIC)
      .bytes(range.stop.hash)
      .bytes(before?.header ?? new Uint8Array(32));
    writer.compactSize(nodes.length);
    for (const node of nodes) {
      const found = await this.source?.find(node.hash);
      if (found === undefined || peer.leaving) return;
      writer.bytes(this.context.crypto.sha256d(found.filter));
    }
    peer.send('cfheaders', writer.finish());
  }

  /** getcfcheckpt. @throws DecodeError */
  async checkpoints(peer: Peer, payload: Uint8Array): Promise<void> {
    const { type, stop } = decodeFilterCheckpoints(payload);
    const range = this.#range(peer, type, 0, stop, Number.POSITIVE_INFINITY);
    if (range === null) return;
    const count = Math.floor(range.stop.height / CHECKPOINT_INTERVAL);
    const writer = new ByteWriter(50 + count * 32).u8(BASIC).bytes(range.stop.hash).compactSize(count);
    for (let i = 1; i <= count; i++) {
      const found = await this.source?.find((range.stop.ancestor(i * CHECKPOINT_INTERVAL) as HeaderNode).hash);
      if (found === undefined || peer.leaving) return;
      writer.bytes(found.header);
    }
    peer.send('cfcheckpt', writer.finish());
  }

  #range(peer: Peer, type: number, start: number, stopHash: Uint8Array, most: number): Range | null {
    const { chain } = this.context;
    const refuse = (why: string): null => {
      this.context.log.debug('net', `peer ${peer.id} ${why}`);
      this.context.disconnect(peer);
      return null;
    };
    if (this.source === null || type !== BASIC) return refuse(`requested unsupported block filter type: ${type}`);
    const stop = chain.node(stopHash);
    // Only of blocks we would serve: others would tell what we have seen.
    if (stop === undefined || !(chain.contains(stop) || (stop.has(NodeStatus.SCRIPTS_VALID) && !stop.failed))) {
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
