// Declares scantxoutset.
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const scantxoutset: MethodSpec = {
  name: 'scantxoutset',
  category: 'blockchain',
  runs: 'node',
  description:
    'Looks through all unspent outputs for those of some descriptors.\nFor example addr(<address>), raw(<hex script>), combo(<key>), pkh(<key>), sh(multi(<n>,<key>,...)); keys may be extended ones with a path\nthat ends in /* or /*h, and then stand for a range of indices.',
  args: [
    {
      name: 'action',
      type: 'str',
      help: '"start" a scan, "abort" the one under way (true when there was one), or its "status" (null when there is none)',
    },
    {
      name: 'scanobjects',
      type: 'arr',
      optional: true,
      help: 'What to look for; needed for "start"',
      oneline: '[scanobjects,...]',
      inner: SCAN_OBJECTS,
    },
  ],
  results: [
    { type: 'bool', when: 'When action is "abort"', help: 'Whether a scan was under way' },
    { type: 'none', when: 'When action is "status" and there is no scan', help: '' },
    {
      type: 'obj',
      when: 'When action is "status"',
      help: '',
      inner: [{ type: 'num', key: 'progress', help: 'Percent of the coins' }],
    },
    {
      type: 'obj',
      when: 'When action is "start"',
      help: '',
      inner: [
        { type: 'bool', key: 'success', help: 'Whether the scan went to the end' },
        { type: 'num', key: 'txouts', help: 'Unspent outputs looked at' },
        { type: 'num', key: 'height', help: 'Height of the tip they stood at' },
        { type: 'hex', key: 'bestblock', help: 'Hash of that tip' },
        {
          type: 'arr',
          key: 'unspents',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'txid', help: 'The transaction id' },
                { type: 'num', key: 'vout', help: 'The output number' },
                { type: 'hex', key: 'scriptPubKey', help: 'The script' },
                { type: 'str', key: 'desc', help: 'Its descriptor' },
                { type: 'amount', key: 'amount', help: 'Amount in BTC' },
                { type: 'bool', key: 'coinbase', since: 25, help: 'Whether its transaction is a coinbase' },
                { type: 'num', key: 'height', help: 'Height of its block' },
                { type: 'hex', key: 'blockhash', since: 28, help: 'Hash of its block' },
                { type: 'num', key: 'confirmations', since: 28, help: 'Blocks from its own to the tip, both counted' },
              ],
            },
          ],
        },
        { type: 'amount', key: 'total_amount', help: 'Sum of all that were found' },
      ],
    },
  ],
  examples: [{ cli: 'start "[\\"addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)\\"]"' }, { cli: 'status' }, { cli: 'abort' }],
  waits: true,
};
