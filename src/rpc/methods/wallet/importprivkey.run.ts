import { keyHashProgram } from '../../../wallet/keys/key-table.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { readSecret } from '../../wallet/import-request.js';
import { BEGINNING, importThenScan, keyScripts } from '../../wallet/imports.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';
import type { importprivkey as spec } from './importprivkey.spec.js';

export const importprivkey: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
  }
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const text = params.privkey;
  const label = params.label ?? '';
  const rescan = params.rescan;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const key = readSecret(ctx, text, call);
    try {
      await wallet.changeKeys((batch) => {
        ensureUnlocked(wallet);
        for (const script of keyScripts(ctx, key.publicKey)) {
          if (params.label !== undefined || wallet.book.label(script) === undefined) wallet.book.set(script, label, 'receive', batch);
        }
        legacy.importSecret(key.secret, key.publicKey, BEGINNING, batch);
        plan(batch);
        if (key.publicKey.length === 33) legacy.addScript(keyHashProgram(ctx.crypto.hash160(key.publicKey)), 0, batch);
      });
      wallet.hasKeyManager = true;
    } finally {
      key.secret.fill(0);
    }
  });
};
