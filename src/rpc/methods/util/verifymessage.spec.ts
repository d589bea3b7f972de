import { bool, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const verifymessage: MethodSpec = {
  name: 'verifymessage',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Checks that a message was signed with the key of an address.',
  args: [str('address', 'The address, of the P2PKH kind'), str('signature', 'The signature in Base64'), str('message', 'What was signed')],
  results: [bool('Whether the signature is good')],
  examples: [
    {
      cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "signature" "my message"',
      rpc: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "signature", "my message"',
    },
  ],
};
