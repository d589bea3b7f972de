import fs from 'node:fs/promises';
import path from 'node:path';
import { ADDED, shows } from '../../../policy/compat.js';
import { isOfDatabase, writeBackup } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'backupwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Writes the wallet to one file with a checksum.',
  args: [str('destination', 'A file (an existing one is overwritten) or a folder')],
  results: [none()],
  examples: [{ cli: '"backup.dat"', rpc: '"backup.dat"' }],
  waits: true,
});

export const backupwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const destination = path.resolve(params.destination);
  try {
    const isFolder = await fs.stat(destination).then(
      (info) => info.isDirectory(),
      () => false,
    );
    await wallet.storage.queueWrite(async () => {});
    // Replace path separators, which wallet names may contain.
    const name = `${(wallet.name || 'wallet').replaceAll(/[/\\:]+/g, '_')}.backup`;
    const file = isFolder ? path.join(destination, name) : destination;
    if (await isOfDatabase(wallet.parts.options.dir, file)) throw new Error('a wallet is not written over');
    await writeBackup(wallet.storage.store, file);
    ctx.wallets.logOperation(wallet.name, `saved to ${file}`);
  } catch (error) {
    ctx.wallets.logFailure(`save wallet ${JSON.stringify(wallet.name)} to ${destination}`, error);
    const why = shows(ctx.compat, { since: ADDED }) ? ` ${destination}: ${error instanceof Error ? error.message : String(error)}` : '';
    fail(RPC_CODE.WALLET_ERROR, `Error: Wallet backup failed!${why}`);
  }
  return null;
};
