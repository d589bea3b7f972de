// Starts the chain from a file of coins. Core 31: rpc/blockchain.cpp.

import path from 'node:path';
import { SnapshotError, SnapshotFile } from '../../../chain/index.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'loadtxoutset',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Loads the unspent outputs of a block from a file and continues from that block at once. The node downloads and\nvalidates the earlier blocks in the background, and then compares their unspent outputs with those of the\nfile. It accepts only files whose hash this release contains.' +
    'validated in the background; in the end their outputs are compared with those of the file. Only files are taken whose hash this\n' +
    'release knows.',
  args: [str('path', 'The file. A relative path is relative to the network folder')],
  results: [
    obj([
      num('coins_loaded', 'Unspent outputs in the file'),
      hex('tip_hash', 'Hash of the block of the snapshot'),
      num('base_height', 'Its height'),
      str('path', 'Absolute path of the file'),
    ]),
  ],
  examples: [{ cli: 'utxo.dat' }],
  waits: true,
});

export const loadtxoutset: NodeRun<typeof spec> = async (params, ctx) => {
  const { chain, commands, mempool } = ctx;
  const full = path.resolve(ctx.folder, params.path);
  const file = await SnapshotFile.open(full).catch(() => fail(RPC_CODE.INVALID_PARAMETER, `Couldn't open file ${full} for reading.`));
  try {
    const head = await file.head(chain.params);
    const base = await commands.loadSnapshot(file, head, () => mempool.size);
    return { coins_loaded: head.coins, tip_hash: base.hashHex, base_height: base.height, path: full };
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const { part, message } = error;
    if (part === 'head') return fail(RPC_CODE.DESERIALIZATION_ERROR, `Unable to parse metadata: ${message}`);
    return fail(
      RPC_CODE.INTERNAL_ERROR,
      `Unable to load UTXO snapshot: ${part === 'coins' ? 'Population failed: ' : ''}${message}. (${full})`,
    );
  } finally {
    await file.close();
  }
};
