// Shared by addhdkey, createwalletdescriptor, derivehdkey, and gethdkeys: the extended keys from which a wallet's
// descriptors are derived. Core 31: wallet/rpc/wallet.cpp.

import { decodeExtendedKey, encodeExtendedKey } from '../../address/bip32/extended-codec.js';
import type { ExtendedKey, ExtendedSecret } from '../../address/bip32/extended-key.js';
import { compareBytes } from '../../consensus/bytes/hex.js';
import type { DescriptorKeys, TrackedDescriptor, Wallet } from '../../wallet/index.js';
import { asBool, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import type { Given } from './spend-args.js';

export const invalidKey = (text: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, text);

export function descriptorsOf(wallet: Wallet, method: string): DescriptorKeys {
  return wallet.descriptors ?? fail(RPC_CODE.WALLET_ERROR, `${method} is not available for non-descriptor wallets`);
}

export const option = (options: Given, name: string): Given => (options instanceof JsonObject ? options.get(name) : undefined);

export const flagOf = (options: Given, name: string): boolean => {
  const value = option(options, name);
  return value === undefined ? false : asBool(value);
};

/** An extended key, and the numbers of the descriptors that start with it. */
interface RootKey {
  readonly key: ExtendedKey;
  readonly numbers: number[];
}

export const orderOf = (a: ExtendedKey, b: ExtendedKey): number =>
  compareBytes(a.publicKey, b.publicKey) || compareBytes(a.chainCode, b.chainCode);

/** Returns the extended keys of descriptors without duplicates, in Core's order. */
export function rootsOf(ctx: WalletContext, all: Iterable<TrackedDescriptor>): RootKey[] {
  const roots = new Map<string, RootKey>();
  for (const { descriptor, number } of all) {
    for (const key of descriptor.roots) {
      const text = encodeExtendedKey(key, ctx.params, ctx.descriptors);
      const known = roots.get(text);
      if (known === undefined) roots.set(text, { key, numbers: [number] });
      else if (known.numbers.at(-1) !== number) known.numbers.push(number);
    }
  }
  return [...roots.values()].sort((a, b) => orderOf(a.key, b.key));
}

/** Yields descriptors that contain a key and have no scripts, such as those of addhdkey. */
export function* unused(keys: DescriptorKeys): Generator<TrackedDescriptor> {
  for (const tracked of keys.all()) if (!tracked.descriptor.hasScripts) yield tracked;
}

/**
 * Returns an extended key with its private key, from any descriptor that has the private key, which is in a new array.
 * @returns null if no descriptor has the private key
 */
export function secretOf(ctx: WalletContext, keys: DescriptorKeys, key: ExtendedKey): ExtendedSecret | null {
  const id = ctx.crypto.hash160(key.publicKey);
  for (const tracked of keys.all()) {
    const secret = tracked.holds(key.publicKey) ? tracked.secret(id) : undefined;
    if (secret) return { key, secret };
  }
  return null;
}

export const failUnknown = (ctx: WalletContext, key: ExtendedKey): never =>
  invalidKey(`Private key for ${encodeExtendedKey(key, ctx.params, ctx.descriptors)} is not known`);

/** Reads an extended public key. @throws RpcError */
export const namedKey = (ctx: WalletContext, value: JsonValue): ExtendedKey =>
  decodeExtendedKey(asString(value), ctx.params, ctx.descriptors) ?? invalidKey('Unable to parse HD key. Please provide a valid xpub');
