// Shared by importaddress, importprivkey, and importpubkey. Each imports one thing and scans from the genesis block.
import { scriptHashScript } from '../../consensus/script/build-script.js';
import { planRescan, scanStart } from '../../wallet/follow/rescan.js';
import { payToKeyHash } from '../../wallet/keys/is-mine.js';
import { keyHashProgram } from '../../wallet/keys/key-table.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonValue } from '../wire/values.js';
import { refuseScanOfPruned, scanImported, withRescan } from './rescan.js';

export const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

/** Time of keys whose history is unknown. */
export const BEGINNING = 1;

/** Returns the output scripts of a key's addresses: legacy, and for compressed keys the two segwit ones. */
export function keyScripts(ctx: WalletContext, publicKey: Uint8Array): Uint8Array[] {
  const id = ctx.crypto.hash160(publicKey);
  if (publicKey.length !== 33) return [payToKeyHash(id)];
  const program = keyHashProgram(id);
  return [payToKeyHash(id), scriptHashScript(ctx.crypto.hash160(program)), program];
}

/** Imports, and scans the whole chain if `rescan` is set. */
export async function importThenScan(
  ctx: WalletContext,
  wallet: Wallet,
  rescan: boolean,
  work: (plan: (batch: WalletBatch) => void) => Promise<void>,
): Promise<null> {
  if (!rescan) {
    await work(() => {});
    return null;
  }
  await refuseScanOfPruned(ctx);
  return withRescan(ctx, wallet, async () => {
    const start = await scanStart(ctx.client, 0);
    await work((batch) => planRescan(wallet, start, batch));
    const scannedTo = await scanImported(ctx, wallet, 0);
    if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
    if (scannedTo > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  });
}
