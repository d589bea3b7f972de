// Creates an m-of-n address of given keys, without a wallet. Core: rpc/misc.cpp.

import { encodeAddress } from '../../../address/address.js';
import { inferDescriptor, type ScriptProvider } from '../../../address/descriptor/infer.js';
import { buildMultisig, type MultisigOutput, type ScriptAddressType } from '../../../address/multisig.js';
import { hashKey } from '../../../consensus/bytes/hex.js';
import type { Hashes } from '../../../crypto/crypto.js';
import { follows, shows } from '../../../policy/compat.js';
import { asAddressType } from '../../address-type.js';
import { asString, hexBytes } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex } from '../../render/hex.js';

export const spec = declare({
  name: 'createmultisig',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Creates a multisig address that requires some of several keys to spend. It does not add the address to a\nwallet.',
  args: [
    num('nrequired', 'Number of required signatures'),
    arr('keys', 'The public keys', [hex('key', 'A public key')]),
    str('address_type', `The address type: ${SCRIPT_ADDRESS_TYPES_HELP}`, { default: 'legacy' }),
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      title: 'Two keys, both required',
      cli: '2 "[\\"03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd\\",\\"03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626\\"]"',
      rpc: '2, ["03789ed0bb717d88f7d321a368d905e7430207ebbd82bd342cf11ae157a7ace5fd","03dbc6764b8884a92e871274b87583e6d5c2a58819473e17e107ef3f6aa5a61626"]',
    },
  ],
});

const KEY_DIGITS = [66, 130];

export const createmultisig: NodeRun<typeof spec> = (params, ctx) => {
  const { nrequired: required } = params;
  const keys = params.keys.map((value) => parsePublicKey(ctx, asString(value)));
  const type = multisigType(ctx, params.address_type);
  const output = buildMultisig(required, keys, type, ctx.crypto, follows(ctx.compat, 22));
  if ('error' in output) return fail(RPC_CODE.INVALID_PARAMETER, output.error);
  return {
    address: encodeAddress(output.outputScript, ctx.params, ctx.crypto),
    redeemScript: bytesHex(output.script),
    descriptor: inferDescriptor(output.outputScript, providerOf(output, ctx.crypto), ctx.descriptors).toString(),
    ...(type !== 'legacy' && output.witnessProgram === null && shows(ctx.compat, { since: 24 }) ? { warnings: [OTHER_TYPE] } : {}),
  };
};

const OTHER_TYPE = 'Unable to make chosen address type, please ensure no uncompressed public keys are present.';

function multisigType(ctx: NodeContext, value: string | undefined): ScriptAddressType {
  if (value === undefined) return 'legacy';
  if (value === 'bech32m' && follows(ctx.compat, 22)) {
    return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'createmultisig cannot create bech32m multisig addresses');
  }
  return asAddressType(value);
}

/** Parses a public key in hex. An invalid key of the right length has its own error message. */
function parsePublicKey(ctx: NodeContext, text: string): Uint8Array {
  if (follows(ctx.compat, 28)) return namedPublicKey(ctx, text);
  const key = KEY_DIGITS.includes(text.length) ? hexBytes(text) : null;
  if (key === null) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid public key: ${text}\n.`);
  if (!ctx.crypto.isPoint(key)) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid public key: ${text}`);
  return key;
}

/** Parses a public key with the error messages since release 28. */
function namedPublicKey(ctx: NodeContext, text: string): Uint8Array {
  const refuse = (why: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Pubkey "${text}" must ${why}`);
  const key = hexBytes(text) ?? refuse('be a hex string');
  if (!KEY_DIGITS.includes(text.length)) refuse('have a length of either 33 or 65 bytes');
  return ctx.crypto.isPoint(key) ? key : refuse('be cryptographically valid.');
}

/** Returns a provider that knows the output's own scripts. */
function providerOf({ script, witnessProgram }: MultisigOutput, hashes: Hashes): ScriptProvider {
  const scripts = new Map([script, witnessProgram].flatMap((known) => (known ? [[hashKey(hashes.hash160(known)), known]] : [])));
  return { publicKey: () => undefined, script: (id) => scripts.get(hashKey(id)), origin: () => undefined };
}
