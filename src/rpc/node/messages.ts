// verifymessage and signmessagewithprivkey: texts signed with the key of an address. Core: rpc/misc.cpp.
import { type MessageVerdict, signMessage, verifyMessage } from '../../address/signed-message.js';
import { asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from './context.js';
import { privateKeyOf } from './private-key.js';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));

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

export const signmessagewithprivkey: Run<NodeContext> = (ctx, args, call) => {
  const { crypto, recoverable } = ctx;
  const [, message] = [asString(args[0]), asString(args[1])];
  const wif = privateKeyOf(args[0], ctx, call) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
  const signature = signMessage(bytesOf(message), wif.key, wif.compressed, crypto, recoverable);
  wif.key.fill(0);
  return signature ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Sign failed');
};
