import { decodeAddress } from '../../../address/address.js';
import { scriptHashScript } from '../../../consensus/script/build-script.js';
import { hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importThenScan, watchedScripts } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importaddress',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Adds an address or script to the wallet as watch-only.',
  args: [
    str('address', 'The address, or a script in hex'),
    str('label', 'The label', { default: '""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
    bool('p2sh', 'Whether to watch the P2SH address of the script too', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"myaddress"', rpc: '"myaddress"' },
    { cli: '"myaddress" "testing" false', rpc: '"myaddress", "testing", false' },
  ],
  waits: true,
});

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
