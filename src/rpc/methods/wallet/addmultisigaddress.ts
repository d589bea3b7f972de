// Creates an m-of-n address and stores its script in a legacy wallet. Core 0.21: wallet/rpcwallet.cpp.

import { decodeAddress } from '../../../address/address.js';
import { inferDescriptor } from '../../../address/descriptor/infer.js';
import { buildMultisig } from '../../../address/multisig.js';
import { keyOfDestination, type LegacyKeys } from '../../../wallet/index.js';
import { asAddressType } from '../../address-type.js';
import { asString, hexBytes } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { SCRIPT_ADDRESS_TYPES_HELP } from '../../declare/address-parts.js';
import { MULTISIG_RESULTS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex } from '../../render/hex.js';
import { addressText } from '../../wallet/addresses.js';
import { labelOf, legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'addmultisigaddress',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  description: 'Creates a multisig address that requires some of several keys to spend, and stores its script in the wallet.',
  args: [
    num('nrequired', 'Number of required signatures'),
    arr('keys', 'The public keys, or addresses of the wallet', [str('key', 'A public key in hex, or an address')]),
    str('label?', 'A label for the address'),
    str('address_type', SCRIPT_ADDRESS_TYPES_HELP, { default: 'set by -addresstype' }),
  ],
  results: MULTISIG_RESULTS,
  examples: [
    {
      cli: '2 "[\\"16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5\\",\\"171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV\\"]"',
      rpc: '2, ["16sSauSf5pF2UkUwvKGq4qjNRzBZYqgEL5","171sgjn4YtPu27adkKGrdDwzRTxnRkBfKV"]',
    },
  ],
});

const refuse = (message: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, message);

/** Parses a public key given in hex or by an address of the wallet. */
function publicKeyOf(ctx: WalletContext, legacy: LegacyKeys, text: string): Uint8Array {
  const bytes = text.length === 66 || text.length === 130 ? hexBytes(text) : null;
  if (bytes !== null) return ctx.crypto.isPoint(bytes) ? bytes : refuse(`Invalid public key: ${text}`);
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) return refuse(`Invalid address: ${text}`);
  const id = keyOfDestination(decoded.script, legacy) ?? refuse(`${text} does not refer to a key`);
  const key = legacy.publicKey(id);
  return key ? new Uint8Array(key) : refuse(`no full public key for address ${text}`);
}

export const addmultisigaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = labelOf(params.label ?? '');
  const { nrequired: required } = params;
  const keys = params.keys.map((item) => publicKeyOf(ctx, legacy, asString(item)));
  const type = params.address_type === undefined ? wallet.parts.options.addressType : asAddressType(params.address_type);
  if (type === 'bech32m') return refuse('Bech32m multisig addresses cannot be created with legacy wallets');
  const output = buildMultisig(required, keys, type, ctx.crypto);
  if ('error' in output) return fail(RPC_CODE.INVALID_PARAMETER, output.error);
  await wallet.reassessor.change((batch) => {
    legacy.addScript(output.script, 0, batch);
    if (output.witnessProgram) legacy.addScript(output.witnessProgram, 0, batch);
    wallet.book.set(output.outputScript, label, 'send', batch);
  });
  wallet.session.addKeyManager();
  return {
    address: addressText(ctx, output.outputScript),
    redeemScript: bytesHex(output.script),
    descriptor: inferDescriptor(output.outputScript, legacy, ctx.descriptors).toString(),
  };
};
