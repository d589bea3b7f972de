// Answers requests for the chain: getheaders, getblocks, and blocks in getdata.

import { type ChainView, type HeaderNode, MIN_BLOCKS_TO_KEEP, NodeStatus } from '../../chain/index.js';
import { parseBlock } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { BlockHash } from '../../consensus/ids.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { blockProof } from '../../consensus/rules/bits.js';
import type { Semaphore } from '../../lib/semaphore.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { servicesFor } from '../peer/permissions.js';
import { decodeLocator, encodeHeaders, encodeInv, type InvItem, TooMany } from '../wire/messages.js';
import { INV, LIMITED_MIN_BLOCKS, MAX_HEADERS_RESULTS, SERVICE } from '../wire/protocol.js';
import { forkOfLocator } from './locator.js';

/** Maximum number of hashes in the answer to getblocks. */
const MAX_GETBLOCKS_RESULTS = 500;
/**
 * Blocks outside the best chain are served if they are younger than this and have nearly the work of the best chain.
 * Serving other blocks would reveal which blocks this node has seen.
 */
const STALE_RELAY_AGE_SECONDS = 30 * 24 * 60 * 60;
/** Two more blocks than NODE_NETWORK_LIMITED promises are served, for races. */
const LIMITED_SLACK = 2;
/** Age in seconds from which on blocks count against the upload target. */
const HISTORICAL_BLOCK_AGE_SECONDS = 7 * 24 * 60 * 60;

export class BlockServer {
  readonly #context: NetContext;
  /** Returns whether the day's upload is used up, except for what new blocks need. */
  readonly #uploadTargetReached: () => boolean;
  /** Sends a compact block; false: the whole block must be sent. */
  readonly #sendCompact: (peer: Peer, node: HeaderNode, bytes: Uint8Array) => boolean;
  /** Sends the block through the peer's filter. */
  readonly #sendFiltered: (peer: Peer, bytes: Uint8Array) => Promise<void>;
  /** Limits reads of blocks for peers. */
  readonly #reads: Semaphore;

  constructor(
    context: NetContext,
    uploadTargetReached: () => boolean,
    sendCompact: (peer: Peer, node: HeaderNode, bytes: Uint8Array) => boolean,
    sendFiltered: (peer: Peer, bytes: Uint8Array) => Promise<void>,
    reads: Semaphore,
  ) {
    this.#context = context;
    this.#uploadTargetReached = uploadTargetReached;
    this.#sendCompact = sendCompact;
    this.#sendFiltered = sendFiltered;
    this.#reads = reads;
  }

  /** Handles getheaders. @throws DecodeError */
  sendHeaders(peer: Peer, payload: Uint8Array): void {
    const { chain, log, options } = this.#context;
    const request = this.#locator(peer, payload);
    if (request === null) return;
    if (this.#isBehind && !peer.permissions.download) {
      log.debug('net', `Ignoring getheaders from peer=${peer.id} because active chain has too little work`);
      // Answer, so that the peer does not wait.
      if (!options.legacyPeers) peer.send('headers', encodeHeaders([]));
      return;
    }
    let node: HeaderNode | undefined;
    if (request.locator.length === 0) {
      node = chain.node(request.stop);
      if (node === undefined) return;
      if (!mayServe(chain, node, this.#context.params)) {
        log.debug('net', `getheaders: ignoring request from peer=${peer.id} for old block header that isn't in the main chain`);
        return;
      }
    } else {
      node = chain.next(forkOfLocator(chain, request.locator));
    }
    const headers: Uint8Array[] = [];
    let last: HeaderNode | undefined;
    log.debug('net', `getheaders ${node?.height ?? -1} to ${displayed(request.stop)} from peer=${peer.id}`);
    while (node !== undefined) {
      headers.push(node.headerBytes);
      last = node;
      if (headers.length >= MAX_HEADERS_RESULTS || equalBytes(node.hash, request.stop)) break;
      node = chain.next(node);
    }
    // With this answer the peer knows the blocks up to here, so they need not be announced to the peer.
    peer.sync.bestHeaderSent = last ?? chain.tip;
    peer.send('headers', encodeHeaders(headers));
  }

  /** True while the active chain has less than the minimum chain work. In 0.21: during the initial block download. */
  get #isBehind(): boolean {
    const { chain, options } = this.#context;
    return options.legacyPeers ? chain.isInitialBlockDownload() : chain.tip.chainWork < chain.minimumChainWork;
  }

  /** Handles getblocks. @throws DecodeError */
  sendHashes(peer: Peer, payload: Uint8Array): void {
    const { chain, log } = this.#context;
    const request = this.#locator(peer, payload);
    if (request === null) return;
    let node = chain.next(forkOfLocator(chain, request.locator));
    log.debug('net', `getblocks ${node?.height ?? -1} to ${displayed(request.stop)} limit ${MAX_GETBLOCKS_RESULTS} from peer=${peer.id}`);
    for (let left = MAX_GETBLOCKS_RESULTS; node !== undefined; node = chain.next(node)) {
      if (equalBytes(node.hash, request.stop)) break;
      if (this.#mayBePrunedSoon(node)) {
        log.debug('net', ` getblocks stopping, pruned or too old block at ${node.height} ${node.hashHex}`);
        break;
      }
      peer.sync.blockInvs.push(node.hash);
      if (--left > 0) continue;
      // When the peer requests this block, it gets the tip's hash and requests more.
      peer.sync.continueAt = node.hash;
      break;
    }
    this.#context.scheduleRound(peer);
  }

  /** Returns whether a pruned node does not have a block, or may prune it within the hour that its relay may take. */
  #mayBePrunedSoon(node: HeaderNode): boolean {
    const { blocks, chain, params } = this.#context;
    if (blocks.pruneSettings === null) return false;
    return !node.hasData || node.height <= chain.tip.height - MIN_BLOCKS_TO_KEEP + Math.floor(3_600 / params.powTargetSpacing);
  }

  #locator(peer: Peer, payload: Uint8Array): ReturnType<typeof decodeLocator> | null {
    try {
      return decodeLocator(payload);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      this.#context.disconnect(peer, `getheaders/getblocks ${error.message}`);
      return null;
    }
  }

  /**
   * Sends a requested block.
   * @returns false if the block is unknown, missing or must not be served. The result is the same in all three cases, so
   * that an answer does not reveal which blocks this node has seen
   */
  async sendBlock(peer: Peer, item: InvItem): Promise<boolean> {
    const { chain, log } = this.#context;
    const node = chain.node(item.hash);
    if (node === undefined) return false;
    // The block was announced while its scripts run. Wait until it is connected.
    if (node.hasChainData && !node.has(NodeStatus.SCRIPTS_VALID) && !node.failed) await this.#context.commands.settled();
    if (peer.leaving) return false;
    if (!mayServe(chain, node, this.#context.params)) {
      log.debug('net', `ignoring request from peer=${peer.id} for old block that isn't in the main chain`);
      return false;
    }
    if (item.type === INV.FILTERED_BLOCK && (servicesFor(peer, this.#context.options.services) & SERVICE.BLOOM) === 0n) {
      this.#context.disconnect(peer, 'filtered block request received when NODE_BLOOM service disabled');
      return false;
    }
    const old = chain.bestHeader.time - node.time > HISTORICAL_BLOCK_AGE_SECONDS || item.type === INV.FILTERED_BLOCK;
    if (this.#uploadTargetReached() && old && !peer.permissions.download) {
      this.#context.disconnect(peer, 'historical block serving limit reached');
      return false;
    }
    const limited = (this.#context.services & SERVICE.NETWORK) === 0n;
    const tooDeep = chain.tip.height - node.height > LIMITED_MIN_BLOCKS + LIMITED_SLACK;
    if (limited && tooDeep && !peer.permissions.noban) {
      this.#context.disconnect(peer, 'Ignore block request below NODE_NETWORK_LIMITED threshold');
      return false;
    }
    if (!node.hasData) return false;
    // Without a filter the request has no answer, as in Core, so do not read the block.
    if (item.type === INV.FILTERED_BLOCK && peer.filter === null) {
      this.#continue(peer, item.hash);
      return true;
    }
    return this.#reads.run(() => this.#sendBlock(peer, node, item));
  }

  async #sendBlock(peer: Peer, node: HeaderNode, item: InvItem): Promise<boolean> {
    const { blocks, log } = this.#context;
    // The peer may have disconnected while the read waited.
    if (peer.leaving) return false;
    let bytes: Uint8Array;
    try {
      bytes = await blocks.readBlockBytes(node);
    } catch (error) {
      // The chain notices an unreadable block when it needs the block itself.
      if (node.hasData) log.warn(`Block ${node.hashHex}, requested by a peer, can't be read: ${(error as Error).message}`);
      return false;
    }
    if (peer.leaving) return false;
    if (item.type === INV.FILTERED_BLOCK) await this.#sendFiltered(peer, bytes);
    else this.#context.chargeTo(peer, () => this.#sendWhole(peer, node, item, bytes));
    this.#continue(peer, item.hash);
    return true;
  }

  #sendWhole(peer: Peer, node: HeaderNode, { type }: InvItem, bytes: Uint8Array): void {
    if (type === INV.CMPCT_BLOCK && this.#sendCompact(peer, node, bytes)) return;
    peer.send('block', type === INV.BLOCK ? withoutWitnesses(bytes, this.#context) : bytes);
  }

  #continue(peer: Peer, hash: BlockHash): void {
    const { sync } = peer;
    if (sync.continueAt === null || !equalBytes(sync.continueAt, hash)) return;
    // Send the inv immediately, before the answers to later requests.
    peer.send('inv', encodeInv([{ type: INV.BLOCK, hash: this.#context.chain.tip.hash }]));
    sync.continueAt = null;
  }
}

/**
 * Returns whether any peer may know that this node has a block: it is in the best chain, or a recent rival of nearly
 * its work (Core's BlockRequestAllowed). Other blocks would help to identify this node.
 */
export function mayServe(chain: ChainView, node: HeaderNode, params: Pick<ChainParams, 'powTargetSpacing'>): boolean {
  if (chain.contains(node)) return true;
  const best = chain.bestHeader;
  if (!node.has(NodeStatus.SCRIPTS_VALID) || node.failed) return false;
  if (best.time - node.time >= STALE_RELAY_AGE_SECONDS) return false;
  // Difference of work in seconds, at the best header's difficulty.
  const seconds = ((best.chainWork - node.chainWork) * BigInt(params.powTargetSpacing)) / blockProof(best.bits);
  return seconds < BigInt(STALE_RELAY_AGE_SECONDS);
}

function displayed(hash: BlockHash): string {
  return hash.every((byte) => byte === 0) ? 'end' : Buffer.from(hash).reverse().toString('hex');
}

/** Returns the block without witnesses. */
function withoutWitnesses(bytes: Uint8Array, { crypto }: NetContext): Uint8Array {
  const block = parseBlock(bytes, crypto);
  const writer = new ByteWriter(block.strippedSize).bytes(block.header.bytes).compactSize(block.txs.length);
  for (const tx of block.txs) writer.bytes(tx.hasWitness ? tx.stripped() : tx.bytes);
  return writer.finish();
}
