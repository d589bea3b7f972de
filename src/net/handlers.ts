// Table of message handlers.
import type { AddrRelay } from './address/addr-relay.js';
import type { Handler } from './context.js';
import type { Inventory } from './inventory.js';
import type { Handshake } from './peer/handshake.js';
import type { Keepalive } from './peer/keepalive.js';
import type { CompactReceiver } from './relay/compact-receiver.js';
import type { CompactSender } from './relay/compact-sender.js';
import type { FilteredRelay } from './relay/filtered-relay.js';
import type { HighBandwidthPeers } from './relay/high-bandwidth-peers.js';
import type { TxAnnouncer } from './relay/tx-announcer.js';
import type { BlockReceiver } from './sync/block-receiver.js';
import type { HeadersSync } from './sync/headers.js';
import type { BlockServer } from './sync/serve-blocks.js';
import type { FilterServer } from './sync/serve-filters.js';
import { decodeU64 } from './wire/messages.js';

/** Parts of the network module that handle messages. */
export interface MessageParts {
  readonly handshake: Handshake;
  readonly keepalive: Keepalive;
  readonly inventory: Inventory;
  readonly headers: HeadersSync;
  readonly blocks: BlockReceiver;
  readonly blockServer: BlockServer;
  readonly compactSender: CompactSender;
  readonly compactReceiver: CompactReceiver;
  readonly highBandwidth: HighBandwidthPeers;
  readonly announcer: TxAnnouncer;
  readonly addrRelay: AddrRelay;
  readonly filters: FilterServer;
  readonly filtered: FilteredRelay;
}

export function messageHandlers(parts: MessageParts): ReadonlyMap<string, Handler> {
  const {
    handshake,
    keepalive,
    inventory,
    headers,
    blocks,
    blockServer,
    compactSender,
    compactReceiver,
    highBandwidth,
    announcer,
    addrRelay,
    filters,
    filtered,
  } = parts;
  return new Map<string, Handler>([
    ['version', (peer, payload) => handshake.version(peer, payload)],
    ['verack', (peer) => handshake.verack(peer)],
    ['wtxidrelay', (peer) => handshake.wtxidRelay(peer)],
    ['sendaddrv2', (peer) => handshake.sendAddrV2(peer)],
    ['ping', (peer, payload) => keepalive.ping(peer, payload)],
    ['pong', (peer, payload) => keepalive.pong(peer, payload)],
    [
      'sendheaders',
      (peer) => {
        peer.sync.prefersHeaders = true;
      },
    ],
    ['sendcmpct', (peer, payload) => highBandwidth.receiveSendCmpct(peer, payload)],
    ['feefilter', (peer, payload) => announcer.feeFilter(peer, decodeU64(payload))],
    ['inv', (peer, payload) => inventory.inv(peer, payload)],
    ['getdata', (peer, payload) => inventory.getData(peer, payload)],
    ['notfound', (peer, payload) => inventory.notFound(peer, payload)],
    ['getheaders', (peer, payload) => blockServer.sendHeaders(peer, payload)],
    ['getblocks', (peer, payload) => blockServer.sendHashes(peer, payload)],
    ['headers', (peer, payload) => headers.receiveHeaders(peer, payload)],
    ['block', (peer, payload) => blocks.receiveBlock(peer, payload)],
    ['tx', (peer, payload) => inventory.tx(peer, payload)],
    ['cmpctblock', (peer, payload) => compactReceiver.receiveCompactBlock(peer, payload)],
    ['getblocktxn', (peer, payload) => compactSender.sendTxs(peer, payload)],
    ['blocktxn', (peer, payload) => compactReceiver.receiveTxs(peer, payload)],
    ['addr', (peer, payload) => addrRelay.receiveAddr(peer, payload, false)],
    ['addrv2', (peer, payload) => addrRelay.receiveAddr(peer, payload, true)],
    ['getaddr', (peer) => addrRelay.answerGetAddr(peer)],
    ['getcfilters', (peer, payload) => filters.filters(peer, payload)],
    ['getcfheaders', (peer, payload) => filters.headers(peer, payload)],
    ['getcfcheckpt', (peer, payload) => filters.checkpoints(peer, payload)],
    ['mempool', (peer) => inventory.wholeMempool(peer)],
    ['filterload', (peer, payload) => filtered.load(peer, payload)],
    ['filteradd', (peer, payload) => filtered.add(peer, payload)],
    ['filterclear', (peer) => filtered.clear(peer)],
  ]);
}
