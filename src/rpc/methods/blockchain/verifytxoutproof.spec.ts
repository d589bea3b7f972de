import { declare } from '../../declare/parameters.js';
import { arr, bytes, hex } from '../../declare/parts.js';

export const verifytxoutproof = declare({
  name: 'verifytxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'Verifies a proof and returns the transactions that it proves. The call fails if the block of the proof is not\nin the best chain.',
  args: [bytes('proof', 'The proof from gettxoutproof')],
  results: [arr([hex('A proven transaction. The list is empty if the proof is invalid')])],
  examples: [{ cli: '"proof"', rpc: '"proof"' }],
});
