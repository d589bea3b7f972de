import { declare } from '../../declare/parameters.js';
import { bool, str } from '../../declare/parts.js';

export const verifymessage = declare({
  name: 'verifymessage',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Verifies that a message was signed with the key of an address.',
  args: [str('address', 'The address, a P2PKH address'), str('signature', 'The signature in Base64'), str('message', 'The signed message')],
  results: [bool('Whether the signature is valid')],
  examples: [
    {
      cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "signature" "my message"',
      rpc: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "signature", "my message"',
    },
  ],
});
