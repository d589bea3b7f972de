import fs from 'node:fs/promises';
import path from 'node:path';
import { Slicer } from '../../../lib/slicer.js';
import { CORE_NAME } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { importcorewallet as spec } from './importcorewallet.spec.js';

/**
 * Derives the wallet's name from a file: the folder's name for wallet.dat, otherwise the file's name without its
 * extension.
 */
function nameOfFile(file: string): string {
  const { base, name, dir } = path.parse(file);
  return base === CORE_NAME ? path.basename(dir) : name;
}

export const importcorewallet: WalletRun<typeof spec> = async (params, ctx, call) => {
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
    const { warnings, ...counts } = await manager.importCoreWallet(name, source, new Slicer(call.yieldToUrgent));
    if (load !== undefined) manager.setLoadOnStart(name, load);
    return { name, ...counts, ...(warnings.length > 0 ? { warnings } : {}) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};
