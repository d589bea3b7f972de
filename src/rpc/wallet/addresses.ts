// Shared by methods that create and label addresses: getaddressesbylabel, getnewaddress, getrawchangeaddress,
// keypoolrefill, listlabels, sethdseed, and setlabel.

import { encodeAddress } from '../../address/address.js';
import { solve } from '../../policy/script-type.js';
import type { AddressType, Wallet } from '../../wallet/index.js';
import { asAddressType } from '../address-type.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { knowsTaproot } from '../node/signing-args.js';

/**
 * Returns the type of a new address. bech32m is accepted for descriptor wallets if descriptors know taproot, as in Core
 * since 22.
 */
export function givenType(ctx: WalletContext, wallet: Wallet, value: string | undefined, otherwise: AddressType): AddressType {
  if (value !== 'bech32m' || !knowsTaproot(ctx)) return value === undefined ? otherwise : asAddressType(value);
  return wallet.legacy ? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Legacy wallets cannot provide bech32m addresses') : value;
}

export function addressText(ctx: WalletContext, script: Uint8Array): string {
  const address = encodeAddress(script, ctx.params, ctx.crypto);
  if (address === null) throw new Error('scripts of address types have addresses');
  return address;
}

export function ensureKeys(wallet: Wallet, internal: boolean): void {
  if (!wallet.keys.canGiveAddresses(internal)) fail(RPC_CODE.WALLET_ERROR, 'Error: This wallet has no available keys');
}

/** Core's order of destinations: by type, then by bytes. */
const KIND_ORDER = ['pubkeyhash', 'scripthash', 'witness_v0_scripthash', 'witness_v0_keyhash', 'witness_v1_taproot', 'anchor'];

/** Returns a text that sorts addresses (given by their scripts) as Core does. */
export function destinationKey(script: Uint8Array): string {
  const { type, solutions } = solve(script);
  const rank = KIND_ORDER.includes(type) ? KIND_ORDER.indexOf(type) : KIND_ORDER.length;
  // Order later witness versions by version (the first byte of the script), then by size.
  const head = rank === KIND_ORDER.length ? [rank, script[0], script.length] : [rank];
  return String.fromCharCode(...head) + Buffer.from(solutions.at(-1) ?? script).toString('latin1');
}
