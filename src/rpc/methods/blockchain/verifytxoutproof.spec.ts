import { arr, hex } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const verifytxoutproof: MethodSpec = {
  name: 'verifytxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Checks a proof and gives the transactions it proves; an error when its block is not in the best chain.',
  args: [hex('proof', 'The proof from gettxoutproof')],
  results: [arr([hex('A proven transaction; the list is empty when the proof is not valid.')])],
  examples: [{ cli: '"proof"', rpc: '"proof"' }],
};
