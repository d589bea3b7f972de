import { FUNDED_MEMBERS, fundOptions, INPUT_WEIGHTS_ARG } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj } from '../../declare/parts.js';

export const fundrawtransaction = declare({
  name: 'fundrawtransaction',
  category: 'rawtransactions',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Adds inputs to a transaction until they pay for its outputs and the fee, and adds a change output if\nnecessary. The call signs nothing.\nExisting inputs stay unchanged. They must be coins of the wallet, unless the options tell how they are spent.',
  args: [
    hex('hexstring', 'The transaction'),
    obj(
      'options?',
      'Options. true or false instead of an object stands for includeWatching',
      { as: 'json', namedMembers: true, oneline: 'options' },
      [...fundOptions('true'), INPUT_WEIGHTS_ARG],
    ),
    bool('iswitness', 'Whether the hex is in the format with witnesses. A transaction without inputs may fit both formats', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj([hex('hex', 'The transaction'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'Fund a transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
  waits: true,
});
