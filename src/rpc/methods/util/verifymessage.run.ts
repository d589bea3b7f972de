// Runs verifymessage. Core: rpc/misc.cpp.
import { type MessageVerdict, verifyMessage } from '../../../address/signed-message.js';
import { asString } from '../../args.js';
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesOf } from '../../node/messages.js';

const ANSWERS: Record<MessageVerdict, () => boolean> = {
  signed: () => true,
  'not-signed': () => false,
  'invalid-address': () => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid address'),
  'no-key': () => fail(RPC_CODE.TYPE_ERROR, 'Address does not refer to key'),
  'malformed-signature': () => fail(RPC_CODE.TYPE_ERROR, 'Malformed base64 encoding'),
};

export const verifymessage: Run<NodeContext> = ({ params, crypto, recoverable }, args) => {
  const [address, signature, message] = [asString(args[0]), asString(args[1]), asString(args[2])];
  return ANSWERS[verifyMessage(address, signature, bytesOf(message), params, crypto, recoverable)]();
};
