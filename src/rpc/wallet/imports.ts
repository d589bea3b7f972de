// Runs an import: reads what the requests of a call import, applies it to the wallet as one change, and scans past
// blocks for payments to it. Core: wallet/rpc/backup.cpp.

import { scriptHashScript } from '../../consensus/script/build-script.js';
import {
  type ImportItem,
  type ImportPlan,
  keyHashProgram,
  payToKeyHash,
  type ScriptImport,
  scanStart,
  type Wallet,
  type WalletError,
} from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE, type RpcError } from '../errors.js';
import type { JsonObject, JsonResult, JsonValue } from '../wire/values.js';
import { elementError, importTime, outcomeResult, scanFailure } from './import-outcome.js';
import { refuseScanOfPruned, reserveRescan, scanImported } from './rescan.js';
import { ensureUnlocked, managerOf } from './select.js';

/** Time of keys whose history is unknown. */
export const BEGINNING = 1;

/** Returns the output scripts of a key's addresses: legacy, and for compressed keys the two segwit ones. */
export function keyScripts(ctx: WalletContext, publicKey: Uint8Array): Uint8Array[] {
  const id = ctx.crypto.hash160(publicKey);
  if (publicKey.length !== 33) return [payToKeyHash(id)];
  const program = keyHashProgram(id);
  return [payToKeyHash(id), scriptHashScript(ctx.crypto.hash160(program)), program];
}

/** Returns an import that watches output scripts. */
export const watchedScripts = (targets: readonly Uint8Array[], label: string): ScriptImport => ({
  kind: 'scripts',
  targets,
  scripts: [],
  scriptTime: 0,
  secrets: [],
  origins: [],
  publicKeys: [],
  addToPool: false,
  hasSolvingData: false,
  label,
  time: BEGINNING,
  refusesOwn: false,
});

/** Overwrites the private keys of an item. */
function wipeItem(item: ImportItem): void {
  for (const { secret } of item.kind === 'key' ? [item] : item.secrets) secret.fill(0);
}

/** Applies a plan, and overwrites its private keys: a scan that follows may take hours. @returns see Wallet.import */
async function importAndWipe(
  wallet: Wallet,
  plan: ImportPlan & { readonly items: readonly ImportItem[] },
): Promise<(WalletError | null)[]> {
  try {
    return await wallet.import(plan);
  } finally {
    for (const item of plan.items) wipeItem(item);
  }
}

/** Imports items, and scans the whole chain if `rescan` is set. @param read reads the items; called after all other checks */
export async function importThenScan(ctx: WalletContext, wallet: Wallet, rescan: boolean, read: () => ImportItem[]): Promise<null> {
  if (rescan) {
    await refuseScanOfPruned(ctx);
    reserveRescan(ctx, wallet);
  }
  try {
    const scanFrom = rescan ? await scanStart(ctx.client, 0) : null;
    const items = read();
    const refused = await importAndWipe(wallet, { items, needsKeys: items.some(({ kind }) => kind === 'key'), scanFrom });
    for (const error of refused) if (error) throw error;
    if (rescan && (await scanImported(ctx, wallet, 0)) > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  } finally {
    if (rescan) managerOf(ctx).scanner.endScan(wallet);
  }
}

/** A request that was read. */
export interface ReadImport {
  /** Import that the request describes; absent if the request was rejected. */
  readonly item?: ImportItem;
  /** Why the request was rejected. */
  readonly error?: RpcError;
  readonly warnings: readonly string[];
}

/** Reads the requests of a call. It changes nothing in the wallet. */
export interface ImportReader {
  /** Words of the error for blocks that could not be scanned. */
  readonly words: { readonly what: string; readonly things: string };
  /** @param time of the request in seconds, at least 1 */
  read(request: JsonObject, time: number): ReadImport | Promise<ReadImport>;
}

/** Imports the requests of a call, each completely or not at all. @returns one result for each request */
export async function importRequests(
  ctx: WalletContext,
  wallet: Wallet,
  requests: readonly JsonValue[],
  call: CallInfo,
  reader: ImportReader,
  rescan: boolean,
): Promise<JsonResult> {
  if (rescan) reserveRescan(ctx, wallet);
  const read: ReadImport[] = [];
  try {
    ensureUnlocked(wallet);
    const tip = wallet.tip!;
    // Core imports the requests before an invalid time and then fails. Here a call that fails has imported nothing.
    const times = requests.map((request) => importTime(request, tip.medianTime));
    let since = tip.time;
    for (const time of times) since = Math.min(since, Math.max(time, 1));
    const scanFrom = rescan ? await scanStart(ctx.client, since) : null;
    for (const [i, request] of requests.entries()) read.push(await reader.read(request as JsonObject, Math.max(times[i], 1)));
    const refused = (await importAndWipe(wallet, { items: read.flatMap(({ item }) => item ?? []), needsKeys: true, scanFrom })).values();
    // Release the items before the scan, because their ranges may be large.
    const outcomes = read.splice(0).map(({ item, error = null, warnings }) => ({
      error: item ? elementError(refused.next().value) : error,
      warnings,
    }));
    const scannedTo = rescan && outcomes.some(({ error }) => error === null) ? await scanImported(ctx, wallet, since) : since;
    const stored = scannedTo > since ? await ctx.client.stored() : null;
    return outcomes.map(({ error, warnings }, i) =>
      stored === null || error !== null || times[i] >= scannedTo
        ? outcomeResult(error, warnings, call.taken?.keys)
        : outcomeResult(scanFailure(stored, reader.words, times[i], scannedTo), []),
    );
  } finally {
    for (const { item } of read) if (item) wipeItem(item);
    if (rescan) managerOf(ctx).scanner.endScan(wallet);
  }
}
