// Opens the node's side of the wallets. Their thread starts later, when something needs wallets.

import type { Chain } from '../chain/index.js';
import type { Indexes } from '../indexes/index.js';
import type { Mempool } from '../mempool/index.js';
import { PooledBlockScanner } from '../parallel/block-scanner.js';
import { InlineNodeClient } from './inline-node-client.js';
import type { NodeBase } from './open-base.js';
import type { OpenedThreads } from './open-threads.js';
import { WalletThread } from './wallet-thread.js';

export interface OpenedWallets {
  readonly client: InlineNodeClient;
  /** The wallets' thread; null with -disablewallet. */
  readonly wallets: WalletThread | null;
}

export function openWallets(
  { config, params, crypto, state, log, guard, stop, observe }: NodeBase,
  modules: { readonly chain: Chain; readonly indexes: Indexes; readonly mempool: Mempool },
  { pool }: OpenedThreads,
): OpenedWallets {
  const { chain, indexes, mempool } = modules;
  const { limitAncestorCount: ancestors, limitDescendantCount: descendants } = config.mempool;
  const client = new InlineNodeClient({
    chain,
    mempool,
    crypto,
    scanner: new PooledBlockScanner(pool, chain.blocks.blockFolder),
    signing: pool,
    filters: indexes.filters?.index ?? null,
    mostRelatives: { ancestors, descendants },
  });
  if (!config.wallet.enabled) return { client, wallets: null };
  const { compat, settingsFile, wallet: options } = config;
  const { jsonRpc2: version2, workQueue: calls } = config.rpc;
  const wallets = new WalletThread(
    { options, compat, params, settingsFile, version2, state: state.buffer },
    {
      client,
      log,
      guard,
      stopping: stop.signal,
      bounds: { calls, bytes: Number.POSITIVE_INFINITY },
      onCall: observe.rpc,
    },
  );
  return { client, wallets };
}
