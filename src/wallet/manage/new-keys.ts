// Makes the first keys of a wallet: a legacy seed with its pool, or two descriptors (receiving and change) of a seed
// for each address type, as Core does.

import { randomFillSync } from 'node:crypto';
import { encodeExtendedKey } from '../../address/bip32/extended-codec.js';
import { type ExtendedKey, type ExtendedSecret, masterFromSeed } from '../../address/bip32/extended-key.js';
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { OutputType } from '../../address/descriptor/derive-options.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import type { TrackedDescriptor } from '../keys/descriptor-table.js';
import type { WalletOptions } from '../options.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

const BRANCHES: Readonly<Record<OutputType, { readonly purpose: number; readonly open: string; readonly close: string }>> = {
  legacy: { purpose: 44, open: 'pkh(', close: ')' },
  'p2sh-segwit': { purpose: 49, open: 'sh(wpkh(', close: '))' },
  bech32: { purpose: 84, open: 'wpkh(', close: ')' },
  bech32m: { purpose: 86, open: 'tr(', close: ')' },
};

const ALL_KINDS = Object.keys(BRANCHES) as OutputType[];

/** Returns the address types of a new wallet. */
const kindsOf = ({ taprootSeeds }: WalletOptions): OutputType[] => ALL_KINDS.filter((type) => type !== 'bech32m' || taprootSeeds);

/** Returns the descriptor for one address type of a master key (BIP-0044, 49, 84, 86), account 0. */
export function accountDescriptor(root: ExtendedKey, type: OutputType, internal: boolean, context: DescriptorContext): Descriptor {
  const { purpose, open, close } = BRANCHES[type];
  const coin = context.params.bech32Hrp === 'bc' ? 0 : 1;
  const mark = context.inferredMark ?? "'";
  // The text contains the public key only. The secret never becomes text.
  const key = encodeExtendedKey(root, context.params, context);
  const whole = `${open}${key}/${purpose}${mark}/${coin}${mark}/0${mark}/${internal ? 1 : 0}/*${close}`;
  const parsed = parseDescriptor(addChecksum(whole), context, { requireChecksum: true });
  if ('error' in parsed) throw new Error(`own descriptor refused: ${parsed.error}`);
  return parsed.descriptors[0];
}

/**
 * Adds the descriptor of `accountDescriptor`, which gives out addresses from now on. fillPool derives its scripts.
 * @param root master key, whose secret is copied
 */
export function addAccount(
  wallet: Wallet,
  root: ExtendedSecret,
  descriptor: Descriptor,
  internal: boolean,
  batch: WalletBatch,
): TrackedDescriptor {
  const keys = wallet.descriptors!;
  const secrets = [{ publicKey: root.key.publicKey, secret: root.secret }];
  const window = { rangeStart: 0, rangeEnd: 0, nextIndex: 0, shouldPause: (): boolean => true };
  const tracked = keys.addDescriptor({ descriptor, secrets, time: wallet.parts.now(), ...window }, batch);
  if (tracked === null) throw new Error('own descriptor cannot be expanded');
  wallet.record.flags &= ~WALLET_FLAG.BLANK;
  keys.setActive(tracked, internal, batch);
  return tracked;
}

/** Adds a descriptor without private keys, which gives out addresses from now on. fillPool derives its scripts. */
export function addWatched(wallet: Wallet, descriptor: Descriptor, internal: boolean, batch: WalletBatch): void {
  const keys = wallet.descriptors!;
  const window = { rangeStart: 0, rangeEnd: 0, nextIndex: 0, shouldPause: (): boolean => true };
  const tracked = keys.addDescriptor({ descriptor, secrets: [], time: wallet.parts.now(), ...window }, batch);
  if (tracked === null) throw new WalletError(WALLET_CODE.MISC, 'Could not top up scriptPubKeys');
  keys.setActive(tracked, internal, batch);
}

/**
 * Makes a new seed and its first keys; fillPool derives the rest. Keys of earlier seeds stay in the wallet. The wallet
 * must be unlocked.
 */
export function generateKeys(wallet: Wallet, context: DescriptorContext, batch: WalletBatch): void {
  const { legacy, descriptors } = wallet;
  if (legacy) {
    const seed = legacy.generateSeed();
    legacy.setSeed(seed, batch);
    seed.fill(0);
    legacy.startNewPool(batch);
  } else if (descriptors) {
    const seed = randomFillSync(secretBytes(32));
    try {
      addSeedDescriptors(wallet, seed, context, batch, kindsOf(wallet.parts.options));
    } finally {
      seed.fill(0);
    }
  }
}

/** Adds the descriptors for new addresses of a seed. The caller wipes the seed. */
export function addSeedDescriptors(
  wallet: Wallet,
  seed: Uint8Array,
  context: DescriptorContext,
  batch: WalletBatch,
  kinds: readonly OutputType[] = ALL_KINDS,
): void {
  const root = masterFromSeed(seed, context);
  if (root === null) throw new Error('one seed in 2^127 has no master key');
  try {
    for (const internal of [false, true]) {
      for (const type of kinds) addAccount(wallet, root, accountDescriptor(root.key, type, internal, context), internal, batch);
    }
  } finally {
    root.secret.fill(0);
  }
}
