// Remembers which peer sent a block until the block is checked, which may be long after it arrived.

import type { BlockView } from '../../consensus/block/block-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { BlockHash } from '../../consensus/ids.js';
import type { Reject } from '../../consensus/state.js';
import type { Peer } from '../peer/peer.js';

/** Maximum number of blocks whose sender is remembered: two windows of downloads. */
const MAX_BLOCKS = 2_048;

export interface BlockSender {
  readonly peer: Peer;
  /** True if the peer is responsible for the block. False for a compact block that was forwarded before its check. */
  readonly vouched: boolean;
}

export class BlockSenders {
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
