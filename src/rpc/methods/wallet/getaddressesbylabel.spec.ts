import { declare } from '../../declare/parameters.js';
import { dyn, obj, str } from '../../declare/parts.js';

export const getaddressesbylabel = declare({
  name: 'getaddressesbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the addresses of a label.',
  args: [str('label', 'The label')],
  results: [dyn('Addresses of the label', [obj('address', '', [str('purpose', 'send or receive')])])],
  examples: [{ cli: '"tabby"', rpc: '"tabby"' }],
});
