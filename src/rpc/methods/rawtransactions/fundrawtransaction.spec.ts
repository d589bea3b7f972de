import { FUNDED_MEMBERS, fundOptions, INPUT_WEIGHTS_ARG } from '../../declare/fund-parts.js';
import { bool, hex, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const fundrawtransaction: MethodSpec = {
  name: 'fundrawtransaction',
  category: 'rawtransactions',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Adds inputs to a transaction until they pay for its outputs and the fee, and a change output if one is needed. Nothing is signed.\nInputs that are there stay as they are; they must be coins of the wallet, or it must be told how they are spent.',
  args: [
    hex('hexstring', 'The transaction'),
    obj('options?', 'Options; true or false alone means includeWatching', { namedMembers: true, oneline: 'options' }, [
      ...fundOptions('true'),
      INPUT_WEIGHTS_ARG,
    ]),
    bool('iswitness', 'Whether the text is in the format with witnesses; without inputs both may fit', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj([hex('hex', 'The transaction'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'Fund a transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
  waits: true,
};
