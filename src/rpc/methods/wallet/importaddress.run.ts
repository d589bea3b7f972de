import { decodeAddress } from '../../../address/address.js';
import { scriptHashScript } from '../../../consensus/script/build-script.js';
import { asBool, asString, hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importTarget } from '../../wallet/importmulti.js';
import { BEGINNING, given, importThenScan } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';
import type { importaddress as spec } from './importaddress.spec.js';

export const importaddress: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = given(args[1]) ? asString(args[1]) : '';
  const rescan = given(args[2]) ? asBool(args[2]) : true;
  const alsoP2sh = given(args[3]) ? asBool(args[3]) : false;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const text = asString(args[0]);
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
