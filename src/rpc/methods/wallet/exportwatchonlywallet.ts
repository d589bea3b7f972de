// Writes a backup without private keys, which restorewallet can restore to a watch-only wallet. Core 31:
// wallet/export.cpp; but the format of the file is that of adit's backups.

import fs from 'node:fs/promises';
import path from 'node:path';
import { fillPool, isOfDatabase, watchOnlyRow, writeBackup } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'exportwatchonlywallet',
  since: 32,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Writes a copy of the wallet without private keys: its descriptors, transactions and labels. restorewallet\ncreates a watch-only wallet from it.\nIf descriptors have hardened derivation steps, that wallet knows addresses only up to the end of the key pool.',
  args: [str('destination', 'The file. It must not exist')],
  results: [obj([str('exported_file', 'The file')])],
  examples: [{ cli: '"/path/to/export.dat"', rpc: '"/path/to/export.dat"' }],
  waits: true,
});

const refuse = (text: string): never => fail(RPC_CODE.WALLET_ERROR, `Error: ${text}`);

export const exportwatchonlywallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const keys = wallet.descriptors ?? fail(RPC_CODE.WALLET_ERROR, 'exportwatchonlywallet is not available for non-descriptor wallets');
  const { destination: asked } = params;
  if (asked === '') refuse('Export destination cannot be empty');
  const file = path.resolve(asked);
  const isDatabase = await isOfDatabase(wallet.parts.options.dir, file).catch(() => false);
  // A file at the path of a wallet's database would be in the way when that database is next replaced.
  if (isDatabase) refuse(`Could not create file '${asked}'`);
  await fillPool(wallet, 0);
  const taken = (): never => refuse(`Export destination '${asked}' already exists`);
  if (await fs.lstat(file).catch(() => null)) taken();
  if (keys.count === 0) refuse('Wallet has no descriptors to export');
  await wallet.storage.queueWrite(async () => {});
  await writeBackup(wallet.storage.store, file, watchOnlyRow).catch((error: NodeJS.ErrnoException) => {
    // The file exists if another call has created it after the check above.
    if (error.code === 'EEXIST') taken();
    if (error.syscall === undefined) throw error;
    refuse(`Could not create file '${asked}'`);
  });
  return { exported_file: asked };
};
