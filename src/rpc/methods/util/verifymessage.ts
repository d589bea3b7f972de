// Core: rpc/misc.cpp.

import { type MessageVerdict, verifyMessage } from '../../../address/signed-message.js';
import { type Compat, follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesOf } from '../../node/messages.js';

export const spec = declare({
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

const ANSWERS: Record<MessageVerdict, (compat: Compat) => boolean> = {
  signed: () => true,
  'not-signed': () => false,
  'invalid-address': (compat) => fail(follows(compat, 22) ? RPC_CODE.INVALID_ADDRESS_OR_KEY : RPC_CODE.TYPE_ERROR, 'Invalid address'),
  'no-key': () => fail(RPC_CODE.TYPE_ERROR, 'Address does not refer to key'),
  'malformed-signature': () => fail(RPC_CODE.TYPE_ERROR, 'Malformed base64 encoding'),
};

export const verifymessage: NodeRun<typeof spec> = ({ address, signature, message }, { params, crypto, recoverable, compat }) => {
  return ANSWERS[verifyMessage(address, signature, bytesOf(message), params, crypto, recoverable)](compat);
};
