// State and services that all layers of the network module share, before there are connections.
import crypto from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Chain } from '../../chain/index.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { EllSwift } from '../../crypto/ellswift.js';
import { limitedLog } from '../../log/limited-log.js';
import type { Logger } from '../../log/logger.js';
import type { Mempool } from '../../mempool/index.js';
import { type AsMap, groupingBy } from '../address/asmap.js';
import type { NetBase, NetClock, NetEventMap } from '../context.js';
import type { NetOptions } from '../options.js';
import type { Reach } from '../peer/connector.js';
import type { InlineConnectionFactory } from '../peer/inline-connection-factory.js';
import type { Peer } from '../peer/peer.js';
import { offeredServices } from '../peer/permissions.js';
import { Routes } from '../peer/routes.js';
import { type BlockStage, BlockTimes } from '../relay/block-times.js';
import { WtxidIndex } from '../relay/wtxid-index.js';
import type { FilterSource } from '../sync/serve-filters.js';

/** Number of steps into which the default random source divides [0, 1). */
const RANDOM_STEPS = 2 ** 48 - 1;

export interface NetDeps {
  readonly params: ChainParams;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly crypto: Crypto;
  readonly clock: NetClock;
  readonly log: Logger;
  /** Key exchange for encrypted connections; null: connections are never encrypted, whatever the options say. */
  readonly ellSwift?: EllSwift | null;
  /** Block filters for -peerblockfilters; null without the index. */
  readonly filters: FilterSource | null;
  /** Files of bans, addresses and anchors; null: the node does not store them. */
  readonly banFile: string | null;
  readonly peersFile: string | null;
  readonly anchorsFile: string | null;
  /** File with the key of the onion service; absent: there is no service. */
  readonly onionKeyFile?: string;
  /** File with the key of the lasting I2P address; absent: there is none. */
  readonly i2pKeyFile?: string;
  /** Map of -asmap. */
  readonly asmap?: AsMap | null;
  /** Returns an unpredictable number in [0, 1), for delays and choices that keep peers from linking what they see. */
  readonly random?: () => number;
  /** Creates the ways to reach peers; absent: real sockets. @param inline factory for connections over sockets that a test provides */
  readonly reach?: (inline: InlineConnectionFactory) => Reach;
  /** Called with the seconds from the first announcement of a block to each stage. */
  readonly observeBlock?: (stage: BlockStage, seconds: number) => void;
}

/** @param peers peers that completed the handshake; changes as they come and go */
export function createBase(options: NetOptions, deps: NetDeps, peers: ReadonlySet<Peer>): NetBase {
  const { params, chain, mempool, clock } = deps;
  const asmap = deps.asmap ?? null;
  const log = limitedLog(deps.log, () => performance.now());
  log.info(asmap === null ? 'Using /16 prefix for IP bucketing' : `Using asmap version ${asmap.version} for IP bucketing`);
  return {
    options,
    get services() {
      return offeredServices(options.services, chain.view);
    },
    routes: new Routes(options),
    params,
    chain: chain.view,
    blocks: chain.blocks,
    commands: chain.commands,
    download: chain.download,
    mempool,
    wtxids: new WtxidIndex(mempool),
    crypto: deps.crypto,
    clock,
    log,
    times: new BlockTimes(() => performance.now(), deps.observeBlock ?? (() => undefined)),
    peers,
    groupOf: groupingBy(asmap),
    systemOf: (address) => asmap?.systemOf(address) ?? 0,
    random: deps.random ?? (() => crypto.randomInt(RANDOM_STEPS) / RANDOM_STEPS),
    events: new EventEmitter<NetEventMap>(),
  };
}
