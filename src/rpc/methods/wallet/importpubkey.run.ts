import { hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importTarget } from '../../wallet/importmulti.js';
import { BEGINNING, importThenScan, keyScripts } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';
import type { importpubkey as spec } from './importpubkey.spec.js';

export const importpubkey: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = params.label;
  const rescan = params.rescan;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const key = hexBytes(params.pubkey) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey must be a hex string');
    if (!ctx.crypto.isPoint(key)) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey is not a valid public key');
    await wallet.changeKeys((batch) => {
      const how = { hasSolvingData: true, label, time: BEGINNING };
      for (const script of keyScripts(ctx, key)) importTarget(ctx, wallet, script, how, batch);
      legacy.importPublicKey(key, BEGINNING, { add: false, internal: false }, batch);
      plan(batch);
    });
    wallet.hasKeyManager = true;
  });
};
