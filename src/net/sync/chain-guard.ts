// Outbound peers whose chain stays behind ours are asked once more and then dropped, all but four that once were in
// step: an attacker that owns our other peers cannot keep us from the best chain (Core's ConsiderEviction).
import type { HeaderNode } from '../../chain/tree/header-node.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';

const CHAIN_SYNC_TIMEOUT_MS = 20 * 60_000;
const HEADERS_RESPONSE_MS = 2 * 60_000;
const MAX_PROTECTED = 4;

export class ChainGuard {
  #protected = 0;
  readonly #context: NetContext;
  readonly #askFrom: (peer: Peer, from: HeaderNode) => void;

  constructor(context: NetContext, askFrom: (peer: Peer, from: HeaderNode) => void) {
    this.#context = context;
    this.#askFrom = askFrom;
  }

  /** The peer showed a chain as good as ours. */
  protectPeer({ type, sync }: Peer): void {
    if (sync.protectedFromChainSync || this.#protected >= MAX_PROTECTED || type === 'block-relay-only') return;
    sync.protectedFromChainSync = true;
    this.#protected++;
  }

  forgetPeer({ sync }: Peer): void {
    if (sync.protectedFromChainSync) this.#protected--;
    sync.protectedFromChainSync = false;
  }

  /** Why a peer is dropped, null while it isn't. */
  check(peer: Peer): string | null {
    const { sync } = peer;
    const { chain, clock } = this.#context;
    if (sync.protectedFromChainSync || !peer.outboundOrBlockRelay || !sync.started) return null;
    const now = clock.nowMs();
    const best = sync.bestKnown?.chainWork ?? 0n;
    if (best >= chain.tip.chainWork) {
      sync.chainDeadlineMs = 0;
      sync.chainWanted = null;
      sync.sentGetheadersForChain = false;
    } else if (sync.chainDeadlineMs === 0 || (sync.chainWanted !== null && best >= sync.chainWanted.chainWork)) {
      // Behind, or up to where we were when the time began: it gets the time anew, from where we are now.
      sync.chainDeadlineMs = now + CHAIN_SYNC_TIMEOUT_MS;
      sync.chainWanted = chain.tip;
      sync.sentGetheadersForChain = false;
    } else if (now > sync.chainDeadlineMs) {
      if (sync.sentGetheadersForChain) {
        return `Outbound peer has old chain, best known block = ${sync.bestKnown?.hashHex ?? '<none>'}`;
      }
      this.#context.log.debug('net', `sending getheaders to outbound peer=${peer.id} to verify chain work`);
      // One before, so that a peer that has it answers with something.
      const wanted = sync.chainWanted ?? chain.tip;
      this.#askFrom(peer, wanted.prev ?? wanted);
      sync.sentGetheadersForChain = true;
      sync.chainDeadlineMs = now + HEADERS_RESPONSE_MS;
    }
    return null;
  }
}
