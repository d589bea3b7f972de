// Modules that metrics read at each scrape.
import type { Chain } from '../chain/index.js';
import type { NodeConfig } from '../config/index.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Fronts } from '../http/server.js';
import type { Mempool } from '../mempool/index.js';
import type { Net, SyncProgress } from '../net/index.js';
import type { Verifier } from '../parallel/verifier.js';
import type { NetworkAccess } from '../rpc/context/network.js';
import type { TemplateService } from '../template/index.js';
import type { NewestBlock } from './block-figures.js';
import type { Stratum } from './stratum.js';
import type { Submissions } from './submissions.js';
import type { Sv2 } from './sv2.js';
import type { WalletThread } from './wallet-thread.js';

export interface MetricSources {
  readonly config: NodeConfig;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly templates: TemplateService;
  readonly verifier: Verifier;
  readonly network: NetworkAccess;
  /** Returns undefined until the network is open. */
  readonly net: () => Net | undefined;
  readonly progress: SyncProgress;
  /** Name of the database engine. */
  readonly engine: string;
  readonly backend: Crypto['backend'];
  readonly startedSeconds: number;
  /** Returns undefined with -server=0. */
  readonly fronts: () => Fronts | undefined;
  /** The wallets' thread; null with -disablewallet. */
  readonly wallets: WalletThread | null;
  /** The Stratum V2 provider; null without -sv2. */
  readonly sv2: Sv2 | null;
  /** The Stratum V1 server; null without -stratum. */
  readonly stratum: Stratum | null;
  /** Returns the warnings of getnetworkinfo. */
  readonly warnings: () => readonly string[];
  readonly submissions: Submissions;
  /** Returns the figures of the newest block. */
  readonly latest: () => NewestBlock['figures'];
}

/** Returns the modules at each scrape; undefined until the node is up. */
export type FindMetricSources = () => MetricSources | undefined;
