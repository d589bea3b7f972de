// Core: rpc/misc.cpp.
import { signMessage } from '../../../address/signed-message.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesOf } from '../../node/messages.js';
import { privateKeyOf } from '../../node/private-key.js';
import type { signmessagewithprivkey as spec } from './signmessagewithprivkey.spec.js';

export const signmessagewithprivkey: NodeRun<typeof spec> = ({ privkey, message }, ctx, call) => {
  const { crypto, recoverable } = ctx;
  const wif = privateKeyOf(privkey, ctx, call) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
  const signature = signMessage(bytesOf(message), wif.key, wif.compressed, crypto, recoverable);
  wif.key.fill(0);
  return signature ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Sign failed');
};
