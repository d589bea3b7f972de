// Declares submitblock.
import type { MethodSpec } from '../../declare/types.js';

export const submitblock: MethodSpec = {
  name: 'submitblock',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description:
    'Hands in a block. See BIP22.\nOn a light template header and coinbase are enough, with its workid: the node adds the transactions.',
  args: [
    { name: 'hexdata', type: 'hex', help: 'The block; with a workid also 80 bytes of header and the coinbase' },
    {
      name: 'dummy',
      type: 'obj',
      anyType: true,
      default: 'none',
      help: 'Parameters of BIP22; anything but an object is ignored',
      typeWords: 'json object or string',
      oneline: '"dummy"',
      inner: [
        {
          name: 'workid',
          type: 'str',
          optional: true,
          help: 'As in the light template that the block was made from;\nignored with a whole block',
        },
      ],
    },
  ],
  results: [
    { type: 'none', help: 'when the block was accepted' },
    { type: 'str', when: 'otherwise', help: 'The reason, as BIP22 names it; "stale-work" when the workid is unknown or too old' },
  ],
  examples: [
    { cli: '"mydata"', rpc: '"mydata"' },
    { rpc: '"mydata", {"workid": "myid"}', title: 'Header and coinbase of a light template' },
  ],
};
