// Declares getmininginfo.
import { NODE_WARNINGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmininginfo: MethodSpec = {
  name: 'getmininginfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Figures about mining on this chain.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'blocks', help: 'Height of the tip' },
        { type: 'num', key: 'currentblockweight', optional: true, help: 'Weight of the last block assembled, once there was one' },
        { type: 'num', key: 'currentblocktx', optional: true, help: 'Its transactions without the coinbase' },
        { type: 'hex', key: 'bits', since: 29, help: 'Compact target of the tip' },
        { type: 'num', key: 'difficulty', help: 'Difficulty of the tip' },
        { type: 'hex', key: 'target', since: 29, help: 'Target of the tip' },
        { type: 'num', key: 'networkhashps', help: 'Estimated hashes per second of the network' },
        { type: 'num', key: 'pooledtx', help: 'Transactions in the pool' },
        { type: 'amount', key: 'blockmintxfee', since: 30, help: 'Lowest fee rate of templates, BTC/kvB' },
        { type: 'str', key: 'chain', help: 'Name of the chain' },
        {
          type: 'obj',
          key: 'next',
          since: 29,
          help: 'The block after the tip',
          inner: [
            { type: 'num', key: 'height', help: 'Height' },
            { type: 'hex', key: 'bits', help: 'Compact target' },
            { type: 'num', key: 'difficulty', help: 'Difficulty' },
            { type: 'hex', key: 'target', help: 'Target' },
          ],
        },
        { type: 'hex', key: 'signet_challenge', since: 29, optional: true, help: 'The block script of a signet' },
        ...NODE_WARNINGS,
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
