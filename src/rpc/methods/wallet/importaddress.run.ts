import { decodeAddress } from '../../../address/address.js';
import { scriptHashScript } from '../../../consensus/script/build-script.js';
import { hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importThenScan, watchedScripts } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';
import type { importaddress as spec } from './importaddress.spec.js';

export const importaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  legacyOf(wallet);
  const { label, rescan, p2sh: alsoP2sh } = params;
  return importThenScan(ctx, wallet, rescan, () => {
    const text = params.address;
    const decoded = decodeAddress(text, ctx.params, ctx.crypto);
    if ('script' in decoded) {
      if (alsoP2sh) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot use the p2sh flag with an address - use a script instead');
      return [watchedScripts([decoded.script], label)];
    }
    const script = hexBytes(text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address or script');
    const targets = alsoP2sh ? [script, scriptHashScript(ctx.crypto.hash160(script))] : [script];
    return [{ ...watchedScripts(targets, label), scripts: [script] }];
  });
};
