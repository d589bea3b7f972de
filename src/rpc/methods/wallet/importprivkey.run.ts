import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { readSecret } from '../../wallet/import-request.js';
import { BEGINNING, importThenScan, keyScripts } from '../../wallet/imports.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';
import type { importprivkey as spec } from './importprivkey.spec.js';

export const importprivkey: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.record.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
  }
  legacyOf(wallet);
  ensureUnlocked(wallet);
  const { privkey: text } = params;
  const label = params.label ?? '';
  return importThenScan(ctx, wallet, params.rescan, () => {
    const key = readSecret(ctx, text, call);
    const labelled = keyScripts(ctx, key.publicKey);
    const keepsLabels = params.label === undefined;
    // The last script of a compressed key is the witness program.
    return [{ kind: 'key', ...key, time: BEGINNING, labelled, label, keepsLabels, scripts: labelled.slice(2) }];
  });
};
