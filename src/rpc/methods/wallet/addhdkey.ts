// Core 31: wallet/rpc/wallet.cpp.

import { randomFillSync } from 'node:crypto';
import { decodeExtendedKey, decodeExtendedSecret, encodeExtendedKey } from '../../../address/bip32/extended-codec.js';
import { type ExtendedSecret, masterFromSeed } from '../../../address/bip32/extended-key.js';
import { addChecksum } from '../../../address/descriptor/checksum.js';
import { parseDescriptor } from '../../../address/descriptor/parse.js';
import { secretBytes } from '../../../crypto/secret-bytes.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { descriptorsOf, invalidKey } from '../../wallet/hd-keys.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'addhdkey',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds an extended key to a wallet, for createwalletdescriptor and derivehdkey. The call creates no address.',
  args: [str('hdkey', 'The extended private key', { holds: 'descriptor', default: 'a random key' })],
  results: [obj([str('xpub', 'The extended public key')])],
  examples: [{ cli: 'xprv', rpc: '"xprv"' }],
});

export const addhdkey: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = descriptorsOf(wallet, 'addhdkey');
  if (wallet.record.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'addhdkey is not available for wallets without private keys');
  ensureUnlocked(wallet);
  const pair = params.hdkey !== undefined ? importedKey(ctx, params.hdkey, call) : randomKey(ctx);
  try {
    const xpub = encodeExtendedKey(pair.key, ctx.params, ctx.descriptors);
    const parsed = parseDescriptor(addChecksum(`unused(${xpub})`), ctx.descriptors, { requireChecksum: true });
    const descriptor = 'error' in parsed ? invalidKey('Could not parse HD key') : parsed.descriptors[0];
    await wallet.change((batch) => {
      ensureUnlocked(wallet);
      if (keys.find(keys.idOf(descriptor))) fail(RPC_CODE.WALLET_ERROR, 'HD key already exists');
      const secrets = [{ publicKey: pair.key.publicKey, secret: pair.secret }];
      const time = wallet.parts.now();
      if (keys.addDescriptor({ descriptor, secrets, time, rangeStart: 0, rangeEnd: 0, nextIndex: 0 }, batch) === null) {
        fail(RPC_CODE.WALLET_ERROR, `Could not add descriptor '${descriptor.toString()}'`);
      }
    });
    return { xpub };
  } finally {
    pair.secret.fill(0);
  }
};

function importedKey(ctx: WalletContext, text: string, call: CallInfo): ExtendedSecret {
  const pair = decodeExtendedSecret(call.taken?.keys.get(text) ?? text, ctx.params, ctx.descriptors);
  if (pair !== null) return pair;
  const isPublic = decodeExtendedKey(text, ctx.params, ctx.descriptors) !== null;
  return invalidKey(
    isPublic ? 'Extended public key (xpub) provided, but extended private key (xprv) is required' : 'Could not parse HD key',
  );
}

function randomKey(ctx: WalletContext): ExtendedSecret {
  const seed = randomFillSync(secretBytes(32));
  const root = masterFromSeed(seed, ctx.descriptors);
  seed.fill(0);
  if (root === null) throw new Error('one seed in 2^127 has no master key');
  return root;
}
