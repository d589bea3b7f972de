// gethdkeys, createwalletdescriptor, addhdkey and derivehdkey: the extended keys that a wallet's descriptors are
// derived from. Core's master: wallet/rpc/wallet.cpp.
import { randomFillSync } from 'node:crypto';
import { decodeExtendedKey, decodeExtendedSecret, encodeExtendedKey, encodeExtendedSecret } from '../../address/bip32/extended-codec.js';
import {
  deriveSecretPath,
  type ExtendedKey,
  type ExtendedSecret,
  fingerprintOf,
  HARDENED,
  masterFromSeed,
} from '../../address/bip32/extended-key.js';
import { formatPath, parsePath } from '../../address/bip32/key-path.js';
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { OutputType } from '../../address/descriptor/derive-options.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { compareBytes, equalBytes, toHex } from '../../consensus/bytes/hex.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import type { DescriptorKeys } from '../../wallet/keys/descriptor-keys.js';
import type { TrackedDescriptor } from '../../wallet/keys/descriptor-table.js';
import { fillPool } from '../../wallet/keys/fill-pool.js';
import { accountDescriptor, addAccount } from '../../wallet/manage/new-keys.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asString } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import type { Slicer } from '../node/slices.js';
import { JsonObject, type JsonResult, type JsonValue } from '../wire/values.js';
import { normalText } from './describe.js';
import { ensureUnlocked, WalletSlicer, walletOf } from './select.js';
import { type Given, given } from './spend-args.js';

const invalidKey = (text: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, text);

function descriptorsOf(wallet: Wallet, method: string): DescriptorKeys {
  return wallet.descriptors ?? fail(RPC_CODE.WALLET_ERROR, `${method} is not available for non-descriptor wallets`);
}

/** A member of an object of options. */
const option = (options: Given, name: string): Given => (options instanceof JsonObject ? options.get(name) : undefined);

const flagOf = (options: Given, name: string): boolean => {
  const value = option(options, name);
  return value === undefined ? false : asBool(value);
};

/** An extended key with the descriptors that begin with it. */
interface RootKey {
  readonly key: ExtendedKey;
  readonly numbers: number[];
}

const orderOf = (a: ExtendedKey, b: ExtendedKey): number =>
  compareBytes(a.publicKey, b.publicKey) || compareBytes(a.chainCode, b.chainCode);

const isSame = (a: ExtendedKey, b: ExtendedKey): boolean =>
  orderOf(a, b) === 0 && a.depth === b.depth && a.childNumber === b.childNumber && equalBytes(a.parentFingerprint, b.parentFingerprint);

/** The extended keys of some descriptors, in Core's order, each once. */
async function rootsOf(ctx: NodeContext, all: Iterable<TrackedDescriptor>, pauses: Slicer): Promise<RootKey[]> {
  const roots = new Map<string, RootKey>();
  for (const { descriptor, number } of all) {
    for (const key of descriptor.roots) {
      const text = encodeExtendedKey(key, ctx.params, ctx.descriptors);
      const known = roots.get(text);
      if (known === undefined) roots.set(text, { key, numbers: [number] });
      else if (known.numbers.at(-1) !== number) known.numbers.push(number);
    }
    if (pauses.due) await pauses.pause();
  }
  return [...roots.values()].sort((a, b) => orderOf(a.key, b.key));
}

/** Descriptors that hold a key and make no script: addhdkey's. */
function* unused(keys: DescriptorKeys): Generator<TrackedDescriptor> {
  for (const tracked of keys.all()) if (!tracked.descriptor.hasScripts) yield tracked;
}

/** An extended key with the secret that any descriptor has of it, in a fresh array; null when none has. */
async function secretOf(ctx: NodeContext, keys: DescriptorKeys, key: ExtendedKey, pauses: Slicer): Promise<ExtendedSecret | null> {
  const id = ctx.crypto.hash160(key.publicKey);
  for (const tracked of keys.all()) {
    const secret = tracked.holds(key.publicKey) ? tracked.secret(id) : undefined;
    if (secret) return { key, secret };
    if (pauses.due) await pauses.pause();
  }
  return null;
}

const failUnknown = (ctx: NodeContext, key: ExtendedKey): never =>
  invalidKey(`Private key for ${encodeExtendedKey(key, ctx.params, ctx.descriptors)} is not known`);

/** The extended public key that a call names. */
const namedKey = (ctx: NodeContext, value: JsonValue): ExtendedKey =>
  decodeExtendedKey(asString(value), ctx.params, ctx.descriptors) ?? invalidKey('Unable to parse HD key. Please provide a valid xpub');

export const gethdkeys: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'gethdkeys');
  const activeOnly = flagOf(args[0], 'active_only');
  const isPrivate = flagOf(args[0], 'private');
  const pauses = new WalletSlicer(wallet, call, () => isPrivate && ensureUnlocked(wallet));
  const active = new Set(keys.actives().map(({ number }) => number));
  const roots = await rootsOf(ctx, activeOnly ? keys.actives() : keys.all(), pauses);
  const result: JsonResult[] = [];
  for (const { key, numbers } of roots) {
    const listed: { desc: string; active: boolean }[] = [];
    let held = false;
    for (const number of numbers) {
      const tracked = keys.at(number);
      held ||= tracked.holds(key.publicKey);
      listed.push({ desc: normalText(wallet, tracked), active: active.has(number) });
      if (pauses.due) await pauses.pause();
    }
    listed.sort((a, b) => (a.desc < b.desc ? -1 : 1));
    const pair = isPrivate && held ? await secretOf(ctx, keys, key, pauses) : null;
    result.push({
      xpub: encodeExtendedKey(key, ctx.params, ctx.descriptors),
      has_private: held,
      ...(pair ? { xprv: encodeExtendedSecret(pair, ctx.params, ctx.descriptors) } : {}),
      descriptors: listed,
    });
    pair?.secret.fill(0);
  }
  return result;
};

const OUTPUT_TYPES: readonly OutputType[] = ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'];

export const createwalletdescriptor: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'createwalletdescriptor');
  const asked = asString(args[0]);
  const type = OUTPUT_TYPES.find((known) => known === asked) ?? invalidKey(`Unknown address type '${asked}'`);
  const internal = option(args[1], 'internal');
  const halves = given(internal) ? [asBool(internal)] : [false, true];
  const pauses = new WalletSlicer(wallet, call, () => ensureUnlocked(wallet));
  const root = await accountRoot(ctx, keys, option(args[1], 'hdkey'), pauses);
  const pair = (await secretOf(ctx, keys, root, pauses)) ?? failUnknown(ctx, root);
  try {
    const made = await wallet.change((batch) => {
      ensureUnlocked(wallet);
      const fresh = halves
        .map((half) => ({ half, descriptor: accountDescriptor(root, type, half, ctx.descriptors) }))
        .filter(({ descriptor }) => keys.find(keys.idOf(descriptor)) === undefined);
      if (fresh.length === 0) fail(RPC_CODE.WALLET_ERROR, 'Descriptor already exists');
      return fresh.map(({ half, descriptor }) => addAccount(wallet, pair, descriptor, half, batch));
    }, true);
    await fillPool(wallet, 0, pauses, () => ensureUnlocked(wallet), new Set(made.map(({ number }) => number)));
    return { descs: made.map((one) => normalText(wallet, one)) };
  } finally {
    pair.secret.fill(0);
  }
};

/** The key that new descriptors grow from. */
async function accountRoot(ctx: NodeContext, keys: DescriptorKeys, named: Given, pauses: Slicer): Promise<ExtendedKey> {
  if (given(named)) return namedKey(ctx, named);
  const roots = await rootsOf(ctx, keys.actives(), pauses);
  if (roots.length !== 1) {
    invalidKey("Unable to determine which HD key to use from active descriptors. Please specify with 'hdkey'");
  }
  return roots[0].key;
}

export const addhdkey: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'addhdkey');
  if (wallet.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'addhdkey is not available for wallets without private keys');
  ensureUnlocked(wallet);
  const pair = given(args[0]) ? importedKey(ctx, asString(args[0]), call) : randomKey(ctx);
  try {
    const xpub = encodeExtendedKey(pair.key, ctx.params, ctx.descriptors);
    const parsed = parseDescriptor(addChecksum(`unused(${xpub})`), ctx.descriptors, { requireChecksum: true });
    const descriptor = 'error' in parsed ? invalidKey('Could not parse HD key') : parsed.descriptors[0];
    await wallet.change((batch) => {
      ensureUnlocked(wallet);
      if (keys.find(keys.idOf(descriptor))) fail(RPC_CODE.WALLET_ERROR, 'HD key already exists');
      const secrets = [{ publicKey: pair.key.publicKey, secret: pair.secret }];
      const time = wallet.parts.now();
      if (keys.add({ descriptor, secrets, time, rangeStart: 0, rangeEnd: 0, nextIndex: 0 }, batch) === null) {
        fail(RPC_CODE.WALLET_ERROR, `Could not add descriptor '${descriptor.toString()}'`);
      }
    }, true);
    return { xpub };
  } finally {
    pair.secret.fill(0);
  }
};

function importedKey(ctx: NodeContext, text: string, call: CallInfo): ExtendedSecret {
  const pair = decodeExtendedSecret(call.taken?.keys.get(text) ?? text, ctx.params, ctx.descriptors);
  if (pair !== null) return pair;
  const isPublic = decodeExtendedKey(text, ctx.params, ctx.descriptors) !== null;
  return invalidKey(
    isPublic ? 'Extended public key (xpub) provided, but extended private key (xprv) is required' : 'Could not parse HD key',
  );
}

function randomKey(ctx: NodeContext): ExtendedSecret {
  const seed = randomFillSync(secretBytes(32));
  const root = masterFromSeed(seed, ctx.descriptors);
  seed.fill(0);
  if (root === null) throw new Error('one seed in 2^127 has no master key');
  return root;
}

/** Characters of a path: 255 steps have 3,000. A text of megabytes would hold the thread for seconds. */
const MOST_PATH = 16_384;

export const derivehdkey: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'derivehdkey');
  if (wallet.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'derivehdkey is not available for watch-only wallets');
  const text = asString(args[0]);
  const path = (text.length > MOST_PATH ? null : parsePath(text)) ?? fail(RPC_CODE.INVALID_PARAMETER, 'Invalid BIP32 keypath');
  const isPrivate = flagOf(args[1], 'private');
  if (!path.some((step) => step >= HARDENED)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Derivation path requires at least one hardened step');
  }
  const pauses = new WalletSlicer(wallet, call, () => ensureUnlocked(wallet));
  const root = await derivedRoot(ctx, keys, option(args[1], 'hdkey'), pauses);
  const pair = (await secretOf(ctx, keys, root, pauses)) ?? failUnknown(ctx, root);
  const child = deriveSecretPath(pair, path, ctx.descriptors);
  pair.secret.fill(0);
  if (child === null) return fail(RPC_CODE.INVALID_PARAMETER, 'Unable to derive HD key at the requested path');
  const fingerprint = toHex(fingerprintOf(root.publicKey, ctx.crypto));
  const result = {
    origin: `[${fingerprint}${formatPath(path, 'h')}]`,
    xpub: encodeExtendedKey(child.key, ctx.params, ctx.descriptors),
    ...(isPrivate ? { xprv: encodeExtendedSecret(child, ctx.params, ctx.descriptors) } : {}),
  };
  child.secret.fill(0);
  return result;
};

/** The key to derive from: the one that addhdkey brought, else that of the descriptors that give out addresses. */
async function derivedRoot(ctx: NodeContext, keys: DescriptorKeys, named: Given, pauses: Slicer): Promise<ExtendedKey> {
  const spare = await rootsOf(ctx, unused(keys), pauses);
  if (given(named)) {
    const key = namedKey(ctx, named);
    const known = [...spare, ...(await rootsOf(ctx, keys.actives(), pauses))];
    return known.some((root) => isSame(root.key, key)) ? key : invalidKey('HD key is not used by an active or unused(KEY) descriptor');
  }
  if (spare.length > 1) invalidKey("Unable to determine which HD key to use. Please specify with 'hdkey'");
  const roots = spare.length === 1 ? spare : await rootsOf(ctx, keys.actives(), pauses);
  if (roots.length === 0) invalidKey('No active or unused(KEY) descriptor found');
  if (roots.length > 1) {
    invalidKey("Unable to determine which HD key to use from active descriptors. Please specify with 'hdkey'");
  }
  return roots[0].key;
}
