import { hashKey } from '../../../consensus/bytes/hex.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../../../consensus/script/eval-script.js';
import { sortInSlices } from '../../../lib/sort-in-slices.js';
import { follows } from '../../../policy/compat.js';
import { planRescan, scanStart } from '../../../wallet/follow/rescan.js';
import { OWNERSHIP } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { asBool, checkTypes } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { Slicer } from '../../node/slices.js';
import { hex } from '../../render/hex.js';
import { asDescriptor } from '../../wallet/import-as-descriptor.js';
import {
  type Applying,
  eachInSlices,
  elementError,
  type ImportOutcome,
  importTime,
  outcomeResult,
  scanFailure,
  yieldIfDueFor,
} from '../../wallet/import-outcome.js';
import {
  type ImportData,
  MOST_INDICES,
  readDescriptorImport,
  readImportHead,
  readScriptImport,
  wipeImport,
} from '../../wallet/import-request.js';
import { importDescriptors } from '../../wallet/importdescriptors.js';
import { importTarget } from '../../wallet/importmulti.js';
import { scanImported, withRescan } from '../../wallet/rescan.js';
import { ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';
import type { JsonObject, JsonResult, JsonValue } from '../../wire/values.js';
import type { importmulti as spec } from './importmulti.spec.js';

/** Compares scripts by length, then by bytes: the order in which Core iterates over a set of scripts. */
const compareScripts = (a: Uint8Array, b: Uint8Array): number => a.length - b.length || Buffer.compare(a, b);

async function applyImport(ctx: WalletContext, wallet: Wallet, read: AcceptedImport, time: number, apply: Applying): Promise<void> {
  const { data, internal, label, addToPool } = read;
  const { batch, yieldIfDue } = apply;
  const legacy = legacyOf(wallet);
  // Check the sizes of all scripts first. Core stores some of the scripts before it fails, adit stores none.
  if (read.scripts.some((script) => script.length > MAX_SCRIPT_ELEMENT_SIZE)) fail(RPC_CODE.WALLET_ERROR, 'Error adding script to wallet');
  await eachInSlices(read.scripts, yieldIfDue, (script) => legacy.importScript(script, time, batch));
  await eachInSlices(data.secrets.values(), yieldIfDue, ({ publicKey, secret }) => legacy.importSecret(secret, publicKey, time, batch));
  await eachInSlices(data.origins, yieldIfDue, ({ publicKey, origin }) => legacy.importOrigin(publicKey, origin, batch));
  await eachInSlices(data.ordered.entries(), yieldIfDue, ([at, key]) => {
    if (!data.publicKeys.has(hashKey(ctx.crypto.hash160(key)))) return;
    legacy.importPublicKey(key, time, { add: addToPool, internal: internal || at >= data.changeFrom }, batch);
  });
  const how = { hasSolvingData: data.hasSolvingData, label: internal ? null : label, time };
  await eachInSlices(read.targets, yieldIfDue, (script) => importTarget(ctx, wallet, script, how, batch));
}

/** A valid request. */
interface AcceptedImport {
  readonly data: ImportData;
  /** Output scripts, in Core's order; `scripts` are the redeem and witness scripts. */
  readonly targets: readonly Uint8Array[];
  readonly scripts: readonly Uint8Array[];
  readonly internal: boolean;
  readonly label: string;
  readonly addToPool: boolean;
}

/** A parsed request, or why it was rejected. */
type ReadImport = AcceptedImport | ImportOutcome;

/** Parses a request and validates it, as far as this does not depend on the content of the wallet. */
async function readRequest(
  ctx: WalletContext,
  wallet: Wallet,
  request: JsonObject,
  call: CallInfo,
  { slicer, left }: { readonly slicer: Slicer; readonly left: { indices: number } },
): Promise<ReadImport> {
  const yieldIfDue = yieldIfDueFor(wallet, slicer);
  let data: ImportData | undefined;
  try {
    const { internal, label, addToPool, hasScript } = readImportHead(wallet, request);
    data = await (hasScript ? readScriptImport(ctx, request, call) : readDescriptorImport(ctx, request, call, yieldIfDue, left));
    if (wallet.privateKeysDisabled && data.secrets.size > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
    }
    const targets = await sortInSlices(data.targets, compareScripts, slicer);
    const scripts = await sortInSlices([...data.scripts.values()], compareScripts, slicer);
    return { data, targets, scripts, internal, label, addToPool };
  } catch (error) {
    if (data) wipeImport(data);
    return { success: false, error: elementError(error), warnings: data?.warnings ?? [] };
  }
}

/** Imports a request into the wallet, completely or not at all. The caller holds the wallet exclusively. */
async function processImport(ctx: WalletContext, wallet: Wallet, read: ReadImport, time: number, apply: Applying): Promise<ImportOutcome> {
  if ('success' in read) return read;
  const { data } = read;
  try {
    await eachInSlices(read.targets, apply.yieldIfDue, (script) => {
      if (wallet.isMine(script) !== OWNERSHIP.SPENDABLE) return;
      fail(RPC_CODE.WALLET_ERROR, `The wallet already contains the private key for this address or script ("${hex(script)}")`);
    });
    await applyImport(ctx, wallet, read, time, apply);
    return { success: true, warnings: data.warnings };
  } catch (error) {
    return { success: false, error: elementError(error), warnings: data.warnings };
  } finally {
    wipeImport(data);
  }
}

export const importmulti: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['array', 'object']);
  const legacy = wallet.legacy !== null;
  // Some clients know no other import method, so descriptor wallets accept importmulti too.
  if (!legacy && !follows(ctx.compat, 30)) legacyOf(wallet);
  const { requests, options } = params;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  if (!legacy) {
    return importDescriptors(ctx, wallet, requests, call, { rescan, read: (request) => asDescriptor(ctx, wallet, request, call) });
  }
  return rescan
    ? withRescan(ctx, wallet, () => importAll(ctx, wallet, requests, call, true))
    : importAll(ctx, wallet, requests, call, false);
};

async function importAll(
  ctx: WalletContext,
  wallet: Wallet,
  requests: readonly JsonValue[],
  call: CallInfo,
  rescan: boolean,
): Promise<JsonResult> {
  ensureUnlocked(wallet);
  const tip = wallet.tip!;
  const now = tip.medianTime;
  const times = requests.map((request) => importTime(request, now));
  let lowest = tip.time;
  for (const time of times) lowest = Math.min(lowest, Math.max(time, 1));
  const start = rescan ? await scanStart(ctx.client, lowest) : null;
  const slicer = new Slicer(call.yieldToUrgent);
  const yieldIfDue = yieldIfDueFor(wallet, slicer);
  const read: ReadImport[] = [];
  const left = { indices: MOST_INDICES };
  let outcomes: ImportOutcome[];
  try {
    for (const request of requests) {
      read.push(await readRequest(ctx, wallet, request as JsonObject, call, { slicer, left }));
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    outcomes = await wallet.changeKeysExclusively(async (batch) => {
      ensureUnlocked(wallet);
      const all: ImportOutcome[] = [];
      for (const [i, one] of read.entries()) {
        all.push(await processImport(ctx, wallet, one, Math.max(times[i], 1), { batch, yieldIfDue }));
        // Release the memory of an applied request, whose range may be large.
        read[i] = all[i];
        const pause = yieldIfDue();
        if (pause) await pause;
      }
      if (rescan && all.some(({ success }) => success)) planRescan(wallet, start, batch);
      return all;
    });
  } finally {
    for (const one of read) if ('data' in one) wipeImport(one.data);
  }
  wallet.hasKeyManager = true;
  if (outcomes.some(({ success }) => success)) {
    if (rescan) {
      const scannedTo = await scanImported(ctx, wallet, lowest);
      if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
      if (scannedTo > lowest) {
        const stored = await ctx.client.stored();
        return outcomes.map((outcome, i) =>
          outcomeResult(
            outcome.error || times[i] >= scannedTo
              ? outcome
              : { success: false, error: scanFailure(stored, 'key with creation', 'key', times[i], scannedTo), warnings: [] },
          ),
        );
      }
    }
  }
  return outcomes.map((outcome) => outcomeResult(outcome, call.taken?.keys));
}
