// Core: rpc/misc.cpp.
import { type MessageVerdict, verifyMessage } from '../../../address/signed-message.js';
import { type Compat, follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesOf } from '../../node/messages.js';
import type { verifymessage as spec } from './verifymessage.spec.js';

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
