import fs from 'node:fs/promises';
import path from 'node:path';
import { CORE_NAME } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, passphrase, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importcorewallet',
  category: 'wallet',
  runs: 'wallet',
  description:
    'Creates a wallet from a wallet file of Bitcoin Core (wallet.dat, Berkeley DB or SQLite) and loads it. The\nwallet gets the keys, descriptors, scripts, labels and transactions.\nThe call only reads the file. No other program may have it open. adit scans the blocks after the last one that\nBitcoin Core had seen.',
  args: [
    str('file', 'The file, or the folder that wallet.dat is in'),
    str('wallet_name', 'Name of the new wallet', { default: "the folder's name" }),
    passphrase('passphrase?', 'Passphrase, if the wallet file is encrypted. The new wallet has the same one'),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
  ],
  results: [
    obj([
      str('name', 'Name of the wallet'),
      num('keys', 'Number of private keys in the file'),
      num('descriptors', 'Descriptors'),
      num('transactions', 'Transactions'),
      num('addresses', 'Number of addresses with a label'),
      arr('warnings?', 'Data that was not imported', [str('Script in text form (asm)')]),
    ]),
  ],
  examples: [{ cli: '"/home/you/.bitcoin/wallets/savings/wallet.dat" "savings"' }],
  waits: true,
});

/**
 * Derives the wallet's name from a file: the folder's name for wallet.dat, otherwise the file's name without its
 * extension.
 */
function nameOfFile(file: string): string {
  const { base, name, dir } = path.parse(file);
  return base === CORE_NAME ? path.basename(dir) : name;
}

export const importcorewallet: WalletRun<typeof spec> = async (params, ctx) => {
  const manager = managerOf(ctx);
  const asked = path.resolve(params.file);
  const isFolder = await fs.stat(asked).then(
    (info) => info.isDirectory(),
    () => false,
  );
  const file = isFolder ? path.join(asked, CORE_NAME) : asked;
  const name = params.wallet_name ?? nameOfFile(file);
  const { load_on_startup: load } = params;
  if (name === '') fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
  const passphrase = params.passphrase ?? null;
  try {
    const source = { file, magic: ctx.params.magic, passphrase };
    const { warnings, ...counts } = await manager.importCoreWallet(name, source);
    if (load !== undefined) manager.setLoadOnStart(name, load);
    return { name, ...counts, ...(warnings.length > 0 ? { warnings } : {}) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};
