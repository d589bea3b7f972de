// Receives blocks from peers, passes them to the chain, and punishes the sender of an invalid block, even if the chain
// checks it much later.

import { isLarge, NodeStatus, type TakenBlock } from '../../chain/index.js';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { HEADER_SIZE, parseHeader } from '../../consensus/block/header-view.js';
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { BlockHash } from '../../consensus/ids.js';
import { MAX_BLOCK_TXS } from '../../consensus/limits.js';
import { blockProof } from '../../consensus/rules/bits.js';
import { checkMutation } from '../../consensus/rules/block-mutation.js';
import { checkProofOfWork } from '../../consensus/rules/check-block.js';
import { reject } from '../../consensus/rules/reject.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { punishForBlock } from './blame.js';
import type { BlockDownload } from './block-download.js';
import { antiDosWork } from './headers-presync.js';

/** Maximum number of blocks whose sender is remembered: two windows of downloads. */
const MAX_BLOCKS = 2_048;

interface BlockSender {
  readonly peer: Peer;
  /** True if the peer is responsible for the block. False for a compact block that was forwarded before its check. */
  readonly vouched: boolean;
}

class BlockSenders {
  /** First sender of each block by hash, for blocks that are read back from the files before they are connected. */
  readonly #first = new Map<string, BlockSender>();
  /** Sender of each received copy of a block. A mutated copy has the same hash as the block, but may have another sender. */
  readonly #ofCopy = new WeakMap<BlockView, BlockSender>();

  /** Remembers the sender of a block. @returns a function that forgets the sender, for a block that gets no verdict */
  rememberSender(block: BlockView, sender: BlockSender): () => void {
    const key = hashKey(block.hash);
    this.#ofCopy.set(block, sender);
    if (!this.#first.has(key)) this.#first.set(key, sender);
    if (this.#first.size > MAX_BLOCKS) this.#first.delete(this.#first.keys().next().value as string);
    return () => {
      if (this.#first.get(key) === sender) this.#first.delete(key);
    };
  }

  /** Returns the sender that a verdict concerns, and forgets it if the verdict holds for every copy of the block. */
  senderOf(hash: BlockHash, block: BlockView, reject: Reject | null): BlockSender | undefined {
    const key = hashKey(hash);
    // If this copy of the block failed a check that only concerns its bytes, then another copy with the same hash may
    // be valid. So only the sender of this copy is responsible.
    const mutated = reject !== null && (reject.category === 'mutated' || !block.checked);
    const sender = this.#ofCopy.get(block) ?? (mutated ? undefined : this.#first.get(key));
    if (!mutated) this.#first.delete(key);
    return sender;
  }

  /** Forgets a disconnected peer. */
  forgetPeer(peer: Peer): void {
    for (const [key, sender] of this.#first) if (sender.peer === peer) this.#first.delete(key);
  }
}

export class BlockReceiver {
  readonly #senders = new BlockSenders();
  readonly #context: NetContext;
  readonly #downloads: BlockDownload;

  constructor(context: NetContext, downloads: BlockDownload) {
    this.#context = context;
    this.#downloads = downloads;
  }

  /** Handles block. @returns a promise that the peer's next message waits for @throws DecodeError */
  receiveBlock(peer: Peer, payload: Uint8Array): Promise<void> | undefined {
    const { chain, crypto, log, params } = this.#context;
    const header = parseHeader(payload, crypto);
    log.debug('net', `received block ${hashToHex(header.hash)} peer=${peer.id}`);
    const request = this.#downloads.requestOf(header.hash);
    const asked = request !== undefined;
    const prev = chain.node(header.prevHash);
    if (!asked) {
      // Unrequested: the transactions are not parsed before the header has proved that the block is worth it.
      const wrong = checkProofOfWork(header, params);
      if (wrong !== null) {
        this.#blame(peer, header.hash, wrong, true);
        return undefined;
      }
      const light = prev !== undefined && prev.chainWork + blockProof(header.bits) < antiDosWork(chain);
      // If the chain has little work, not even the header is stored.
      if (light && !peer.permissions.noban && chain.node(header.hash) === undefined) {
        const hash = hashToHex(header.hash);
        log.debug('validation', `AcceptBlockHeader: not adding new block header ${hash}, missing anti-dos proof-of-work validation`);
        return undefined;
      }
      if (this.#isHere(header.hash)) return undefined;
      // Known blocks that would not be stored are ignored, too: any peer can send old blocks that were pruned.
      const known = chain.node(header.hash);
      if (known?.failed) {
        this.#blame(peer, header.hash, reject('cached', 'duplicate'), true);
        return undefined;
      }
      if (known !== undefined && !this.#context.blocks.storesUnrequested(known)) return undefined;
    }
    if (prev === undefined) {
      // A block without a known parent cannot be stored. Do not parse it: a view of its transactions may take forty times its bytes.
      this.#blame(peer, header.hash, reject('missing-prev', 'prev-blk-not-found'), true);
      return undefined;
    }
    // The engine checks the block later, and other copies are ignored until then. So a peer that was not asked could replace
    // the copies of all others by wrong ones. A block that the operator requested is stored at once, however far ahead it is.
    const known = request?.peer === peer && !request.byHand ? chain.node(header.hash) : undefined;
    const taken = known === undefined ? null : this.#context.download.takeBytes(known, payload, peer);
    if (taken !== null) return this.#awaitEngine(peer, payload, header.hash, taken);
    return this.#parse(peer, payload, header.hash, prev.height + 1, asked);
  }

  /**
   * Handles a block that the download engine has accepted. The peer's next message need not wait until the engine has
   * connected the block. If the engine gives the block back, the ordinary code handles it.
   */
  #awaitEngine(peer: Peer, payload: Uint8Array, hash: BlockHash, { stored, next }: TakenBlock): Promise<void> | undefined {
    const { clock, log } = this.#context;
    const finish = async (): Promise<void> => {
      if (await this.#downloads.whileBusy([hash], () => stored)) {
        peer.lastBlockTime = clock.nowSeconds();
        peer.connection.reuse(payload);
        this.#context.scheduleRound();
        return;
      }
      const prev = this.#context.chain.node(hash)?.prev;
      try {
        await this.#parse(peer, payload, hash, (prev?.height ?? -1) + 1, true);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        this.#refuseMutated(peer, hash, error.message);
      }
    };
    finish().catch((error: unknown) => {
      log.error(`Error in a block of peer=${peer.id}: ${error instanceof Error ? error.message : String(error)}`);
      this.#context.disconnect(peer);
    });
    // The block is in progress by now, so the search for missing blocks passes over it.
    this.#downloads.endRequest(hash);
    this.#context.scheduleRound();
    return next;
  }

  /** @param height height of the block @throws DecodeError */
  #parse(peer: Peer, payload: Uint8Array, hash: BlockHash, height: number, asked: boolean): Promise<void> | undefined {
    const { crypto } = this.#context;
    const count = new ByteReader(payload, HEADER_SIZE).compactSize();
    if (count > MAX_BLOCK_TXS) {
      this.#refuseMutated(peer, hash, `${count} transactions`);
      return undefined;
    }
    const block = parseBlock(payload, crypto);
    if (isLarge(block)) return this.#context.commands.identify(block).then(() => this.#screen(peer, block, height, asked));
    return this.#screen(peer, block, height, asked);
  }

  /** Returns whether the block is stored, or about to be. */
  #isHere(hash: BlockHash): boolean {
    const { chain } = this.#context;
    if (this.#downloads.requestOf(hash) === undefined && this.#downloads.expects(hash)) return true;
    const known = chain.node(hash);
    return known?.has(NodeStatus.HAVE_DATA) === true && !known.failed;
  }

  /** Passes a block that is not mutated to the chain, whichever peer sent it. A mutated copy only ends the request to its sender. */
  #screen(peer: Peer, block: BlockView, height: number, asked: boolean): Promise<void> | undefined {
    const { params } = this.#context;
    const mutation = checkMutation(block, height, params);
    if (mutation !== null) {
      this.#refuseMutated(peer, block.hash, rejectText(mutation));
      return undefined;
    }
    this.#downloads.endRequest(block.hash);
    // Another peer may have brought the block while this one's copy was hashed.
    if (this.#isHere(block.hash)) {
      this.#context.scheduleRound(peer);
      return undefined;
    }
    return this.processBlock(peer, block, asked, true);
  }

  /** Rejects a mutated block. The block of that hash is not marked invalid, and other senders are not punished. */
  #refuseMutated(peer: Peer, hash: BlockHash, why: string): void {
    const { log } = this.#context;
    log.debug('validation', `Block mutated: ${why}`);
    log.debug('net', `Received mutated block from peer=${peer.id}`);
    if (this.#downloads.requestOf(hash)?.peer === peer) this.#downloads.endRequest(hash);
    this.#context.misbehaving(peer, 100, 'mutated block');
    this.#context.scheduleRound();
  }

  #blame(peer: Peer, hash: BlockHash, reject: Reject, vouched: boolean): void {
    this.#context.log.info(`ERROR: AcceptBlock FAILED (${rejectText(reject)}): ${hashToHex(hash)}, ${rejectText(reject)}`);
    punishForBlock(this.#context, peer, reject, !vouched, 'invalid block');
  }

  /** @param requested whether the block was requested; it is then stored whatever its work */
  async processBlock(peer: Peer, block: BlockView, requested: boolean, vouched: boolean): Promise<void> {
    const forgetSender = this.#senders.rememberSender(block, { peer, vouched });
    this.#context.times.noteReached(block.hash, 'block');
    const submit = () => this.#context.commands.submitBlock(block, { force: requested });
    const outcome = await this.#downloads.whileBusy([block.hash], submit);
    if (outcome.isNew) peer.lastBlockTime = this.#context.clock.nowSeconds();
    else forgetSender();
    this.#context.scheduleRound(outcome.isNew ? undefined : peer);
  }

  /** Forgets a disconnected peer. */
  forgetPeer(peer: Peer): void {
    this.#senders.forgetPeer(peer);
  }

  /** Called when a block was checked; `reject` is null if it is valid. */
  onChecked(hash: BlockHash, block: BlockView, reject: Reject | null): void {
    const sender = this.#senders.senderOf(hash, block, reject);
    if (sender === undefined) return;
    if (reject !== null) {
      this.#blame(sender.peer, hash, reject, sender.vouched);
      return;
    }
    // Report only the sender of the newest block. While other blocks are awaited, this block was not the newest (Core's
    // BlockChecked).
    const others = this.#downloads.size - (this.#downloads.requestOf(hash) === undefined ? 0 : 1);
    if (others === 0 && !this.#context.chain.isInitialBlockDownload()) this.#context.events.emit('goodBlock', sender.peer);
  }
}
