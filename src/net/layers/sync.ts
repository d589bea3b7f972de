// Second layer of the network module: headers and blocks.
import type { NetContext } from '../context.js';
import { outboundTargets } from '../peer/auto-connect.js';
import type { Peer } from '../peer/peer.js';
import { BlockDownload } from '../sync/block-download.js';
import { BlockReceiver } from '../sync/block-receiver.js';
import { ChainGuard } from '../sync/chain-guard.js';
import { HeadersSync } from '../sync/headers.js';
import { StaleTip } from '../sync/stale-tip.js';
import type { Transport } from './transport.js';

export class Sync {
  readonly downloads: BlockDownload;
  readonly headers: HeadersSync;
  readonly blocks: BlockReceiver;
  readonly guard: ChainGuard;
  readonly staleTip: StaleTip;

  constructor(context: NetContext, { connections }: Transport) {
    const downloads = new BlockDownload(context);
    const headers = new HeadersSync(context, downloads);
    this.downloads = downloads;
    this.headers = headers;
    this.blocks = new BlockReceiver(context, downloads);
    this.guard = new ChainGuard(context, (peer, from) => headers.askFrom(peer, from));
    this.staleTip = new StaleTip(context, {
      searching: () => connections.active && !context.options.connectOnly,
      inFlight: () => downloads.size,
      inStep: () => downloads.canFetchDirectly,
      targets: outboundTargets(context.options),
    });
  }

  forgetPeer(peer: Peer): void {
    this.headers.forgetPeer(peer);
    this.downloads.forgetPeer(peer);
    this.blocks.forgetPeer(peer);
    this.guard.forgetPeer(peer);
  }
}
