// Core 0.21: wallet/rpcdump.cpp.

import path from 'node:path';
import { type ImportItem, rescanFrom, scanStart } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { DumpContents, readDump } from '../../wallet/dump-reader.js';
import { keyScripts, watchedScripts } from '../../wallet/imports.js';
import { failIfAborted, refuseScanOfPruned, reserveRescan, scanDeps } from '../../wallet/rescan.js';
import { ensureUnlocked, legacyOf, managerOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importwallet',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports the keys and scripts of a file written by dumpwallet, then scans the blocks.',
  args: [str('filename', 'The file')],
  results: [none()],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});

/** Yields the contents of a dump as imports. Private keys are views; each is used before the next one is read. */
function* itemsOf(ctx: WalletContext, contents: DumpContents): Generator<ImportItem> {
  for (const { secret, publicKey, label, time } of contents.keys()) {
    const labelled = label === undefined ? [] : keyScripts(ctx, publicKey).slice(0, 1);
    yield { kind: 'key', secret, publicKey, time, labelled, label: label ?? '', keepsLabels: false, scripts: [] };
  }
  for (const { script, time } of contents.scripts()) yield { ...watchedScripts([], ''), scripts: [script], scriptTime: time };
}

export const importwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  legacyOf(wallet);
  await refuseScanOfPruned(ctx, 'Importing wallets is disabled when blocks are pruned');
  reserveRescan(ctx, wallet);
  const contents = new DumpContents();
  try {
    ensureUnlocked(wallet);
    const tipTime = wallet.tip!.time;
    await readDump(ctx, path.resolve(params.filename), contents);
    if (wallet.record.privateKeysDisabled && contents.keyCount > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Importing wallets is disabled when private keys are disabled');
    }
    // Core imports some of the keys and then fails. adit imports nothing if a call fails.
    if (contents.isUnusable) fail(RPC_CODE.WALLET_ERROR, 'Error adding some keys/scripts to wallet');
    const since = Math.min(tipTime, contents.earliest);
    await wallet.import({ items: itemsOf(ctx, contents), needsKeys: true, scanFrom: await scanStart(ctx.client, since) });
    contents.wipe();
    const scannedTo = await rescanFrom(wallet, since, false, scanDeps(ctx));
    failIfAborted(wallet);
    if (scannedTo > since) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  } finally {
    contents.wipe();
    managerOf(ctx).scanner.endScan(wallet);
  }
};
