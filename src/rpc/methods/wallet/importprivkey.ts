import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { readSecret } from '../../wallet/import-request.js';
import { BEGINNING, importThenScan, keyScripts } from '../../wallet/imports.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importprivkey',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports a private key into a legacy wallet.',
  args: [
    str('privkey', 'The key in WIF', { holds: 'key' }),
    str('label', 'Label of the addresses', { default: 'the present one, otherwise ""' }),
    bool('rescan', 'Whether to scan the blocks for transactions', { default: 'true' }),
  ],
  results: [none()],
  examples: [
    { cli: '"mykey"', rpc: '"mykey"' },
    { cli: '"mykey" "testing" false', rpc: '"mykey", "testing", false' },
  ],
  waits: true,
});

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
