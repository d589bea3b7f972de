// Starts the chain from a file of coins. Core 31: rpc/blockchain.cpp.
import path from 'node:path';
import { SnapshotError, SnapshotFile } from '../../../chain/index.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { loadtxoutset as spec } from './loadtxoutset.spec.js';

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
