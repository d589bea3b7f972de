// Reads the requests of importdescriptors, with Core 0.21's checks. Requests of importmulti for descriptor wallets are
// read in the same way (import-as-descriptor.ts).

import { DescriptorCache } from '../../address/descriptor/cache.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { type ParsedDescriptor, parseDescriptor } from '../../address/descriptor/parse.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { follows } from '../../policy/compat.js';
import { checkDescriptorImport, type DescriptorImport, type PrecomputedScripts, type Wallet, WalletError } from '../../wallet/index.js';
import { asBool, asInt64, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE, TypeFault } from '../errors.js';
import { asRange } from '../range.js';
import type { JsonObject } from '../wire/values.js';
import { elementError } from './import-outcome.js';
import type { ImportReader, ReadImport } from './imports.js';
import { labelOf } from './select.js';

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

export interface ParsedRequest {
  readonly request: JsonObject;
  readonly parsed: ParsedDescriptor;
  /** Warnings from parsing. */
  readonly warnings?: readonly string[];
  /** True if the label applies to each address of a range, as in importmulti. Otherwise a range may not have a label. */
  readonly labelsRange?: true;
}

/**
 * Maximum number of scripts per call: all of them are in memory until they are written. Core limits only the length of
 * each range, and derives for hours if a range starts far from 0.
 */
const MOST_SCRIPTS = 2_000_000;

const TOO_MANY = `One call brings ${MOST_SCRIPTS} scripts at most, counted from index 0 of a descriptor or from the last that the wallet has`;

/** Checks a request, as far as this does not depend on the descriptors of the wallet. @param warnings receives warnings */
function checkRequest(ctx: WalletContext, wallet: Wallet, read: ParsedRequest, time: number, warnings: string[]): DescriptorImport {
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
  if (wallet.record.privateKeysDisabled && parsed.secrets.size > 0) {
    refuse('Cannot import private keys to a wallet with private keys disabled');
  }
  for (const path of descriptors) {
    const complete = hasAllSecrets(ctx, path, parsed);
    if (wallet.record.privateKeysDisabled) continue;
    if (parsed.secrets.size === 0) refuse('Cannot import descriptor without private keys to a wallet with private keys enabled');
    if (!complete) warnings.push('Not all private keys provided. Some wallet functionality may return unexpected errors');
  }
  if (!descriptor.hasScripts && wallet.record.privateKeysDisabled) refuse('Cannot import unused() to wallet without private keys enabled');
  return {
    kind: 'descriptor',
    // The second of two paths is for change.
    paths: descriptors.map((path, at) => ({ descriptor: path, internal: descriptors.length === 2 ? at === 1 : internal })),
    secrets: [...parsed.secrets.pairs()],
    active,
    rangeStart,
    rangeEnd,
    nextIndex,
    time,
    label,
    labelsRange: labelsRange && request.has('label'),
    compat: ctx.compat,
  };
}

/** Reads descriptors for a descriptor wallet. Scripts are derived in slices, before anything is imported. */
export abstract class DescriptorReader implements ImportReader {
  readonly words = { what: 'descriptor with', things: 'desc' };
  protected readonly ctx: WalletContext;
  protected readonly wallet: Wallet;
  protected readonly call: CallInfo;
  readonly #slice = new TimeSlice();
  #scriptsLeft = MOST_SCRIPTS;

  constructor(ctx: WalletContext, wallet: Wallet, call: CallInfo) {
    this.ctx = ctx;
    this.wallet = wallet;
    this.call = call;
  }

  /** Parses a request. @throws RpcError */
  protected abstract parse(request: JsonObject): ParsedRequest;
  /** Returns whether an error of parse() ends the whole call. */
  protected isFatal(_error: unknown): boolean {
    return false;
  }

  async read(request: JsonObject, time: number): Promise<ReadImport> {
    let parsed: ParsedRequest | undefined;
    const warnings: string[] = [];
    try {
      parsed = this.parse(request);
      for (const warning of parsed.warnings ?? []) warnings.push(warning);
      const item = checkRequest(this.ctx, this.wallet, parsed, time, warnings);
      // A request that would be refused now needs no scripts. The change checks it again, after the requests before it.
      if (!this.#fits(item)) return { item, warnings };
      const paths = [];
      for (const path of item.paths) paths.push({ ...path, ...(await this.#precompute(item, path.descriptor, parsed.parsed)) });
      for (const { descriptor } of item.active ? paths : []) {
        if (descriptor.outputType === null) warnings.push('Unknown output type, cannot set descriptor to active.');
      }
      return { item: { ...item, paths }, warnings };
    } catch (error) {
      parsed?.parsed.secrets.wipe();
      if (parsed === undefined && this.isFatal(error)) throw error;
      return { error: elementError(error), warnings };
    } finally {
      if (this.#slice.over) await this.#slice.next();
    }
  }

  #fits(item: DescriptorImport): boolean {
    try {
      checkDescriptorImport(this.wallet, item);
      return true;
    } catch (error) {
      if (error instanceof WalletError) return false;
      throw error;
    }
  }

  /** Derives the scripts of a range that the wallet lacks. */
  async #precompute(
    item: DescriptorImport,
    descriptor: Descriptor,
    { secrets }: ParsedDescriptor,
  ): Promise<{ precomputed?: PrecomputedScripts }> {
    if (!descriptor.isRange) return {};
    const { first, end } = this.wallet.descriptors!.missingIndices({ ...item, descriptor });
    if (end - first > this.#scriptsLeft) fail(RPC_CODE.INVALID_PARAMETER, TOO_MANY);
    this.#scriptsLeft -= Math.max(end - first, 0);
    const cache = new DescriptorCache();
    const scripts: Uint8Array[][] = [];
    for (let index = first; index < end; index++) {
      const made = descriptor.scripts(index, { cache, secrets });
      scripts.push(made ?? fail(RPC_CODE.WALLET_ERROR, `Could not add descriptor '${descriptor.toString()}'`));
      if (this.#slice.over) await this.#slice.next();
    }
    return { precomputed: { first, scripts, cache } };
  }
}

/** Reads requests of importdescriptors. */
export class DescriptorImportReader extends DescriptorReader {
  protected override parse(request: JsonObject): ParsedRequest {
    if (!request.has('desc')) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor not found.');
    const text = asString(request.get('desc'));
    for (const name of ['active', 'internal']) if (request.has(name)) asBool(request.get(name));
    const label = request.has('label') ? asString(request.get('label')) : '';
    if (follows(this.ctx.compat, 26)) labelOf(label);
    const parsed = parseDescriptor(text, this.ctx.descriptors, { requireChecksum: true, keys: this.call.taken?.keys });
    if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
    return { request, parsed };
  }
  /** Since release 24 the whole call fails if a value has the wrong type. */
  protected override isFatal(error: unknown): boolean {
    return follows(this.ctx.compat, 24) && error instanceof TypeFault;
  }
}
