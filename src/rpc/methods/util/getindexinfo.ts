import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, dyn, num, obj, str } from '../../declare/parts.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getindexinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Returns the enabled indexes and their progress.',
  args: [str('index_name?', 'Return only this index')],
  results: [
    dyn([
      obj('name', 'Name of the index', [
        bool('synced', 'Whether the index has caught up with the chain'),
        num('best_block_height', 'Height up to which the index has blocks'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'txindex', rpc: 'txindex' },
  ],
});

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
