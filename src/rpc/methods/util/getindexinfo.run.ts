import type { NodeRun } from '../../context/node.js';
import type { JsonResult } from '../../wire/values.js';
import type { getindexinfo as spec } from './getindexinfo.spec.js';

export const getindexinfo: NodeRun<typeof spec> = async ({ index_name: wanted = '' }, ctx) => {
  const out: Record<string, JsonResult> = {};
  for (const index of ctx.indexes) {
    if (wanted !== '' && wanted !== index.name) continue;
    // A caller that already got an answer about a block expects the index to include that block.
    await index.waitUntilSynced();
    out[index.name] = { synced: index.synced, best_block_height: index.height };
  }
  return out;
};
