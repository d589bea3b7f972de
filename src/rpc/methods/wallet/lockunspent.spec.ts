// Declares lockunspent.
import type { MethodSpec } from '../../declare/types.js';

export const lockunspent: MethodSpec = {
  name: 'lockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Keeps coins back from being spent by the wallet, or lets them go. Locks last until the wallet is unloaded, persistent ones beyond that.',
  args: [
    { name: 'unlock', type: 'bool', help: 'Let go (true) or keep back (false)' },
    {
      name: 'transactions',
      type: 'arr',
      default: '[]',
      help: 'The coins; all of them when left out',
      inner: [
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [
            { name: 'txid', type: 'hex', help: 'Transaction' },
            { name: 'vout', type: 'num', help: 'Output' },
          ],
        },
      ],
    },
    { name: 'persistent', type: 'bool', since: 23, default: 'false', help: 'Whether the locks shall outlive the wallet being unloaded' },
  ],
  results: [{ type: 'bool', help: 'true' }],
  examples: [
    {
      cli: 'false "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
      rpc: 'false, "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
    },
  ],
};
