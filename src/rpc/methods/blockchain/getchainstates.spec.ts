import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getchainstates: MethodSpec = {
  name: 'getchainstates',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  since: 26,
  description:
    'The chains that coins are kept for: one that is validated from its first block, or, while that is not so, the history below a\n' +
    'snapshot and the chain above it (loadtxoutset).',
  args: [],
  results: [
    obj([
      num('headers', 'Height of the best header'),
      arr('chainstates', '', [
        obj([
          num('blocks', 'Height of the tip'),
          hex('bestblockhash', 'Its hash'),
          hex('bits', 'Its compact target', { since: 29 }),
          hex('target', 'Its target', { since: 29 }),
          num('difficulty', 'Its difficulty'),
          num('verificationprogress', 'Part of the history that is verified, 0 to 1'),
          hex('snapshot_blockhash?', 'Block of the snapshot that it was begun with'),
          num('coins_db_cache_bytes', 'Memory for the database of coins that is not part of the next'),
          num('coins_tip_cache_bytes', 'Memory for coins and the caches of their database (-dbcache)'),
          bool('validated', 'Whether every block of it was'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
