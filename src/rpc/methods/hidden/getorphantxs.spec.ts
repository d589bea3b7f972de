import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';

const MEMBERS: readonly ResultSpec[] = [
  hex('txid', 'The transaction id'),
  hex('wtxid', 'The transaction hash, which includes the witness'),
  num('bytes', 'Size in bytes'),
  num('vsize', 'Virtual size (BIP-0141)'),
  num('vsize_bip141', 'The same', { since: 32 }),
  num('weight', 'Weight (BIP-0141)'),
  arr('from', '', [num('Number of a peer that announced it')]),
];

export const getorphantxs = declare({
  name: 'getorphantxs',
  since: 29,
  category: 'hidden',
  runs: 'node',
  description: 'Returns transactions of peers whose parents are unknown.',
  args: [
    num('verbosity', '0 for transaction ids (an id may occur twice), 1 for objects, 2 for objects with the transaction as hex', {
      default: '0',
      anyType: true,
    }),
  ],
  results: [
    arr({ when: 'for verbose = 0' }, [hex('txid', 'The transaction id')]),
    arr({ when: 'for verbose = 1' }, [obj(MEMBERS)]),
    arr({ when: 'for verbose = 2' }, [obj([...MEMBERS, hex('hex', 'The transaction as hex, with its witness')])]),
  ],
  examples: [{ cli: '2', rpc: '2' }],
});
