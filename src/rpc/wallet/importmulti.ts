// importmulti: many addresses, scripts, keys and descriptors at once, each for itself, then one scan. Core 0.21's order of checks, writes
// and warnings.

import { planRescan, rescanFrom } from '../../wallet/follow/rescan.js';
import { destinationOf } from '../../wallet/keys/destination.js';
import type { LegacyKeys } from '../../wallet/keys/legacy-keys.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asInt64, asString, checkTypes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { Slicer } from '../node/slices.js';
import { hex } from '../render/hex.js';
import { JsonNumber, JsonObject, type JsonResult, type JsonValue, typeName } from '../wire/values.js';
import { type Breath, type ImportData, readDescriptorImport, readScriptImport, wipeImport } from './import-request.js';
import { scanDeps, withRescan } from './rescan.js';
import { ensureUnlocked, legacyOf, walletOf } from './select.js';

const MAX_SCRIPT = 520;

/** The time of a request, "now" resolved. */
export function importTime(request: JsonValue, now: number): number {
  const value = request instanceof JsonObject && request.has('timestamp') ? (request.get('timestamp') ?? null) : undefined;
  if (value === undefined) return fail(RPC_CODE.TYPE_ERROR, 'Missing required timestamp field for key');
  if (value instanceof JsonNumber) return Number(asInt64(value));
  if (value === 'now') return now;
  return fail(RPC_CODE.TYPE_ERROR, `Expected number or "now" timestamp value for key. got type ${typeName(value)}`);
}

/** What one element of the result says. */
export interface ImportOutcome {
  readonly success: boolean;
  readonly error?: RpcError;
  readonly warnings: readonly string[];
}

/** An exception inside an element as the element's error; faults of the node go on. */
export function elementError(error: unknown): RpcError {
  if (!(error instanceof RpcError)) throw error;
  return error.code === RPC_CODE.MISC_ERROR ? new RpcError(RPC_CODE.MISC_ERROR, 'Missing required fields') : error;
}

export function outcomeResult({ success, error, warnings }: ImportOutcome): JsonResult {
  return {
    success,
    ...(error ? { error: { code: error.code, message: error.message } } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Scripts by length, then bytes: the order in which Core visits a set of them. */
const compareScripts = (a: Uint8Array, b: Uint8Array): number => a.length - b.length || Buffer.compare(a, b);

/** Marks output scripts as ours to watch where they are not ours already, and labels them. */
export function importTargets(
  ctx: NodeContext,
  wallet: Wallet,
  targets: readonly Uint8Array[],
  how: { hasSolvingData: boolean; label: string | null; time: number },
  batch: WalletBatch,
): void {
  const legacy = legacyOf(wallet);
  for (const script of targets) {
    if (!how.hasSolvingData || wallet.isMine(script) === OWNERSHIP.NO) legacy.watch(script, how.time, batch);
  }
  if (how.label === null) return;
  for (const script of targets) {
    const destination = destinationOf(script, ctx.crypto);
    if (destination) wallet.book.set(destination, how.label, 'receive', batch);
  }
}

function applyImport(
  ctx: NodeContext,
  wallet: Wallet,
  legacy: LegacyKeys,
  data: ImportData,
  how: { internal: boolean; label: string; addToPool: boolean; time: number },
  batch: WalletBatch,
): void {
  const scripts = [...data.scripts.values()].sort(compareScripts);
  // Core stores what fits before it fails; here nothing is stored.
  if (scripts.some((script) => script.length > MAX_SCRIPT)) fail(RPC_CODE.WALLET_ERROR, 'Error adding script to wallet');
  for (const script of scripts) legacy.importScript(script, how.time, batch);
  for (const { publicKey, secret } of data.secrets.values()) legacy.importSecret(secret, publicKey, how.time, batch);
  for (const { publicKey, origin } of data.origins) legacy.importOrigin(publicKey, origin, batch);
  for (const key of data.ordered) {
    if (!data.publicKeys.has(Buffer.from(ctx.crypto.hash160(key)).toString('latin1'))) continue;
    legacy.importPublicKey(key, how.time, { add: how.addToPool, internal: how.internal }, batch);
  }
  importTargets(
    ctx,
    wallet,
    data.targets,
    { hasSolvingData: data.hasSolvingData, label: how.internal ? null : how.label, time: how.time },
    batch,
  );
}

/** A request as it was read: what it asks for, or why it cannot be. */
type ReadImport =
  | { readonly data: ImportData; readonly internal: boolean; readonly label: string; readonly addToPool: boolean }
  | ImportOutcome;

/** Reads a request and judges it, as far as that does not depend on what the wallet holds. */
async function readRequest(ctx: NodeContext, wallet: Wallet, request: JsonObject, call: CallInfo, breath: Breath): Promise<ReadImport> {
  let data: ImportData | undefined;
  try {
    const internal = request.has('internal') ? asBool(request.get('internal')) : false;
    if (internal && request.has('label')) fail(RPC_CODE.INVALID_PARAMETER, 'Internal addresses should not have a label');
    const label = request.has('label') ? asString(request.get('label')) : '';
    const addToPool = request.has('keypool') ? asBool(request.get('keypool')) : false;
    if (addToPool && !wallet.privateKeysDisabled) {
      fail(RPC_CODE.INVALID_PARAMETER, 'Keys can only be imported to the keypool when private keys are disabled');
    }
    const hasScript = request.has('scriptPubKey');
    const hasDescriptor = request.has('desc');
    if (hasScript && hasDescriptor) fail(RPC_CODE.INVALID_PARAMETER, 'Both a descriptor and a scriptPubKey should not be provided.');
    if (!hasScript && !hasDescriptor) fail(RPC_CODE.INVALID_PARAMETER, 'Either a descriptor or scriptPubKey must be provided.');
    data = await (hasScript ? readScriptImport(ctx, request, call) : readDescriptorImport(ctx, request, call, breath));
    if (wallet.privateKeysDisabled && data.secrets.size > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
    }
    return { data, internal, label, addToPool };
  } catch (error) {
    if (data) wipeImport(data);
    return { success: false, error: elementError(error), warnings: data?.warnings ?? [] };
  }
}

/** Puts what a request asks for into the wallet, all or nothing. */
function processImport(ctx: NodeContext, wallet: Wallet, read: ReadImport, time: number, batch: WalletBatch): ImportOutcome {
  if ('success' in read) return read;
  const { data } = read;
  try {
    data.targets.sort(compareScripts);
    for (const script of data.targets) {
      if (wallet.isMine(script) !== OWNERSHIP.SPENDABLE) continue;
      fail(RPC_CODE.WALLET_ERROR, `The wallet already contains the private key for this address or script ("${hex(script)}")`);
    }
    const { internal, label, addToPool } = read;
    applyImport(ctx, wallet, legacyOf(wallet), data, { internal, label, addToPool, time }, batch);
    return { success: true, warnings: data.warnings };
  } catch (error) {
    return { success: false, error: elementError(error), warnings: data.warnings };
  } finally {
    wipeImport(data);
  }
}

/** Message for elements whose past could not be read. */
export function scanFailure(what: string, things: string, time: number, scannedTo: number): RpcError {
  return new RpcError(
    RPC_CODE.MISC_ERROR,
    `Rescan failed for ${what} timestamp ${time}. There was an error reading a block from time ${scannedTo - 7201}, which is after or within 7200 seconds of key creation, and could contain transactions pertaining to the ${things}. As a result, transactions and coins using this ${things} may not appear in the wallet. This error could be caused by pruning or data corruption (see bitcoind log for details) and could be dealt with by downloading and rescanning the relevant blocks (see -reindex and -rescan options).`,
  );
}

/** Gives other work its turns while requests are read. What changed the wallet meanwhile is seen to again when they are applied. */
export function breathOf(wallet: Wallet, call: CallInfo): Breath {
  const slicer = new Slicer(call.breathe);
  const pause = async (): Promise<void> => {
    await slicer.pause();
    wallet.assertOpen();
  };
  return () => (slicer.due ? pause() : undefined);
}

export const importmulti: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(args, ['array', 'object']);
  legacyOf(wallet);
  const requests = args[0] as JsonValue[];
  const options = args[1] as JsonObject | undefined;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  return rescan
    ? withRescan(ctx, wallet, () => importAll(ctx, wallet, requests, call, true))
    : importAll(ctx, wallet, requests, call, false);
};

async function importAll(
  ctx: NodeContext,
  wallet: Wallet,
  requests: readonly JsonValue[],
  call: CallInfo,
  rescan: boolean,
): Promise<JsonResult> {
  ensureUnlocked(wallet);
  const tip = wallet.tip!;
  const now = tip.medianTimePast();
  const times = requests.map((request) => importTime(request, now));
  let lowest = tip.time;
  for (const time of times) lowest = Math.min(lowest, Math.max(time, 1));
  const breath = breathOf(wallet, call);
  const read: ReadImport[] = [];
  let outcomes: ImportOutcome[];
  try {
    for (const request of requests) {
      read.push(await readRequest(ctx, wallet, request as JsonObject, call, breath));
      const pause = breath();
      if (pause) await pause;
    }
    outcomes = await wallet.changeKeys((batch) => {
      ensureUnlocked(wallet);
      const all = read.map((one, i) => {
        const outcome = processImport(ctx, wallet, one, Math.max(times[i], 1), batch);
        // What was applied is let go of: a range may be large.
        read[i] = outcome;
        return outcome;
      });
      if (rescan && all.some(({ success }) => success)) planRescan(wallet, lowest, scanDeps(ctx, wallet).chain, batch);
      return all;
    });
  } finally {
    for (const one of read) if ('data' in one) wipeImport(one.data);
  }
  wallet.hasKeyManager = true;
  if (outcomes.some(({ success }) => success)) {
    if (rescan) {
      const scannedTo = await rescanFrom(wallet, lowest, true, scanDeps(ctx, wallet));
      if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
      if (scannedTo > lowest) {
        return outcomes.map((outcome, i) =>
          outcomeResult(
            outcome.error || times[i] >= scannedTo
              ? outcome
              : { success: false, error: scanFailure('key with creation', 'key', times[i], scannedTo), warnings: [] },
          ),
        );
      }
    }
  }
  return outcomes.map(outcomeResult);
}
