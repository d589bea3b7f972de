// Announces new blocks to peers: as headers if the peer asked for that (BIP-0130), as a compact block in high-bandwidth
// mode (BIP-0152), otherwise as inv (Core's SendMessages, block announcements).
import type { HeaderNode } from '../../chain/index.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { hasHeader, settleAvailability } from '../sync/availability.js';
import { encodeHeaders, encodeInv } from '../wire/messages.js';
import { INV } from '../wire/protocol.js';

/** More new blocks than this are announced by an inv of the tip only. The peer then requests headers. */
export const MAX_BLOCKS_TO_ANNOUNCE = 8;
/** A peer whose height is this much above the tip gets no announcements. */
const FAR_AHEAD = 2_000;
/** Maximum number of hashes of one inv. */
const MAX_INV = 1_000;

export class BlockAnnouncer {
  readonly #context: NetContext;
  /** Sends the tip as a compact block. @returns false if the block is not cached */
  readonly #sendCompact: (peer: Peer, node: HeaderNode) => boolean;

  constructor(context: NetContext, sendCompact: (peer: Peer, node: HeaderNode) => boolean) {
    this.#context = context;
    this.#sendCompact = sendCompact;
  }

  /** Queues the new blocks for each peer, newest last. @param connected lowest first */
  onTip(connected: readonly HeaderNode[]): void {
    if (connected.length === 0 || this.#context.chain.isInitialBlockDownload()) return;
    // Only the last blocks of a long reorganisation are announced. A peer that misses the others requests them.
    const announced = connected.slice(-MAX_BLOCKS_TO_ANNOUNCE);
    const { tip } = this.#context.chain;
    for (const peer of this.#context.peers) {
      // A peer far ahead needs no announcements.
      if (tip.height <= peer.startHeight - FAR_AHEAD) continue;
      for (const { hash } of announced) peer.sync.announce.push(hash);
    }
  }

  /** Sends the pending announcements of a peer. */
  send(peer: Peer): void {
    const { sync } = peer;
    if (sync.announce.length > 0) this.#announce(peer);
    if (sync.blockInvs.length === 0) return;
    for (let at = 0; at < sync.blockInvs.length; at += MAX_INV) {
      peer.send('inv', encodeInv(sync.blockInvs.slice(at, at + MAX_INV).map((hash) => ({ type: INV.BLOCK, hash }))));
    }
    sync.blockInvs = [];
  }

  #announce(peer: Peer): void {
    const { chain, log } = this.#context;
    const { sync } = peer;
    const hashes = sync.announce;
    sync.announce = [];
    const direct = sync.prefersHeaders || (peer.compact.wantsHighBandwidth && hashes.length === 1);
    let revert = !direct || hashes.length > MAX_BLOCKS_TO_ANNOUNCE;
    settleAvailability(chain, peer);
    const headers: HeaderNode[] = [];
    if (!revert) {
      let foundStart = false;
      for (const hash of hashes) {
        const node = chain.node(hash);
        // A block left the active chain, or the blocks do not follow each other: headers cannot describe that.
        if (node === undefined || !chain.contains(node) || (headers.length > 0 && node.prev !== headers[headers.length - 1])) {
          revert = true;
          break;
        }
        if (foundStart) headers.push(node);
        else if (hasHeader(peer, node)) continue;
        else if (node.prev === null || hasHeader(peer, node.prev)) {
          foundStart = true;
          headers.push(node);
        } else {
          revert = true;
          break;
        }
      }
    }
    if (!revert && headers.length > 0) {
      const last = headers[headers.length - 1] as HeaderNode;
      if (headers.length === 1 && peer.compact.wantsHighBandwidth && this.#sendCompact(peer, last)) {
        sync.bestHeaderSent = last;
        return;
      }
      if (sync.prefersHeaders) {
        log.debug('net', `sendheaders: sending ${headers.length === 1 ? 'header' : `${headers.length} headers`} to peer=${peer.id}`);
        peer.send('headers', encodeHeaders(headers.map(({ headerBytes }) => headerBytes)));
        sync.bestHeaderSent = last;
        return;
      }
      revert = true;
    }
    if (!revert) return;
    // Send an inv of the newest block only: a peer without it requests headers and so learns of the blocks before.
    const newest = chain.node(hashes[hashes.length - 1] as Uint8Array);
    if (newest === undefined || hasHeader(peer, newest)) return;
    log.debug('net', `sending inv peer=${peer.id} hash=${newest.hashHex}`);
    sync.blockInvs.push(newest.hash);
  }
}
