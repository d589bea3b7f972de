// Checks the arguments of getblocktemplate in Core 0.21's order. The functions are pure, because fronts and the node
// thread use them. The 13 checks are made in this order: parseTemplateRequest (1 to 7, which do not depend on the state of
// the node), checkTemplateReadiness (8 to 10), parseLongPollId (11), and checkTemplateRules (12 and 13).
import { LEAST_SIGOPS, LEAST_WEIGHT, MOST_EXCLUDED, MOST_SIGOPS, MOST_WEIGHT, type TemplateLimits } from '../../policy/template-limits.js';
import { asAmount, asArray, asHashHex, asInt64, asObject, asString } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import { JsonObject, type JsonValue } from '../wire/values.js';

/** A checked request. */
export interface TemplateRequest {
  readonly mode: 'template' | 'proposal';
  /** Hex of the block, in proposal mode only. */
  readonly data: string;
  /** Rules that the client supports, with their prefixes. */
  readonly rules: readonly string[];
  /** Value of longpollid as the client sent it; null: no long poll. */
  readonly longPollId: JsonValue;
  /** True if the client accepts a template without transactions: capability "light", adit's own. */
  readonly light: boolean;
  /**
   * Limits that this client sets in addition to the operator's options, adit's own; null: it gets the shared template.
   */
  readonly limits: TemplateLimits | null;
}

/** State that a long poll waits to change. */
export interface LongPollWatch {
  /** Hash of the tip, as it is displayed. */
  readonly tipHex: string;
  /** Core's transactions-updated counter, 32 bits unsigned. */
  readonly counter: number;
}

/** State of the node that decides whether it gives out templates. */
export interface TemplateReadiness {
  /**
   * True if the chain is a test chain. Those answer without peers and during the initial block download, as in Core
   * since 22.
   */
  readonly isTestChain: boolean;
  readonly hasNetwork: boolean;
  readonly connections: number;
  readonly initialBlockDownload: boolean;
}

/** Checks 1 to 7: object, mode, proposal data, rules. @throws RpcError */
export function parseTemplateRequest(args: readonly JsonValue[]): TemplateRequest {
  const given = args[0] ?? null;
  let mode = 'template';
  let longPollId: JsonValue = null;
  const rules: string[] = [];
  let light = false;
  let limits: TemplateLimits | null = null;
  if (given !== null) {
    const request = asObject(given);
    const wanted = request.get('mode') ?? null;
    if (typeof wanted === 'string') mode = wanted;
    else if (wanted !== null) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid mode');
    longPollId = request.get('longpollid') ?? null;
    if (mode === 'proposal') {
      const data = request.get('data');
      if (typeof data !== 'string') return fail(RPC_CODE.TYPE_ERROR, 'Missing data String key for proposal');
      return { mode: 'proposal', data, rules, longPollId, light: false, limits: null };
    }
    const capabilities = request.get('capabilities');
    light = Array.isArray(capabilities) && capabilities.includes('light');
    const listed = request.get('rules');
    if (Array.isArray(listed)) for (const rule of listed) rules.push(asString(rule));
    limits = parseLimits(request);
  }
  if (mode !== 'template') fail(RPC_CODE.INVALID_PARAMETER, 'Invalid mode');
  return { mode: 'template', data: '', rules, longPollId, light, limits };
}

/** Parses the members of a request that only adit has: limits of one client. A member with value null counts as missing. */
function parseLimits(request: JsonObject): TemplateLimits | null {
  const maxWeight = wholeWithin(request, 'maxweight', LEAST_WEIGHT, MOST_WEIGHT);
  const maxSigops = wholeWithin(request, 'maxsigops', LEAST_SIGOPS, MOST_SIGOPS);
  const rate = request.get('minfeerate') ?? null;
  const minFeeRate = rate === null ? null : asAmount(rate);
  const listed = request.get('exclude') ?? null;
  const exclude = listed === null ? [] : excluded(asArray(listed));
  if (maxWeight === null && maxSigops === null && minFeeRate === null && exclude.length === 0) return null;
  return { maxWeight, maxSigops, minFeeRate, exclude };
}

function wholeWithin(request: JsonObject, name: string, least: number, most: number): number | null {
  const given = request.get(name) ?? null;
  if (given === null) return null;
  const value = asInt64(given);
  if (value < least || value > most) fail(RPC_CODE.INVALID_PARAMETER, `${name} must be between ${least} and ${most}`);
  return Number(value);
}

function excluded(listed: readonly JsonValue[]): string[] {
  // Check the number before the elements.
  if (listed.length > MOST_EXCLUDED) fail(RPC_CODE.INVALID_PARAMETER, `exclude lists more than ${MOST_EXCLUDED} transactions`);
  return [...new Set(listed.map((txid) => asHashHex(txid, 'exclude').toLowerCase()))].sort();
}

/** Checks 8 to 10, on the main chain only: network, peers, initial block download. @throws RpcError */
export function checkTemplateReadiness(state: TemplateReadiness): void {
  if (state.isTestChain) return;
  if (!state.hasNetwork) {
    fail(RPC_CODE.CLIENT_P2P_DISABLED, 'Error: Peer-to-peer functionality missing or disabled');
  }
  if (state.connections === 0) fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Bitcoin Core is not connected!');
  if (state.initialBlockDownload) {
    fail(RPC_CODE.CLIENT_IN_INITIAL_DOWNLOAD, 'Bitcoin Core is in initial sync and waiting for blocks...');
  }
}

/**
 * Check 11: returns what a long poll waits for; null if the call does not wait.
 * @param current returned if the id is not a string
 */
export function parseLongPollId(longPollId: JsonValue, current: LongPollWatch): LongPollWatch | null {
  if (longPollId === null) return null;
  if (typeof longPollId !== 'string') return current;
  // Core splits the id by bytes, not by characters.
  const bytes = Buffer.from(longPollId);
  return { tipHex: asHashHex(bytes.toString('utf8', 0, 64), 'longpollid'), counter: leadingInteger(bytes.toString('utf8', 64)) };
}

/** Parses like C's atoll, and keeps 32 bits: leading space and a sign are accepted, garbage is 0. */
function leadingInteger(text: string): number {
  const match = /^[ \t\n\v\f\r]*([+-]?\d+)/.exec(text);
  if (!match) return 0;
  const limit = 0x7fff_ffff_ffff_ffffn;
  const digits = match[1]!;
  const value = digits.length > 40 ? (digits.startsWith('-') ? -limit - 1n : limit) : BigInt(digits);
  const clamped = value > limit ? limit : value < -limit - 1n ? -limit - 1n : value;
  return Number(BigInt.asUintN(32, clamped));
}

/**
 * Checks 12 and 13, after the wait: rules that the client must support.
 * @param signet whether blocks need a signature (BIP-0325)
 * @throws RpcError
 */
export function checkTemplateRules(rules: readonly string[], signet: boolean): void {
  if (signet && !rules.includes('signet')) {
    fail(
      RPC_CODE.INVALID_PARAMETER,
      'getblocktemplate must be called with the signet rule set (call with {"rules": ["segwit", "signet"]})',
    );
  }
  if (!rules.includes('segwit')) {
    fail(RPC_CODE.INVALID_PARAMETER, 'getblocktemplate must be called with the segwit rule set (call with {"rules": ["segwit"]})');
  }
}

/**
 * Returns whether the arguments request a check of a proposal, which only the node thread can do. False for malformed
 * arguments.
 */
export function isProposal(args: readonly JsonValue[]): boolean {
  const given = args[0];
  return given instanceof JsonObject && given.get('mode') === 'proposal';
}
