// Third layer of the network module: announces, requests and serves transactions and blocks.
import { Semaphore } from '../../lib/semaphore.js';
import type { NetContext } from '../context.js';
import { Inventory } from '../inventory.js';
import type { Peer } from '../peer/peer.js';
import { BlockAnnouncer } from '../relay/block-announcer.js';
import { CompactRelay } from '../relay/compact-relay.js';
import { FilteredRelay } from '../relay/filtered-relay.js';
import { PrivateSender } from '../relay/private-sender.js';
import { TxAnnouncer } from '../relay/tx-announcer.js';
import { TxReceiver } from '../relay/tx-receiver.js';
import { BlockServer } from '../sync/serve-blocks.js';
import { FilterServer, type FilterSource } from '../sync/serve-filters.js';
import { isRoutable } from '../wire/net-address.js';
import type { Sync } from './sync.js';
import type { Transport } from './transport.js';

/** Maximum number of blocks that are read from disk at a time, for all peers together. */
const READS_AT_A_TIME = 4;

export class Relay {
  readonly announcer: TxAnnouncer;
  readonly txs: TxReceiver;
  readonly privately: PrivateSender;
  readonly compact: CompactRelay;
  readonly filtered: FilteredRelay;
  readonly filters: FilterServer;
  readonly blockServer: BlockServer;
  readonly blockAnnouncer: BlockAnnouncer;
  readonly inventory: Inventory;
  /** Limits concurrent reads of blocks. Reads wait while all peers together have too many bytes that they have not read. */
  readonly reads: Semaphore;

  constructor(context: NetContext, transport: Transport, { downloads, headers, blocks }: Sync, filters: FilterSource | null) {
    const { connections, keepalive, addresses, upload, traffic } = transport;
    const reads = new Semaphore(READS_AT_A_TIME, () => traffic.outgoingFull);
    const compact = new CompactRelay(context, downloads, headers, blocks, reads);
    const filtered = new FilteredRelay(context);
    this.reads = reads;
    this.compact = compact;
    this.filtered = filtered;
    this.announcer = new TxAnnouncer(context);
    this.txs = new TxReceiver(context);
    this.privately = new PrivateSender(context, {
      pick: (network) => {
        const address = addresses.selectOf(network);
        return address === undefined || !isRoutable(address) || transport.isUnwanted(address) ? undefined : address;
      },
      connect: (target, type) => connections.connect(target, type),
      open: () => [...connections.all].filter(({ isPrivate }) => isPrivate),
      ping: (peer) => {
        peer.pingWanted = true;
        keepalive.send(peer);
      },
    });
    this.filters = new FilterServer(context, context.options.peerBlockFilters ? filters : null);
    this.blockServer = new BlockServer(
      context,
      () => upload.historicalReached,
      (peer, node, bytes) => compact.serveCompactBlock(peer, node, bytes),
      (peer, bytes) => filtered.sendBlock(peer, bytes),
      reads,
    );
    this.blockAnnouncer = new BlockAnnouncer(context, (peer, node) => compact.announceTip(peer, node));
    const { txs, announcer, privately } = this;
    this.inventory = new Inventory(context, { txs, announcer, compact, downloads, headers, upload, privately });
  }

  /** Called when a peer completed the handshake. */
  addPeer(peer: Peer): void {
    this.announcer.addPeer(peer);
    this.txs.addPeer(peer);
  }

  forgetPeer(peer: Peer): void {
    if (peer.isPrivate) this.privately.forgetPeer(peer);
    this.txs.forgetPeer(peer);
    this.announcer.forgetPeer(peer);
    this.compact.forgetPeer(peer);
  }
}
