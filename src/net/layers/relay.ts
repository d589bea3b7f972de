// Third layer of the network module: announces, requests and serves transactions and blocks.
import { Semaphore } from '../../lib/semaphore.js';
import type { NetContext } from '../context.js';
import { Inventory } from '../inventory.js';
import type { Peer } from '../peer/peer.js';
import { BlockAnnouncer } from '../relay/block-announcer.js';
import { CompactReceiver } from '../relay/compact-receiver.js';
import { CompactSender } from '../relay/compact-sender.js';
import { createCompactStats } from '../relay/compact-stats.js';
import { ExtraTxs } from '../relay/extra-txs.js';
import { FilteredRelay } from '../relay/filtered-relay.js';
import { HighBandwidthPeers } from '../relay/high-bandwidth-peers.js';
import { PrivateSender } from '../relay/private-sender.js';
import { TxAnnouncer } from '../relay/tx-announcer.js';
import { TxDownload } from '../relay/tx-download.js';
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
  readonly txDownload: TxDownload;
  readonly txs: TxReceiver;
  readonly privately: PrivateSender;
  readonly compactStats = createCompactStats();
  readonly extraTxs: ExtraTxs;
  readonly compactSender: CompactSender;
  readonly compactReceiver: CompactReceiver;
  readonly highBandwidth: HighBandwidthPeers;
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
    const sender = new CompactSender(context, downloads, reads, this.compactStats);
    const filtered = new FilteredRelay(context);
    this.reads = reads;
    this.extraTxs = new ExtraTxs(context.options.extraTxs);
    this.compactSender = sender;
    this.compactReceiver = new CompactReceiver(context, {
      ...{ downloads, headers, blocks, sender },
      ...{ extra: this.extraTxs, stats: this.compactStats },
    });
    this.highBandwidth = new HighBandwidthPeers(context);
    this.filtered = filtered;
    this.announcer = new TxAnnouncer(context);
    this.txDownload = new TxDownload(context);
    this.txs = new TxReceiver(context, this.txDownload);
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
      (peer, node, bytes) => sender.serveCompactBlock(peer, node, bytes),
      (peer, bytes) => filtered.sendBlock(peer, bytes),
      reads,
    );
    this.blockAnnouncer = new BlockAnnouncer(context, (peer, node) => sender.announceTip(peer, node));
    const { txDownload, txs, announcer, privately } = this;
    this.inventory = new Inventory(context, { txDownload, txs, announcer, compact: sender, downloads, headers, upload, privately });
  }

  /** Called when a peer completed the handshake. */
  addPeer(peer: Peer): void {
    this.announcer.addPeer(peer);
    this.txDownload.addPeer(peer);
  }

  forgetPeer(peer: Peer): void {
    if (peer.isPrivate) this.privately.forgetPeer(peer);
    this.txDownload.forgetPeer(peer);
    this.txs.forgetPeer(peer);
    this.announcer.forgetPeer(peer);
    this.compactReceiver.forgetPeer(peer);
    this.highBandwidth.forgetPeer(peer);
  }
}
