import { amount, arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const scantxoutset: MethodSpec = {
  name: 'scantxoutset',
  category: 'blockchain',
  runs: 'node',
  checks: 'types',
  description:
    'Looks through all unspent outputs for those of some descriptors.\nFor example addr(<address>), raw(<hex script>), combo(<key>), pkh(<key>), sh(multi(<n>,<key>,...)); keys may be extended ones with a path\nthat ends in /* or /*h, and then stand for a range of indices.',
  args: [
    str('action', '"start" a scan, "abort" the one under way (true when there was one), or its "status" (null when there is none)'),
    arr('scanobjects?', 'What to look for; needed for "start"', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
  ],
  results: [
    bool('Whether a scan was under way', { when: 'When action is "abort"' }),
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "status"' }, [num('progress', 'Percent of the coins')]),
    obj({ when: 'When action is "start"' }, [
      bool('success', 'Whether the scan went to the end'),
      num('txouts', 'Unspent outputs looked at'),
      num('height', 'Height of the tip they stood at'),
      hex('bestblock', 'Hash of that tip'),
      arr('unspents', '', [
        obj([
          hex('txid', 'The transaction id'),
          num('vout', 'The output number'),
          hex('scriptPubKey', 'The script'),
          str('desc', 'Its descriptor'),
          amount('amount', 'Amount in BTC'),
          bool('coinbase', 'Whether its transaction is a coinbase', { since: 25 }),
          num('height', 'Height of its block'),
          hex('blockhash', 'Hash of its block', { since: 28 }),
          num('confirmations', 'Blocks from its own to the tip, both counted', { since: 28 }),
        ]),
      ]),
      amount('total_amount', 'Sum of all that were found'),
    ]),
  ],
  examples: [{ cli: 'start "[\\"addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)\\"]"' }, { cli: 'status' }, { cli: 'abort' }],
  waits: true,
};
