import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const pruneblockchain: MethodSpec = {
  name: 'pruneblockchain',
  category: 'blockchain',
  runs: 'node',
  description: 'Deletes files of old blocks on a node with -prune. The newest 288 blocks always stay.',
  args: [
    num('height', 'Delete blocks up to this height; a number above a billion is a time, and blocks at least 2 hours older are deleted'),
  ],
  results: [num('Height of the lowest block from which on all are stored')],
  examples: [{ cli: '1000', rpc: '1000' }],
};
