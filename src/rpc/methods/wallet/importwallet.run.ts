// Core 0.21: wallet/rpcdump.cpp.
import path from 'node:path';
import { Slicer } from '../../../lib/slicer.js';
import { planRescan, rescanFrom, scanStart } from '../../../wallet/follow/rescan.js';
import type { LegacyKeys } from '../../../wallet/keys/legacy-keys.js';
import type { WalletBatch } from '../../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../../wallet/wallet.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { DumpContents, type DumpedKey, readDump } from '../../wallet/dump-reader.js';
import { eachInSlices, yieldIfDueFor } from '../../wallet/import-outcome.js';
import { keyScripts } from '../../wallet/imports.js';
import { refuseScanOfPruned, scanDeps, withRescan } from '../../wallet/rescan.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';
import type { importwallet as spec } from './importwallet.spec.js';

/** Imports a key of a dump. */
function importKey(ctx: WalletContext, wallet: Wallet, legacy: LegacyKeys, key: DumpedKey, batch: WalletBatch): void {
  const { secret, publicKey, label, time } = key;
  // A key that the wallet already has still gets the label of its line.
  if (!legacy.hasSecret(ctx.crypto.hash160(publicKey))) legacy.importSecret(secret, publicKey, time, batch);
  if (label !== undefined) wallet.book.set(keyScripts(ctx, publicKey)[0], label, 'receive', batch);
}

export const importwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  await refuseScanOfPruned(ctx, 'Importing wallets is disabled when blocks are pruned');
  return withRescan(ctx, wallet, async () => {
    ensureUnlocked(wallet);
    const yieldIfDue = yieldIfDueFor(wallet, new Slicer(call.yieldToUrgent));
    const contents = new DumpContents();
    let since = wallet.tip!.time;
    try {
      await readDump(ctx, path.resolve(params.filename), contents, yieldIfDue);
      if (wallet.privateKeysDisabled && contents.keyCount > 0) {
        fail(RPC_CODE.WALLET_ERROR, 'Importing wallets is disabled when private keys are disabled');
      }
      // Core imports some of the keys and then fails. adit imports nothing if a call fails.
      if (contents.isUnusable) fail(RPC_CODE.WALLET_ERROR, 'Error adding some keys/scripts to wallet');
      since = Math.min(since, contents.earliest);
      const start = await scanStart(ctx.client, since);
      await wallet.changeKeysExclusively(async (batch) => {
        ensureUnlocked(wallet);
        await eachInSlices(contents.keys(), yieldIfDue, (key) => importKey(ctx, wallet, legacy, key, batch));
        await eachInSlices(contents.scripts(), yieldIfDue, ({ script, time }) => legacy.importScript(script, time, batch));
        planRescan(wallet, start, batch);
      });
    } finally {
      contents.wipe();
    }
    wallet.hasKeyManager = true;
    const scannedTo = await rescanFrom(wallet, since, false, scanDeps(ctx));
    if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
    if (scannedTo > since) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  });
};
