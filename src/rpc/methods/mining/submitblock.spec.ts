import { hex, none, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const submitblock: MethodSpec = {
  name: 'submitblock',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description:
    'Hands in a block. See BIP22.\nOn a light template header and coinbase are enough, with its workid: the node adds the transactions.',
  args: [
    hex('hexdata', 'The block; with a workid also 80 bytes of header and the coinbase'),
    obj(
      'dummy',
      'Parameters of BIP22; anything but an object is ignored',
      { anyType: true, default: 'none', typeWords: 'json object or string', oneline: '"dummy"' },
      [str('workid?', 'As in the light template that the block was made from;\nignored with a whole block')],
    ),
  ],
  results: [
    none('when the block was accepted'),
    str('The reason, as BIP22 names it; "stale-work" when the workid is unknown or too old', { when: 'otherwise' }),
  ],
  examples: [
    { cli: '"mydata"', rpc: '"mydata"' },
    { rpc: '"mydata", {"workid": "myid"}', title: 'Header and coinbase of a light template' },
  ],
};
