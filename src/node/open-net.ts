// Creates the network module. It listens and connects later.

import path from 'node:path';
import type { Chain } from '../chain/index.js';
import { createEllSwift } from '../crypto/native/ell-swift.js';
import type { Indexes } from '../indexes/index.js';
import type { Mempool } from '../mempool/index.js';
import { Net } from '../net/index.js';
import type { readAsmap } from './asmap-file.js';
import type { NodeBase } from './open-base.js';

export function openNet(
  { config, params, crypto, clock, state, log, teardown, observe }: NodeBase,
  modules: { readonly chain: Chain; readonly indexes: Indexes; readonly mempool: Mempool },
  asmap: ReturnType<typeof readAsmap>,
): Net {
  const { chain, indexes, mempool } = modules;
  const net = new Net(config.net, {
    params,
    chain,
    mempool,
    crypto,
    ellSwift: config.net.v2Transport ? createEllSwift(crypto) : null,
    clock: {
      nowSeconds: () => clock.nowSeconds(),
      nowMs: () => (state.mockSeconds === 0 ? clock.nowMs() : state.mockSeconds * 1000),
      realSeconds: () => Math.floor(clock.nowMs() / 1000),
    },
    log,
    filters: indexes.filters?.index ?? null,
    banFile: path.join(config.netDir, 'banlist.json'),
    peersFile: path.join(config.netDir, 'peers.dat'),
    anchorsFile: path.join(config.netDir, 'anchors.json'),
    asmap,
    onionKeyFile: path.join(config.netDir, 'onion_v3_private_key'),
    i2pKeyFile: path.join(config.netDir, 'i2p_private_key'),
    observeBlock: observe.announcedBlock,
  });
  teardown.add(() => net.stop());
  return net;
}
