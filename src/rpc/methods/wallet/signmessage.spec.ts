import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const signmessage = declare({
  name: 'signmessage',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Signs a message with the private key of a P2PKH address. The wallet must be unlocked.',
  args: [str('address', 'The address whose key signs'), str('message', 'The text')],
  results: [str('The signature in Base64, for verifymessage')],
  examples: [{ cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "my message"', rpc: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "my message"' }],
});
