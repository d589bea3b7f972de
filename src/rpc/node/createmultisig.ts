// createmultisig: an m-of-n address of given keys, without a wallet. Core: rpc/misc.cpp.
import { encodeAddress } from '../../address/address.js';
import { inferDescriptor, type ScriptProvider } from '../../address/descriptor/infer.js';
import { buildMultisig, type MultisigOutput } from '../../address/multisig.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import { asAddressType } from '../address-type.js';
import { asArray, asInt, asString, hexBytes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hex } from '../render/hex.js';
import type { NodeContext } from './context.js';

const KEY_DIGITS = [66, 130];

export const createmultisig: Run<NodeContext> = (ctx, args) => {
  const required = asInt(args[0]);
  const keys = asArray(args[1]).map((value) => parsePublicKey(ctx, asString(value)));
  const type = args[2] === null || args[2] === undefined ? 'legacy' : asAddressType(args[2]);
  const output = buildMultisig(required, keys, type, ctx.crypto);
  if ('error' in output) return fail(RPC_CODE.INVALID_PARAMETER, output.error);
  return {
    address: encodeAddress(output.outputScript, ctx.params, ctx.crypto),
    redeemScript: hex(output.script),
    descriptor: inferDescriptor(output.outputScript, providerOf(output, ctx.crypto), ctx.descriptors).toString(),
  };
};

/** Hex of key length that is no key has another message than anything else. */
function parsePublicKey(ctx: NodeContext, text: string): Uint8Array {
  const key = KEY_DIGITS.includes(text.length) ? hexBytes(text) : null;
  if (key === null) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid public key: ${text}\n.`);
  if (!ctx.crypto.isPoint(key)) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid public key: ${text}`);
  return key;
}

/** Knows the output's own scripts. */
function providerOf({ script, witnessProgram }: MultisigOutput, hashes: Hashes): ScriptProvider {
  const scripts = new Map([script, witnessProgram].flatMap((known) => (known ? [[hashKey(hashes.hash160(known)), known]] : [])));
  return { publicKey: () => undefined, script: (id) => scripts.get(hashKey(id)), origin: () => undefined };
}
