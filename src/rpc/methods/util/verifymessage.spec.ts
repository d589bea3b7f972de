// Declares verifymessage.
import type { MethodSpec } from '../../declare/types.js';

export const verifymessage: MethodSpec = {
  name: 'verifymessage',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Checks that a message was signed with the key of an address.',
  args: [
    { name: 'address', type: 'str', help: 'The address, of the P2PKH kind' },
    { name: 'signature', type: 'str', help: 'The signature in Base64' },
    { name: 'message', type: 'str', help: 'What was signed' },
  ],
  results: [{ type: 'bool', help: 'Whether the signature is good' }],
  examples: [
    {
      cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "signature" "my message"',
      rpc: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "signature", "my message"',
    },
  ],
};
