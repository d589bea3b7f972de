// Declares getchainstates.
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
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'headers', help: 'Height of the best header' },
        {
          type: 'arr',
          key: 'chainstates',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'num', key: 'blocks', help: 'Height of the tip' },
                { type: 'hex', key: 'bestblockhash', help: 'Its hash' },
                { type: 'hex', key: 'bits', since: 29, help: 'Its compact target' },
                { type: 'hex', key: 'target', since: 29, help: 'Its target' },
                { type: 'num', key: 'difficulty', help: 'Its difficulty' },
                { type: 'num', key: 'verificationprogress', help: 'Part of the history that is verified, 0 to 1' },
                { type: 'hex', key: 'snapshot_blockhash', optional: true, help: 'Block of the snapshot that it was begun with' },
                { type: 'num', key: 'coins_db_cache_bytes', help: 'Memory for the database of coins that is not part of the next' },
                { type: 'num', key: 'coins_tip_cache_bytes', help: 'Memory for coins and the caches of their database (-dbcache)' },
                { type: 'bool', key: 'validated', help: 'Whether every block of it was' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
