import { fillPool, type WalletBatch } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { privateKeyOf } from '../../node/private-key.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'sethdseed',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description: 'Sets a new or a given key as the seed of a legacy wallet.',
  args: [
    bool('newkeypool', 'Whether to empty the key pool, so that the next address comes from the new seed', { default: 'true' }),
    str('seed', 'A private key in WIF', { as: 'json', holds: 'key', default: 'a random one' }),
  ],
  results: [none()],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'false', rpc: 'false' },
    { cli: 'true "wifkey"', rpc: 'true, "wifkey"' },
  ],
});

export const sethdseed: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  if (wallet.record.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'Cannot set a HD seed to a wallet with private keys disabled');
  ensureUnlocked(wallet);
  const { newkeypool: flush } = params;
  let seed: Uint8Array;
  let isCompressed = true;
  if (params.seed !== null) {
    const key = privateKeyOf(params.seed, ctx, call) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid private key');
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
      if (flush) legacy.startNewPool(batch);
    };
    if (params.seed !== null) {
      await wallet.reassessor.change(work);
    } else {
      await wallet.change(work);
    }
    wallet.session.addKeyManager();
  } finally {
    seed.fill(0);
  }
  if (flush) await fillPool(wallet, 0);
  await wallet.reassessor.whenIdle();
  return null;
};
