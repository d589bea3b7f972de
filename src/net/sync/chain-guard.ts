// Asks outbound peers whose chain stays behind for headers once more, and then disconnects them. Four peers that have
// been in sync are protected. So an attacker that owns the other peers cannot keep this node from the best chain
// (Core's ConsiderEviction).
import type { HeaderNode } from '../../chain/index.js';
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

  /** Protects a peer that showed a chain as good as this node's. */
  protectPeer({ type, sync }: Peer): void {
    if (sync.protectedFromChainSync || this.#protected >= MAX_PROTECTED || type === 'block-relay-only') return;
    sync.protectedFromChainSync = true;
    this.#protected++;
  }

  forgetPeer({ sync }: Peer): void {
    if (sync.protectedFromChainSync) this.#protected--;
    sync.protectedFromChainSync = false;
  }

  /** Returns why a peer must be disconnected; null if it need not be. */
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
      // The peer has fallen behind, or has reached the block that was wanted: restart the deadline with the current tip.
      sync.chainDeadlineMs = now + CHAIN_SYNC_TIMEOUT_MS;
      sync.chainWanted = chain.tip;
      sync.sentGetheadersForChain = false;
    } else if (now > sync.chainDeadlineMs) {
      if (sync.sentGetheadersForChain) {
        return `Outbound peer has old chain, best known block = ${sync.bestKnown?.hashHex ?? '<none>'}`;
      }
      this.#context.log.debug('net', `sending getheaders to outbound peer=${peer.id} to verify chain work`);
      // Ask from the block before the wanted one, so that a peer that has the wanted block answers with its header.
      const wanted = sync.chainWanted ?? chain.tip;
      this.#askFrom(peer, wanted.prev ?? wanted);
      sync.sentGetheadersForChain = true;
      sync.chainDeadlineMs = now + HEADERS_RESPONSE_MS;
    }
    return null;
  }
}
