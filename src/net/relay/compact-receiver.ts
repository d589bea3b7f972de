// Receives compact blocks (BIP-0152 version 2) and reconstructs the blocks from the mempool (Core's handling of cmpctblock and
// blocktxn).

import { type HeaderNode, NodeStatus } from '../../chain/index.js';
import { type HeaderView, parseHeader } from '../../consensus/block/header-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { ByteReader } from '../../consensus/bytes/reader.js';
import type { BlockHash } from '../../consensus/ids.js';
import { blockProof } from '../../consensus/rules/bits.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NetContext } from '../context.js';
import type { BlockInFlight, Peer } from '../peer/peer.js';
import { noteAvailable } from '../sync/availability.js';
import { punishForBlock } from '../sync/blame.js';
import { type BlockDownload, blockInvType } from '../sync/block-download.js';
import type { BlockReceiver } from '../sync/block-receiver.js';
import type { HeadersSync } from '../sync/headers.js';
import { antiDosWork } from '../sync/headers-presync.js';
import { type CompactBlock, decodeBlockTxs, decodeCompactBlock, encodeBlockTxRequest } from '../wire/compact-block.js';
import { encodeInv } from '../wire/messages.js';
import type { CompactSender } from './compact-sender.js';
import { COMPACT_CAUSES, type CompactCause, type CompactStats, TX_SOURCES } from './compact-stats.js';
import type { ExtraTxs } from './extra-txs.js';
import { PartialBlock } from './partial-block.js';

/** Blocks higher above the tip are not reconstructed: their transactions are not known yet. */
const MAX_ABOVE_TIP = 2;
/** Maximum number of peers that are asked for the missing transactions of one block. */
const MAX_ASKED_AT_ONCE = 3;
/** Maximum number of blocks in reconstruction at a time, for all peers. Each may hold megabytes. */
const MAX_PARTIAL = 24;

/**
 * Next step for a compact block whose header was accepted. none: nothing. headers: handle its header as announced alone.
 * whole: request the whole block from the peer. request: reconstruct the block, and request missing transactions. search:
 * reconstruct the block, and request nothing, because another peer was asked.
 */
type Step = 'none' | 'headers' | 'whole' | 'request' | 'search';

/** A block in reconstruction, with the peer that sent it as a compact block. */
type Reconstruction = { readonly peer: Peer; readonly node: HeaderNode } & (
  | {
      /** Missing transactions were requested from the peer. */
      readonly state: 'requested';
      readonly block: PartialBlock;
    }
  | {
      /** The peer's answer did not complete the block, and the whole block was requested. Another answer would be unrequested. */
      readonly state: 'failed';
    }
);

export interface CompactReceiverParts {
  readonly downloads: BlockDownload;
  readonly headers: HeadersSync;
  readonly blocks: BlockReceiver;
  readonly sender: CompactSender;
  readonly extra: ExtraTxs;
  readonly stats: CompactStats;
}

export class CompactReceiver {
  /** Blocks in reconstruction by hash and peer. */
  readonly #partial = new Map<string, Reconstruction>();
  readonly #context: NetContext;
  readonly #downloads: BlockDownload;
  readonly #headers: HeadersSync;
  readonly #blocks: BlockReceiver;
  readonly #sender: CompactSender;
  readonly #extra: ExtraTxs;
  readonly #stats: CompactStats;

  constructor(context: NetContext, { downloads, headers, blocks, sender, extra, stats }: CompactReceiverParts) {
    this.#context = context;
    this.#downloads = downloads;
    this.#headers = headers;
    this.#blocks = blocks;
    this.#sender = sender;
    this.#extra = extra;
    this.#stats = stats;
  }

  /** Called when a request ended without the block. */
  onReleased({ peer, hash }: BlockInFlight): void {
    this.#partial.delete(partialKey(peer, hash));
  }

  forgetPeer(peer: Peer): void {
    for (const [key, partial] of this.#partial) if (partial.peer === peer) this.#partial.delete(key);
  }

  /** Called after a tip change. Drops reconstructions that are no better than the tip. */
  onTip(): void {
    const { tip } = this.#context.chain;
    for (const [key, { node }] of this.#partial) if (node.chainWork <= tip.chainWork) this.#partial.delete(key);
  }

  /** Drops all reconstructions of a block that has arrived. */
  dropBlock(hash: BlockHash): void {
    const end = `/${hashKey(hash)}`;
    for (const key of this.#partial.keys()) if (key.endsWith(end)) this.#partial.delete(key);
  }

  /** Ends the request to this peer for a block that has arrived, from whichever peer. */
  #endRequest(peer: Peer, hash: BlockHash): void {
    if (this.#downloads.requestOf(hash)?.peer === peer) this.#downloads.endRequest(hash);
  }

  /** Handles cmpctblock. @throws DecodeError */
  async receiveCompactBlock(peer: Peer, payload: Uint8Array): Promise<void> {
    const { crypto, log, options } = this.#context;
    // Ignore compact blocks with -blocksonly: without relayed transactions the mempool cannot reconstruct blocks.
    if (options.blocksOnly) return;
    if (!options.legacyPeers && !peer.compact.provides) {
      log.debug('cmpctblock', `peer=${peer.id} sent us a compact block despite never having sent us a SENDCMPCT!`);
      return;
    }
    // The transactions are parsed only after the header has shown that they are wanted.
    const header = parseHeader(payload, crypto);
    const node = await this.#acceptHeader(peer, header);
    if (node === null) return;
    const step = this.#nextStep(peer, node);
    if (step === 'none') return;
    if (step === 'whole') this.#wholeBlock(peer, node);
    else if (step === 'headers') await this.#headers.processHeaders(peer, [header.bytes], true);
    else await this.#reconstruct(peer, node, decodeCompactBlock(payload, crypto), payload.length, step === 'request');
  }

  /** Adds the header to the chain. @returns its node; null if the block is not needed, or the peer was punished */
  async #acceptHeader(peer: Peer, header: HeaderView): Promise<HeaderNode | null> {
    const { chain, commands, log, times } = this.#context;
    const receivedMs = times.nowMs();
    const prev = chain.node(header.prevHash);
    if (prev === undefined) {
      if (!chain.isInitialBlockDownload()) this.#headers.askFrom(peer, chain.bestHeader);
      return null;
    }
    const known = chain.node(header.hash) !== undefined;
    // Headers of a chain with little work must pass the presync, so ignore its compact blocks.
    if (prev.chainWork + blockProof(header.bits) < antiDosWork(chain)) {
      log.debug('net', `Ignoring low-work compact block from peer ${peer.id}`);
      return null;
    }
    const verdict = await commands.submitHeader(header.bytes);
    if (verdict !== null) {
      punishForBlock(this.#context, peer, verdict, true, 'invalid header via cmpctblock');
      return null;
    }
    const node = chain.node(header.hash);
    if (node === undefined || peer.leaving) return null;
    if (!known && !chain.isInitialBlockDownload()) times.noteAnnounced(header.hash, receivedMs);
    noteAvailable(chain, peer, header.hash);
    if (!known && node.chainWork > chain.tip.chainWork) peer.sync.announcedAt = this.#context.clock.nowSeconds();
    return this.#arrived(peer, node) ? null : node;
  }

  /** Returns whether a block has arrived meanwhile, from whichever peer. Then ends the request to this one. */
  #arrived(peer: Peer, node: HeaderNode): boolean {
    if (!node.has(NodeStatus.HAVE_DATA)) return false;
    this.#endRequest(peer, node.hash);
    return true;
  }

  #nextStep(peer: Peer, node: HeaderNode): Step {
    const { chain, log, options } = this.#context;
    const wanted = peer.compact.highBandwidth || this.#downloads.wasAsked(peer, node);
    if (!wanted && !options.legacyPeers) {
      log.debug('cmpctblock', `peer=${peer.id}, not marked as high-bandwidth, sent us an unsolicited compact block!`);
      return 'none';
    }
    const asked = this.#downloads.requestOf(node.hash);
    // The block has arrived already and is about to be stored.
    if (asked === undefined && this.#downloads.expects(node.hash)) return 'none';
    // The block cannot become the tip, or was stored once. If the block was requested, request the whole block.
    if (node.chainWork <= chain.tip.chainWork || node.txCount !== 0) return asked === undefined ? 'none' : 'whole';
    if (asked === undefined && !this.#downloads.canFetchDirectly) return 'none';
    if (node.height > chain.tip.height + MAX_ABOVE_TIP) return asked === undefined ? 'headers' : 'whole';
    if (this.#partial.has(partialKey(peer, node.hash))) {
      log.debug('net', 'Peer sent us compact block we were already syncing!');
      return 'none';
    }
    const mine = asked?.peer === peer;
    const mayAsk = mine || (asked === undefined && this.#downloads.freeSlots(peer) > 0 && !this.#downloads.passesOver(peer, node));
    if (!mayAsk && !wanted && !isTrusted(peer)) return 'none';
    // The mempool was searched for this block before without success, so only the whole block helps.
    if (peer.compact.searchedFor === node) return mine ? 'whole' : 'none';
    return mayAsk ? 'request' : 'search';
  }

  /** @param mayAsk whether the peer may be asked for missing transactions, or for the whole block */
  async #reconstruct(peer: Peer, node: HeaderNode, compact: CompactBlock, bytes: number, mayAsk: boolean): Promise<void> {
    const { hash } = node;
    if (mayAsk && this.#partial.size >= MAX_PARTIAL) {
      this.#count(peer, 'busy');
      this.#wholeBlock(peer, node);
      return;
    }
    if (mayAsk) this.#downloads.startRequest(peer, hash, node);
    peer.compact.searchedFor = node;
    const isWanted = (): boolean => !peer.leaving && !node.has(NodeStatus.HAVE_DATA);
    const partial = await PartialBlock.fromCompactBlock(compact, this.#context, this.#extra.list, isWanted);
    if (peer.leaving || this.#arrived(peer, node)) return;
    if (partial === 'invalid') {
      if (mayAsk) this.#downloads.endRequest(hash);
      this.#context.misbehaving(peer, 100, 'invalid compact block');
      return;
    }
    if (partial === 'collision' || partial === 'mismatch') {
      this.#count(peer, partial);
      if (mayAsk) this.#wholeBlock(peer, node);
      return;
    }
    const missing = partial.missing();
    this.#context.log.debug(
      'cmpctblock',
      `Initialized PartiallyDownloadedBlock for block ${node.hashHex} using a cmpctblock of size ${bytes}; ${missing.length} missing, ${partial.sources.mempool} from mempool, ${partial.sources.extra} from extra pool`,
    );
    if (missing.length === 0) {
      await this.#complete(peer, node, partial, []);
    } else if (mayAsk || this.#mayRace(peer, node)) {
      if (this.#askedFor(node).size === 0) this.#count(peer, 'missing');
      this.#partial.set(partialKey(peer, hash), { state: 'requested', peer, node, block: partial });
      this.#downloads.askedAgain(peer, hash);
      peer.send('getblocktxn', encodeBlockTxRequest({ hash, indexes: missing }));
    }
  }

  /** Handles blocktxn. @throws DecodeError */
  async receiveTxs(peer: Peer, payload: Uint8Array): Promise<void> {
    const { chain, crypto, log } = this.#context;
    const hash = new ByteReader(payload).hash();
    const key = partialKey(peer, hash);
    const partial = this.#partial.get(key);
    const node = chain.node(hash);
    if (partial === undefined || node === undefined || node.has(NodeStatus.HAVE_DATA)) {
      this.#partial.delete(key);
      log.debug('net', `Peer ${peer.id} sent us block transactions for block we weren't expecting`);
      return;
    }
    if (partial.state === 'failed') {
      this.#partial.delete(key);
      this.#endRequest(peer, hash);
      this.#context.misbehaving(peer, 100, 'previous compact block reconstruction attempt failed');
      return;
    }
    // Decode the transactions only after these checks: any peer may send thousands of them.
    const { txs } = decodeBlockTxs(payload, crypto);
    this.#partial.delete(key);
    await this.#complete(peer, node, partial.block, txs);
  }

  async #complete(peer: Peer, node: HeaderNode, partial: PartialBlock, rest: readonly TxView[]): Promise<void> {
    const block = await partial.finish(rest, node.height, this.#context);
    // While the block was hashed, another peer may have brought it, or this peer may have disconnected.
    if (this.#arrived(peer, node)) return;
    if (peer.leaving && typeof block === 'string') return;
    if (block === 'invalid') {
      this.#endRequest(peer, node.hash);
      this.#context.misbehaving(peer, 100, 'invalid compact block/non-matching block transactions');
      return;
    }
    if (block === 'collision' || block === 'mismatch') {
      this.#count(peer, block);
      this.#wholeBlock(peer, node);
      // The peer has answered. Another answer would be unrequested.
      if (this.#downloads.requestOf(node.hash)?.peer === peer)
        this.#partial.set(partialKey(peer, node.hash), { state: 'failed', peer, node });
      return;
    }
    const { sources } = partial;
    const { cause, lacked } = partial.needs(this.#context);
    if (cause !== 'missing') this.#count(peer, cause);
    for (const source of TX_SOURCES) this.#stats.txs[source] += sources[source];
    this.#sender.noteReconstructed(node.hash, lacked);
    this.#context.log.debug(
      'cmpctblock',
      `Successfully reconstructed block ${node.hashHex} with ${sources.mempool} txn from mempool, ${sources.extra} from extra pool and ${rest.length} txn requested`,
    );
    this.#endRequest(peer, node.hash);
    await this.#blocks.processBlock(peer, block, true, false);
    if (!node.has(NodeStatus.HAVE_DATA)) return;
    // Other peers may have been asked too. Their answers are no longer expected.
    this.#downloads.endRequest(node.hash);
    this.dropBlock(node.hash);
  }

  /**
   * Returns whether to ask this peer, too, for missing transactions, because the peer that was asked first may withhold
   * the block. Only peers that brought good blocks lately are asked, and at most three at once. The third one must be
   * outbound unless one of the first two is (as Core since version 25).
   */
  #mayRace(peer: Peer, node: HeaderNode): boolean {
    if (!peer.compact.highBandwidth || this.#partial.size >= MAX_PARTIAL) return false;
    const asked = this.#askedFor(node);
    const { peer: first } = this.#downloads.requestOf(node.hash) ?? {};
    if (first !== undefined) asked.add(first);
    if (asked.size < MAX_ASKED_AT_ONCE - 1) return true;
    return asked.size < MAX_ASKED_AT_ONCE && [peer, ...asked].some(({ inbound }) => !inbound);
  }

  /** Returns the peers that were asked for missing transactions of a block. */
  #askedFor(node: HeaderNode): Set<Peer> {
    const end = `/${hashKey(node.hash)}`;
    return new Set([...this.#partial].filter(([key]) => key.endsWith(end)).map(([, { peer }]) => peer));
  }

  #count(peer: Peer, cause: CompactCause): void {
    this.#stats.blocks[cause]++;
    peer.compact.blocks[COMPACT_CAUSES[cause]]++;
  }

  #wholeBlock(peer: Peer, node: HeaderNode): void {
    // Leave a request to another peer where it is. Otherwise any peer could take over requests and withhold every block.
    const asked = this.#downloads.requestOf(node.hash);
    if (asked !== undefined && asked.peer !== peer) return;
    if (!this.#downloads.startRequest(peer, node.hash, node)) this.#downloads.askedAgain(peer, node.hash);
    peer.send('getdata', encodeInv([{ type: blockInvType(peer, this.#context), hash: node.hash }]));
  }
}

/**
 * Returns whether the mempool is searched for a compact block that this node neither requested from the peer nor can
 * request from it (-compat=0.21.1). True for outbound and noban peers only, which are few: a search takes tens of
 * milliseconds of the node thread, and the peer needs only a header of another node and a few bytes to cause it.
 */
function isTrusted({ inbound, permissions }: Peer): boolean {
  return !inbound || permissions.noban;
}

function partialKey(peer: Peer, hash: BlockHash): string {
  return `${peer.id}/${hashKey(hash)}`;
}
