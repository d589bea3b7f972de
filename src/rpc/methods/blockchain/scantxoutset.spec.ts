import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';

export const scantxoutset = declare({
  name: 'scantxoutset',
  category: 'blockchain',
  runs: 'node',
  checks: 'types',
  description:
    'Scans all unspent outputs for those of the given descriptors, such as addr(<address>), raw(<hex script>),\ncombo(<key>), pkh(<key>), sh(multi(<n>,<key>,...)). Keys may be extended keys with a path that ends in /* or\n/*h for a range of indices.',
  args: [
    str(
      'action',
      '"start" starts a scan. "abort" stops the current scan and returns true, or false without a scan. "status" returns the progress, or null\nwithout a scan',
    ),
    arr('scanobjects?', 'The descriptors to search for. Required for "start"', { as: 'json', oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
  ],
  results: [
    bool('Whether a scan was running', { when: 'When action is "abort"' }),
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "status"' }, [num('progress', 'Progress in percent')]),
    obj({ when: 'When action is "start"' }, [
      bool('success', 'Whether the scan was completed'),
      num('txouts', 'Number of unspent outputs that were scanned'),
      num('height', 'Height of the tip at the time of the scan'),
      hex('bestblock', 'Hash of that tip'),
      arr('unspents', '', [
        obj([
          hex('txid', 'The transaction id'),
          num('vout', 'The output number'),
          hex('scriptPubKey', 'The script'),
          str('desc', 'Descriptor of the output'),
          amount('amount', 'Amount in BTC'),
          bool('coinbase', 'Whether the output belongs to a coinbase', { since: 25 }),
          num('height', 'Height of the block that contains the output'),
          hex('blockhash', 'Hash of its block', { since: 28 }),
          num('confirmations', 'Number of confirmations', { since: 28 }),
        ]),
      ]),
      amount('total_amount', 'Sum of the found outputs'),
    ]),
  ],
  examples: [{ cli: 'start "[\\"addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)\\"]"' }, { cli: 'status' }, { cli: 'abort' }],
  waits: true,
});
