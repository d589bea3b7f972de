import { declare } from '../../declare/parameters.js';
import { hex, none, obj, str } from '../../declare/parts.js';

export const submitblock = declare({
  name: 'submitblock',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description:
    'Submits a block to the network. See BIP22.\nIf the block was made from a light template, the header and the coinbase are enough, together with the workid.\nThe node adds the transactions.',
  args: [
    hex('hexdata', 'The block. With a workid, the 80 bytes of the header and the coinbase are enough'),
    obj(
      'dummy',
      'Parameters of BIP22. Anything other than an object is ignored',
      { anyType: true, default: 'none', typeWords: 'json object or string', oneline: '"dummy"' },
      [str('workid?', 'The workid of the light template from which the block was made.\nIgnored with a whole block')],
    ),
  ],
  results: [
    none('if the block was accepted'),
    str('The reject reason of BIP22. "stale-work" if the workid is unknown or too old', { when: 'otherwise' }),
  ],
  examples: [
    { cli: '"mydata"', rpc: '"mydata"' },
    { rpc: '"mydata", {"workid": "myid"}', title: 'Header and coinbase of a light template' },
  ],
});
