import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';

export const testmempoolaccept = declare({
  name: 'testmempoolaccept',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Returns whether the mempool would accept transactions. With several, later ones may spend earlier ones.',
  args: [
    arr('rawtxs', 'The transactions as hex, at most 25, each once', [hex('rawtx?', '')]),
    amount('maxfeerate', 'Refuse the transaction above this fee rate, in BTC/kB', { default: '0.10' }),
  ],
  results: [
    arr('One result for each transaction', [
      obj([
        hex('txid', 'The transaction id'),
        hex('wtxid', 'The witness hash', { since: 22 }),
        str('package-error?', 'Error of the package', { since: 22 }),
        bool('allowed?', 'Whether the mempool would accept the transaction. Absent if it would not accept an earlier one'),
        num('vsize_adjusted?', 'Virtual size, adjusted for signature operations. Only if allowed', { since: 32 }),
        num('vsize?', 'Virtual size on which fees are based. Only if allowed'),
        num('vsize_bip141?', 'Virtual size (BIP141). Only if allowed', { since: 32 }),
        obj('fees?', 'Fees. Only if allowed', [
          amount('base', 'The fee in BTC'),
          amount('effective-feerate?', 'The feerate in BTC/kvB', { since: 25 }),
          arr('effective-includes?', 'wtxids of the transactions whose fees and sizes are part of the fee rate', { since: 25 }, [hex()]),
        ]),
        str('reject-reason?', 'The reject reason'),
        str('reject-details?', 'The reject reason with details', { since: 29 }),
      ]),
    ]),
  ],
  examples: [{ cli: `'["signedhex"]'`, rpc: '["signedhex"]' }],
});
