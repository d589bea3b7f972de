// Blocks that a peer has: the best block it announced, and the last hash it announced that this node does not know yet
// (Core's ProcessBlockAvailability and UpdateBlockAvailability).

import type { ChainView } from '../../chain/index.js';
import type { BlockHash } from '../../consensus/ids.js';
import type { Peer } from '../peer/peer.js';

/** Checks whether the unknown hash of a peer is known by now. */
export function settleAvailability(chain: ChainView, { sync }: Peer): void {
  if (sync.lastUnknown === null) return;
  const node = chain.node(sync.lastUnknown);
  if (node === undefined || node.chainWork === 0n) return;
  if (sync.bestKnown === null || node.chainWork >= sync.bestKnown.chainWork) sync.bestKnown = node;
  sync.lastUnknown = null;
}

/** Records that a peer announced a block. @param hash 32 bytes, internal order; copied */
export function noteAvailable(chain: ChainView, peer: Peer, hash: BlockHash): void {
  settleAvailability(chain, peer);
  const node = chain.node(hash);
  if (node === undefined) peer.sync.lastUnknown = hash.slice();
  else if (peer.sync.bestKnown === null || node.chainWork >= peer.sync.bestKnown.chainWork) peer.sync.bestKnown = node;
}

/** Returns whether the peer has a block's header, as far as known (Core's PeerHasHeader). */
export function hasHeader({ sync }: Peer, node: { readonly height: number }): boolean {
  return sync.bestKnown?.ancestor(node.height) === node || sync.bestHeaderSent?.ancestor(node.height) === node;
}
