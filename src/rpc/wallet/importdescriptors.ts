// Imports descriptors into a descriptor wallet, with Core 0.21's checks.
import { DescriptorCache } from '../../address/descriptor/cache.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import type { ParsedDescriptor } from '../../address/descriptor/parse.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { runStepsInSlices } from '../../lib/steps.js';
import { follows } from '../../policy/compat.js';
import { planRescan, scanStart } from '../../wallet/follow/rescan.js';
import type { PrecomputedScripts } from '../../wallet/keys/descriptor-keys.js';
import type { TrackedDescriptor } from '../../wallet/keys/descriptor-table.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asInt64, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { Slicer } from '../node/slices.js';
import { asRange } from '../range.js';
import type { JsonObject, JsonResult, JsonValue } from '../wire/values.js';
import {
  type Applying,
  elementError,
  type ImportOutcome,
  importTime,
  outcomeResult,
  scanFailure,
  yieldIfDueFor,
} from './import-outcome.js';
import type { YieldIfDue } from './import-request.js';
import { addressedBy } from './payees.js';
import { scanImported, withRescan } from './rescan.js';
import { ensureUnlocked } from './select.js';

/** A request that passed all checks. */
interface Accepted {
  readonly parsed: ParsedDescriptor;
  readonly active: boolean;
  readonly internal: boolean;
  readonly label: string;
  /** See ReadRequest. */
  readonly labelsRange: boolean;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  readonly nextIndex: number;
}

/** Returns whether a path of a multipath descriptor is for change: the second of two. */
const isChange = ({ parsed, internal }: Accepted, at: number): boolean => (parsed.descriptors.length === 2 ? at === 1 : internal);

/** Returns whether the text contains the private key of every key of the descriptor, at index 0. */
export function hasAllSecrets(ctx: WalletContext, descriptor: Descriptor, { secrets }: ParsedDescriptor): boolean {
  const expansion = descriptor.expand(0, { secrets });
  if (expansion === null) {
    return fail(RPC_CODE.WALLET_ERROR, 'Cannot expand descriptor. Probably because of hardened derivations without private keys provided');
  }
  const pairs = descriptor.secretsAt(0, secrets);
  const held = pairs.map(({ publicKey }) => ctx.crypto.hash160(publicKey));
  for (const { secret } of pairs) secret.fill(0);
  return held.length > 0 && expansion.keys.every(({ publicKey }) => held.some((id) => equalBytes(id, ctx.crypto.hash160(publicKey))));
}

function readRequest(ctx: WalletContext, wallet: Wallet, read: ReadRequest, warnings: string[]): Accepted {
  const { request, parsed, labelsRange = false } = read;
  const bad = (message: string): never => fail(RPC_CODE.INVALID_PARAMETER, message);
  const refuse = (message: string): never => fail(RPC_CODE.WALLET_ERROR, message);
  const bool = (name: string): boolean => (request.has(name) ? asBool(request.get(name)) : false);
  const active = bool('active');
  const internal = bool('internal');
  const label = request.has('label') ? asString(request.get('label')) : '';
  const { descriptors } = parsed;
  const [descriptor] = descriptors;
  const isMultipath = descriptors.length > 1;
  if (isMultipath && request.has('internal')) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, "Cannot have multipath descriptor while also specifying 'internal'");
  }
  let rangeStart = 0;
  let rangeEnd = 1;
  let nextIndex = 0;
  if (!descriptor.isRange && request.has('range')) bad('Range should not be specified for an un-ranged descriptor');
  if (descriptor.isRange) {
    if (request.has('range')) {
      const { begin, end } = asRange(request.get('range'));
      rangeStart = begin;
      rangeEnd = end + 1;
    } else {
      warnings.push('Range not given, using default keypool range');
      rangeEnd = wallet.parts.options.keypool;
    }
    nextIndex = rangeStart;
    if (request.has('next_index')) {
      const asked = asInt64(request.get('next_index'));
      if (asked < BigInt(rangeStart) || asked >= BigInt(rangeEnd)) bad('next_index is out of range');
      nextIndex = Number(asked);
    }
  }
  if (active && !descriptor.isRange) bad('Active descriptors must be ranged');
  if (isMultipath && request.has('label')) bad('Multipath descriptors should not have a label');
  if (!labelsRange && (follows(ctx.compat, 28) ? descriptor.isRange : request.has('range')) && request.has('label'))
    bad('Ranged descriptors should not have a label');
  if (internal && request.has('label')) bad('Internal addresses should not have a label');
  if (active && !descriptor.isSingleType) refuse('Combo descriptors cannot be set to active');
  if (wallet.privateKeysDisabled && parsed.secrets.size > 0) {
    refuse('Cannot import private keys to a wallet with private keys disabled');
  }
  for (const path of descriptors) {
    const complete = hasAllSecrets(ctx, path, parsed);
    if (!wallet.privateKeysDisabled) {
      if (parsed.secrets.size === 0) {
        refuse('Cannot import descriptor without private keys to a wallet with private keys enabled');
      }
      if (!complete) warnings.push('Not all private keys provided. Some wallet functionality may return unexpected errors');
    }
    const existing = wallet.descriptors!.find(wallet.descriptors!.idOf(path));
    if (existing?.isRange) ensureWider(ctx, existing, { rangeStart, rangeEnd });
  }
  if (!descriptor.hasScripts) {
    if (wallet.privateKeysDisabled) refuse('Cannot import unused() to wallet without private keys enabled');
    for (const { publicKey } of parsed.secrets.pairs()) {
      if (wallet.descriptors!.holdsSecretOf(publicKey))
        refuse('Cannot import an unused() descriptor when its private key is already in the wallet');
    }
  }
  return { parsed, active, internal, label, labelsRange: labelsRange && request.has('label'), rangeStart, rangeEnd, nextIndex };
}

/**
 * Throws unless an existing descriptor may be imported again: the new range must include the old one. Up to release 21
 * the end may be lower.
 */
function ensureWider(
  ctx: WalletContext,
  { rangeStart: from, rangeEnd: to, text }: TrackedDescriptor,
  { rangeStart, rangeEnd }: Pick<Accepted, 'rangeStart' | 'rangeEnd'>,
): void {
  if (follows(ctx.compat, 22)) {
    if (rangeStart <= from && rangeEnd >= to) return;
    // `text` is the wallet's descriptor. Core repeats the text of the request, which may contain private keys.
    fail(RPC_CODE.WALLET_ERROR, `Could not add descriptor '${text}': new range must include current range = [${from},${to - 1}]`);
  }
  if (rangeStart > from) fail(RPC_CODE.INVALID_PARAMS, `range_start can only decrease; current range = [${from},${to}]`);
}

async function applyRequest(
  ctx: WalletContext,
  wallet: Wallet,
  accepted: Accepted,
  how: { time: number; precomputed: readonly PrecomputedScripts[] },
  warnings: string[],
  apply: Applying,
): Promise<void> {
  for (const [at, descriptor] of accepted.parsed.descriptors.entries()) {
    await applyPath(
      ctx,
      wallet,
      accepted,
      { descriptor, isInternal: isChange(accepted, at), time: how.time, precomputed: how.precomputed[at] },
      warnings,
      apply,
    );
  }
}

function failToAdd(descriptor: Descriptor): never {
  return fail(RPC_CODE.WALLET_ERROR, `Could not add descriptor '${descriptor.toString()}'`);
}

/** Imports one descriptor of a request. */
async function applyPath(
  ctx: WalletContext,
  wallet: Wallet,
  { parsed, active, label, labelsRange, rangeStart, rangeEnd, nextIndex }: Accepted,
  {
    descriptor,
    isInternal,
    time,
    precomputed,
  }: { descriptor: Descriptor; isInternal: boolean; time: number; precomputed: PrecomputedScripts | undefined },
  warnings: string[],
  { batch, yieldIfDue }: Applying,
): Promise<void> {
  const keys = wallet.descriptors!;
  const steps = keys.addDescriptorInSteps(
    { descriptor, secrets: parsed.secrets.pairs(), rangeStart, rangeEnd, nextIndex, time, precomputed },
    batch,
  );
  const tracked = (await runStepsInSlices(steps, yieldIfDue)) ?? failToAdd(descriptor);
  if (!descriptor.isRange && !isInternal) {
    // If there are several scripts, 0.21 labels the shortest, the first of Core's ordered set. Later releases label all
    // that have addresses.
    const scripts = descriptor.scripts(0, { cache: tracked.cache, secrets: tracked }) ?? [];
    const all = follows(ctx.compat, 22) ? scripts : [...scripts].sort((a, b) => a.length - b.length || Buffer.compare(a, b)).slice(0, 1);
    for (const script of all) {
      const destination = addressedBy(script, ctx);
      if (destination) wallet.book.set(destination, label, 'receive', batch);
    }
  }
  for (let index = rangeStart; labelsRange && descriptor.isRange && !isInternal && index < rangeEnd; index++) {
    for (const script of descriptor.scripts(index, { cache: tracked.cache, secrets: tracked }) ?? []) {
      const destination = addressedBy(script, ctx);
      if (destination) wallet.book.set(destination, label, 'receive', batch);
    }
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  if (!active) {
    keys.deactivate(tracked, batch);
    return;
  }
  if (descriptor.outputType === null) warnings.push('Unknown output type, cannot set descriptor to active.');
  else keys.setActive(tracked, isInternal, batch);
}

/** A parsed request: its descriptors, and the scripts that they will need. */
export interface ReadRequest {
  readonly request: JsonObject;
  readonly parsed: ParsedDescriptor;
  readonly precomputed: PrecomputedScripts[];
  unmade?: Descriptor;
  tooMany?: true;
  /** Warnings from parsing. */
  readonly warnings?: readonly string[];
  /** True if the label applies to each address of a range, as in importmulti. Otherwise a range may not have a label. */
  readonly labelsRange?: true;
}

/** Parsed request, or the error that prevents its import. */
export type ReadDescriptor = ReadRequest | ImportOutcome;

/**
 * Most scripts per call: all of them are in memory until they are written. Core limits only the length of each range,
 * and derives for hours if a range starts far from 0.
 */
const MOST_SCRIPTS = 2_000_000;

const TOO_MANY = `One call brings ${MOST_SCRIPTS} scripts at most, counted from index 0 of a descriptor or from the last that the wallet has`;

/**
 * Computes the scripts that a request will need, in slices. Computes none for a descriptor without a range, or if the
 * request would currently be refused.
 * @param left scripts that the call may still compute
 */
async function precomputeScripts(
  ctx: WalletContext,
  wallet: Wallet,
  read: ReadRequest,
  left: { count: number },
  yieldIfDue: YieldIfDue,
): Promise<void> {
  const { parsed, precomputed } = read;
  if (!parsed.descriptors[0].isRange) return;
  let accepted: Accepted;
  try {
    accepted = readRequest(ctx, wallet, read, []);
  } catch (error) {
    // Ignore errors of the request here: processRequest repeats the checks and reports the error.
    elementError(error);
    return;
  }
  for (const descriptor of parsed.descriptors) {
    const { first, end } = wallet.descriptors!.missingIndices({ ...accepted, descriptor });
    const cache = new DescriptorCache();
    const scripts: Uint8Array[][] = [];
    if (end - first > left.count) {
      read.tooMany = true;
      return;
    }
    left.count -= Math.max(end - first, 0);
    for (let index = first; index < end; index++) {
      const made = descriptor.scripts(index, { cache, secrets: parsed.secrets });
      if (made === null) {
        read.unmade = descriptor;
        return;
      }
      scripts.push(made);
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    precomputed.push({ first, scripts, cache });
  }
}

/** Parses one request. */
export type Reader = (request: JsonObject) => ReadDescriptor | Promise<ReadDescriptor>;

/** Parses requests in slices and calls `apply`. Overwrites their private keys afterwards in any case. */
async function withRead(
  ctx: WalletContext,
  wallet: Wallet,
  requests: readonly JsonValue[],
  call: CallInfo,
  readOne: Reader,
  apply: (read: ReadDescriptor[], yieldIfDue: YieldIfDue) => Promise<ImportOutcome[]>,
): Promise<ImportOutcome[]> {
  const yieldIfDue = yieldIfDueFor(wallet, new Slicer(call.yieldToUrgent));
  const read: ReadDescriptor[] = [];
  const left = { count: MOST_SCRIPTS };
  try {
    for (const request of requests as JsonObject[]) {
      const one = await readOne(request);
      read.push(one);
      if ('success' in one) continue;
      await precomputeScripts(ctx, wallet, one, left, yieldIfDue);
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    return await apply(read, yieldIfDue);
  } finally {
    for (const one of read) if ('parsed' in one) one.parsed.secrets.wipe();
  }
}

async function processRequest(
  ctx: WalletContext,
  wallet: Wallet,
  read: ReadDescriptor,
  time: number,
  apply: Applying,
): Promise<ImportOutcome> {
  if ('success' in read) return read;
  const { precomputed } = read;
  const warnings = [...(read.warnings ?? [])];
  try {
    const accepted = readRequest(ctx, wallet, read, warnings);
    // Check before changing anything, so that a descriptor without all its scripts is not imported partly.
    if (read.unmade) failToAdd(read.unmade);
    if (read.tooMany) fail(RPC_CODE.INVALID_PARAMETER, TOO_MANY);
    await applyRequest(ctx, wallet, accepted, { time, precomputed }, warnings, apply);
    return { success: true, warnings };
  } catch (error) {
    return { success: false, error: elementError(error), warnings };
  }
}

/** Imports requests into a descriptor wallet. @param how rescan: whether to scan past blocks; read: parses a request */
export async function importDescriptors(
  ctx: WalletContext,
  wallet: Wallet,
  requests: readonly JsonValue[],
  call: CallInfo,
  { rescan, read: readOne }: { readonly rescan: boolean; readonly read: Reader },
): Promise<JsonResult> {
  const importAll = async (): Promise<JsonResult> => {
    ensureUnlocked(wallet);
    const tip = wallet.tip!;
    const now = tip.medianTime;
    // Core imports the requests before an invalid time and then fails. Here a call that fails has imported nothing.
    const times = requests.map((request) => importTime(request, now));
    let lowest = tip.time;
    for (const time of times) lowest = Math.min(lowest, Math.max(time, 1));
    const start = rescan ? await scanStart(ctx.client, lowest) : null;
    const outcomes = await withRead(ctx, wallet, requests, call, readOne, (read, yieldIfDue) =>
      wallet.changeKeysExclusively(async (batch) => {
        ensureUnlocked(wallet);
        const all: ImportOutcome[] = [];
        for (const [i, one] of read.entries()) {
          all.push(await processRequest(ctx, wallet, one, Math.max(times[i], 1), { batch, yieldIfDue }));
          // Release applied requests, because there may be many.
          if ('parsed' in one) one.parsed.secrets.wipe();
          read[i] = all[i];
          const pause = yieldIfDue();
          if (pause) await pause;
        }
        if (rescan && all.some(({ success }) => success)) planRescan(wallet, start, batch);
        return all;
      }),
    );
    if (!rescan || !outcomes.some(({ success }) => success)) return outcomes.map((outcome) => outcomeResult(outcome));
    const scannedTo = await scanImported(ctx, wallet, lowest);
    if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
    const stored = await ctx.client.stored();
    return outcomes.map((outcome, i) =>
      outcomeResult(
        scannedTo <= lowest || outcome.error || times[i] >= scannedTo
          ? outcome
          : { success: false, error: scanFailure(stored, 'descriptor with', 'desc', times[i], scannedTo), warnings: [] },
      ),
    );
  };
  return rescan ? withRescan(ctx, wallet, importAll) : importAll();
}
