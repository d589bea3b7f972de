// Addresses and labels: getnewaddress, getrawchangeaddress, keypoolrefill, sethdseed, setlabel, listlabels,
// getaddressesbylabel.

import { decodeAddress, encodeAddress } from '../../address/address.js';
import { sortInSlices } from '../../lib/sort-in-slices.js';
import { follows, only } from '../../policy/compat.js';
import { solve } from '../../policy/script-type.js';
import { purposeOf } from '../../wallet/address-book.js';
import { fillPool } from '../../wallet/keys/fill-pool.js';
import type { AddressType } from '../../wallet/keys/key-source.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asAddressType } from '../address-type.js';
import { asBool, asInt, asString } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { privateKeyOf } from '../node/private-key.js';
import { knowsTaproot } from '../node/signing-args.js';
import { mapInSlices, Slicer } from '../node/slices.js';
import { Pieces } from '../wire/pieces.js';
import { type JsonValue, RawJson } from '../wire/values.js';
import { ensureUnlocked, labelOf, legacyOf, walletOf } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

/**
 * A kind of address that a wallet gives out: where descriptors have taproot, bech32m of descriptor wallets as well, as
 * in Core since 22.
 */
export function givenType(ctx: NodeContext, wallet: Wallet, value: JsonValue | undefined, otherwise: AddressType): AddressType {
  if (value !== 'bech32m' || !knowsTaproot(ctx)) return given(value) ? asAddressType(value) : otherwise;
  return wallet.legacy ? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Error: Legacy wallets cannot provide bech32m addresses') : value;
}

/** The address of a script that has one. */
export function addressText(ctx: NodeContext, script: Uint8Array): string {
  const address = encodeAddress(script, ctx.params, ctx.crypto);
  if (address === null) throw new Error('scripts of address types have addresses');
  return address;
}

function ensureKeys(wallet: Wallet, internal: boolean): void {
  if (!wallet.keys.canGiveAddresses(internal)) fail(RPC_CODE.WALLET_ERROR, 'Error: This wallet has no available keys');
}

export const getnewaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  // Core asks with either chain in mind: internal keys of a watch-only pool do not help here.
  ensureKeys(wallet, false);
  const label = given(args[0]) ? labelOf(asString(args[0])) : '';
  const type = givenType(ctx, wallet, args[1], wallet.parts.options.addressType);
  const result = await wallet.change((batch) => {
    const next = wallet.keys.newAddress(type, false, batch);
    if ('script' in next) wallet.book.set(next.script, label, 'receive', batch);
    return next;
    // On the disk before it is told: after a loss of power it would be given out again, to somebody else.
  }, true);
  return 'script' in result ? addressText(ctx, result.script) : fail(RPC_CODE.WALLET_KEYPOOL_RAN_OUT, result.error);
};

export const getrawchangeaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  ensureKeys(wallet, true);
  const { changeType, addressType } = wallet.parts.options;
  const type = givenType(ctx, wallet, args[0], changeType ?? addressType);
  const result = await wallet.change((batch) => wallet.keys.newAddress(type, true, batch), true);
  if ('script' in result) return addressText(ctx, result.script);
  // Since release 22 it is as with new addresses.
  const error = follows(ctx.compat, 22) ? result.error : 'Error: Keypool ran out, please call keypoolrefill first';
  return fail(RPC_CODE.WALLET_KEYPOOL_RAN_OUT, error);
};

export const keypoolrefill: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.legacy && wallet.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ERROR, 'Error: Private keys are disabled for this wallet');
  }
  let size = 0;
  if (given(args[0])) {
    size = asInt(args[0]);
    if (size < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, expected valid size.');
  }
  ensureUnlocked(wallet);
  await fillPool(wallet, size, new Slicer(call.breathe), () => ensureUnlocked(wallet));
  await wallet.looked();
  const { legacy, descriptors } = wallet;
  const waiting = legacy
    ? legacy.pool.externalSize + legacy.pool.internalSize
    : descriptors!.actives().reduce((sum, { rangeEnd, nextIndex }) => sum + rangeEnd - nextIndex, 0);
  if (waiting < size) fail(RPC_CODE.WALLET_ERROR, 'Error refreshing keypool.');
  return null;
};

export const sethdseed: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  if (wallet.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'Cannot set a HD seed to a wallet with private keys disabled');
  ensureUnlocked(wallet);
  const flush = given(args[0]) ? asBool(args[0]) : true;
  let seed: Uint8Array;
  let isCompressed = true;
  if (given(args[1])) {
    const key = privateKeyOf(args[1], ctx, call) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
    seed = key.key;
    isCompressed = key.compressed;
    for (const compressed of [true, false]) {
      const publicKey = ctx.descriptors.keys.publicKey(seed, compressed)!;
      if (legacy.hasSecret(ctx.crypto.hash160(publicKey))) {
        seed.fill(0);
        fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Already have this key (either as an HD seed or as a loose private key)');
      }
    }
  } else seed = legacy.generateSeed();
  try {
    const work = (batch: WalletBatch): void => {
      ensureUnlocked(wallet);
      legacy.setSeed(seed, batch, isCompressed);
      if (flush) legacy.newPool(batch);
    };
    if (given(args[1])) {
      await wallet.changeKeys((batch) => {
        work(batch);
        wallet.giveElsewhere(batch);
      });
    } else {
      await wallet.change((batch) => {
        work(batch);
        wallet.freshSeed = true;
      }, true);
    }
    wallet.hasKeyManager = true;
  } finally {
    seed.fill(0);
  }
  if (flush) await fillPool(wallet, 0, new Slicer(call.breathe));
  await wallet.looked();
  return null;
};

export const setlabel: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const decoded = decodeAddress(asString(args[0]), ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const label = labelOf(asString(args[1]));
  await wallet.change((batch) => wallet.book.set(decoded.script, label, purposeOf(wallet.isMine(decoded.script)), batch));
  return null;
};

export const listlabels: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const slicer = new Slicer(call.breathe);
  const purpose = given(args[0]) ? asString(args[0]) : '';
  if (only(ctx.compat, 26) && !['', 'send', 'receive', 'refund'].includes(purpose)) {
    fail(RPC_CODE.INVALID_PARAMETER, "Invalid 'purpose' argument, must be a known purpose string, typically 'send', or 'receive'.");
  }
  const labels = wallet.book.labels(purpose);
  const keyed = await mapInSlices(labels, (label) => ({ label, bytes: Buffer.from(label) }), slicer);
  return (await sortInSlices(keyed, (a, b) => Buffer.compare(a.bytes, b.bytes), slicer)).map(({ label }) => label);
};

/** Core's order of destinations: by kind, then by bytes. */
const KIND_ORDER = ['pubkeyhash', 'scripthash', 'witness_v0_scripthash', 'witness_v0_keyhash', 'witness_v1_taproot', 'anchor'];
/** A text that sorts addresses (by their scripts) as Core does. */
export function destinationKey(script: Uint8Array): string {
  const { type, solutions } = solve(script);
  const rank = KIND_ORDER.includes(type) ? KIND_ORDER.indexOf(type) : KIND_ORDER.length;
  // Later witness versions: by version (the script's first byte), then by size.
  const head = rank === KIND_ORDER.length ? [rank, script[0], script.length] : [rank];
  return String.fromCharCode(...head) + Buffer.from(solutions.at(-1) ?? script).toString('latin1');
}

export const getaddressesbylabel: Run<NodeContext> = async (ctx, args, call) => {
  const { book } = walletOf(ctx, call);
  const label = labelOf(asString(args[0]));
  const rows = book.rowsOf(label);
  if (rows.length === 0) fail(RPC_CODE.WALLET_INVALID_LABEL_NAME, `No addresses with label ${label}`);
  const slicer = new Slicer(call.breathe);
  const purposes = Array.from(rows, (row) => book.purposeAt(row));
  const found = await mapInSlices(rows, (row, i) => ({ row, purpose: purposes[i], key: destinationKey(book.scriptAt(row)) }), slicer);
  const pieces = new Pieces(',');
  for (const { row, purpose } of await sortInSlices(found, (a, b) => (a.key < b.key ? -1 : 1), slicer)) {
    pieces.add(`"${addressText(ctx, book.scriptAt(row))}":{"purpose":"${purpose}"}`);
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`{${pieces.text()}}`);
};
