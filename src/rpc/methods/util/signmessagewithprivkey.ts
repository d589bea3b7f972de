// Core: rpc/misc.cpp.

import { signMessage } from '../../../address/signed-message.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesOf } from '../../node/messages.js';
import { privateKeyOf } from '../../node/private-key.js';

export const spec = declare({
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

export const signmessagewithprivkey: NodeRun<typeof spec> = ({ privkey, message }, ctx, call) => {
  const { crypto, recoverable } = ctx;
  const wif = privateKeyOf(privkey, ctx, call) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
  const signature = signMessage(bytesOf(message), wif.key, wif.compressed, crypto, recoverable);
  wif.key.fill(0);
  return signature ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Sign failed');
};
