import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const testmempoolaccept: MethodSpec = {
  name: 'testmempoolaccept',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description:
    'Tells whether transactions would be taken into the pool: one, or several in order, of which later ones may spend earlier ones.',
  args: [
    arr('rawtxs', 'The transactions as hex, 25 at most, none twice.', [hex('rawtx?', '')]),
    amount('maxfeerate', 'Refuse it above this feerate, in BTC/kB', { default: '0.10' }),
  ],
  results: [
    arr('One result for each transaction', [
      obj([
        hex('txid', 'The transaction id'),
        hex('wtxid', 'The witness hash', { since: 22 }),
        str('package-error?', 'What is wrong with several transactions together', { since: 22 }),
        bool('allowed?', 'Whether it would be taken; absent when one before it would not'),
        num('vsize_adjusted?', 'Virtual size with signature operations, when allowed', { since: 32 }),
        num('vsize?', 'Virtual size that fees count on, when allowed'),
        num('vsize_bip141?', 'Virtual size (BIP141), when allowed', { since: 32 }),
        obj('fees?', 'Fees, when allowed', [
          amount('base', 'The fee in BTC'),
          amount('effective-feerate?', 'The feerate in BTC/kvB', { since: 25 }),
          arr('effective-includes?', 'Witness hashes that count for it', { since: 25 }, [hex()]),
        ]),
        str('reject-reason?', 'Why it would not'),
        str('reject-details?', 'The same with details', { since: 29 }),
      ]),
    ]),
  ],
  examples: [{ cli: `'["signedhex"]'`, rpc: '["signedhex"]' }],
};
