// Declares enumeratesigners.
import type { MethodSpec } from '../../declare/types.js';

export const enumeratesigners: MethodSpec = {
  name: 'enumeratesigners',
  category: 'signer',
  runs: 'wallet',
  since: 22,
  description: 'Lists the devices that the command of -signer finds, each master key once.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'signers',
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'fingerprint', help: 'Fingerprint of its master key' },
                { type: 'str', key: 'name', help: 'Its model' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
