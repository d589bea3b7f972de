import { hexBytes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { importThenScan, keyScripts, watchedScripts } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importpubkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Adds the addresses of a public key to the wallet as watch-only.',
  args: [
    str('pubkey', 'The key in hex'),
    str('label', 'Label of the addresses', { default: '""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
  ],
  results: [none()],
  examples: [
    { cli: '"mypubkey"', rpc: '"mypubkey"' },
    { cli: '"mypubkey" "testing" false', rpc: '"mypubkey", "testing", false' },
  ],
  waits: true,
});

export const importpubkey: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  legacyOf(wallet);
  const { label, rescan } = params;
  return importThenScan(ctx, wallet, rescan, () => {
    const key = hexBytes(params.pubkey) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey must be a hex string');
    if (!ctx.crypto.isPoint(key)) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey is not a valid public key');
    // Core imports the scripts before the key.
    return [
      { ...watchedScripts(keyScripts(ctx, key), label), hasSolvingData: true },
      { ...watchedScripts([], label), publicKeys: [{ key, internal: false }] },
    ];
  });
};
