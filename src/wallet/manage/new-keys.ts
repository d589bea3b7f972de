// The first keys of a wallet: a legacy seed with its pool, or a seed's three pairs of descriptors, as Core 0.21 sets them up.

import { randomFillSync } from 'node:crypto';
import { encodeExtendedKey } from '../../address/bip32/extended-codec.js';
import { masterFromSeed } from '../../address/bip32/extended-key.js';
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';

const BRANCHES = [
  { purpose: 44, open: 'pkh(', close: ')' },
  { purpose: 49, open: 'sh(wpkh(', close: '))' },
  { purpose: 84, open: 'wpkh(', close: ')' },
] as const;

/** A new seed and the first keys that grow from it, for fillPool to go on with; the old keys stay. The wallet is unlocked. */
export function generateKeys(wallet: Wallet, context: DescriptorContext, batch: WalletBatch): void {
  const { legacy, descriptors } = wallet;
  wallet.freshSeed = true;
  if (legacy) {
    const seed = legacy.generateSeed();
    legacy.setSeed(seed, batch);
    seed.fill(0);
    legacy.newPool(batch);
  } else if (descriptors) {
    const seed = randomFillSync(secretBytes(32));
    try {
      addSeedDescriptors(wallet, seed, context, batch);
    } finally {
      seed.fill(0);
    }
  }
}

function addSeedDescriptors(wallet: Wallet, seed: Uint8Array, context: DescriptorContext, batch: WalletBatch): void {
  const keys = wallet.descriptors!;
  const root = masterFromSeed(seed, context);
  if (root === null) throw new Error('one seed in 2^127 has no master key');
  // The public key stands for the pair: the secret never becomes text.
  const text = encodeExtendedKey(root.key, context.params, context);
  const secrets = [{ publicKey: root.key.publicKey, secret: root.secret }];
  const coin = context.params.bech32Hrp === 'bc' ? 0 : 1;
  const time = wallet.parts.now();
  const due = (): boolean => true;
  try {
    for (const internal of [false, true]) {
      for (const { purpose, open, close } of BRANCHES) {
        const whole = `${open}${text}/${purpose}'/${coin}'/0'/${internal ? 1 : 0}/*${close}`;
        const parsed = parseDescriptor(addChecksum(whole), context, { requireChecksum: true });
        if ('error' in parsed) throw new Error(`own descriptor refused: ${parsed.error}`);
        const fresh = { descriptor: parsed.descriptors[0], secrets, time, rangeStart: 0, rangeEnd: 0, nextIndex: 0, due };
        const tracked = keys.add(fresh, batch);
        if (tracked === null) throw new Error('own descriptor cannot be expanded');
        keys.setActive(tracked, internal, batch);
      }
    }
  } finally {
    root.secret.fill(0);
  }
  wallet.record.flags &= ~WALLET_FLAG.BLANK;
  wallet.record.write(batch);
}
