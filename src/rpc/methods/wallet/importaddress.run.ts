import { decodeAddress } from '../../../address/address.js';
import { scriptHashScript } from '../../../consensus/script/build-script.js';
import { hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importTarget } from '../../wallet/importmulti.js';
import { BEGINNING, importThenScan } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';
import type { importaddress as spec } from './importaddress.spec.js';

export const importaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = params.label;
  const rescan = params.rescan;
  const alsoP2sh = params.p2sh;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const text = params.address;
    const decoded = decodeAddress(text, ctx.params, ctx.crypto);
    const how = { hasSolvingData: false, label, time: BEGINNING };
    if ('script' in decoded) {
      if (alsoP2sh) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot use the p2sh flag with an address - use a script instead');
      await wallet.changeKeys((batch) => {
        importTarget(ctx, wallet, decoded.script, how, batch);
        plan(batch);
      });
    } else {
      const script = hexBytes(text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address or script');
      await wallet.changeKeys((batch) => {
        legacy.importScript(script, 0, batch);
        const targets = alsoP2sh ? [script, scriptHashScript(ctx.crypto.hash160(script))] : [script];
        for (const target of targets) importTarget(ctx, wallet, target, how, batch);
        plan(batch);
      });
    }
    wallet.hasKeyManager = true;
  });
};
