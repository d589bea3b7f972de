// The peers that send this node compact blocks without a request (high-bandwidth mode of BIP-0152): the three that most
// recently brought good blocks.
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { decodeSendCmpct, encodeSendCmpct } from '../wire/messages.js';
import { SERVICE } from '../wire/protocol.js';

/** Version of BIP-0152 with wtxids. */
const VERSION = 2n;
const MAX_HIGH_BANDWIDTH = 3;

export class HighBandwidthPeers {
  /** Peers that most recently brought good blocks, newest last. */
  readonly #list: Peer[] = [];
  readonly #context: NetContext;

  constructor(context: NetContext) {
    this.#context = context;
  }

  forgetPeer(peer: Peer): void {
    const at = this.#list.indexOf(peer);
    if (at >= 0) this.#list.splice(at, 1);
  }

  /** Handles sendcmpct. @throws DecodeError */
  receiveSendCmpct(peer: Peer, payload: Uint8Array): void {
    const { legacyPeers, services } = this.#context.options;
    const { announce, version } = decodeSendCmpct(payload);
    if (announce > 1 && !legacyPeers) {
      this.#context.misbehaving(peer, 100, 'invalid sendcmpct announce field');
      return;
    }
    // Version 1 is for peers without witnesses, to which this node sends no compact blocks.
    if (version !== VERSION || (services & SERVICE.WITNESS) === 0n) return;
    peer.compact.provides = true;
    peer.compact.wantsHighBandwidth = announce > 0;
  }

  /** Asks a peer whose block became the tip to send the next compact blocks without a request. */
  onGoodBlock(peer: Peer): void {
    // With -blocksonly the node knows no transactions of blocks in advance, so compact blocks do not help.
    if (this.#context.options.blocksOnly || !peer.compact.provides || !this.#context.peers.has(peer)) return;
    const list = this.#list;
    const at = list.indexOf(peer);
    if (at >= 0) {
      list.splice(at, 1);
      list.push(peer);
      return;
    }
    if (list.length >= MAX_HIGH_BANDWIDTH) {
      // If an inbound peer joins, the last outbound peer of the list stays (Core's MaybeSetPeerAsAnnouncingHeaderAndIDs).
      const keepsOutbound = peer.inbound && list[0]?.inbound === false && list.filter(({ inbound }) => !inbound).length === 1;
      const [dropped] = list.splice(keepsOutbound ? 1 : 0, 1) as [Peer];
      dropped.compact.highBandwidth = false;
      dropped.send('sendcmpct', encodeSendCmpct({ announce: 0, version: VERSION }));
    }
    peer.compact.highBandwidth = true;
    peer.send('sendcmpct', encodeSendCmpct({ announce: 1, version: VERSION }));
    list.push(peer);
  }
}
