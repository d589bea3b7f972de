import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';

export const signmessagewithprivkey = declare({
  name: 'signmessagewithprivkey',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Signs a message with a private key.',
  args: [str('privkey', 'The private key', { holds: 'key' }), str('message', 'The message')],
  results: [str('The signature in Base64')],
  examples: [
    { title: 'Sign', cli: '"privkey" "my message"', rpc: '"privkey", "my message"' },
    { title: 'Check it', method: 'verifymessage', cli: '"1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX" "signature" "my message"' },
  ],
});
