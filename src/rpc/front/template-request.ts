// Argument checks of getblocktemplate in Core 0.21's order, as pure functions: fronts and the node thread share them.
// parseTemplateRequest covers what comes before the node's state is looked at; the other three follow in their order.
import { LEAST_SIGOPS, LEAST_WEIGHT, MOST_EXCLUDED, MOST_SIGOPS, MOST_WEIGHT, type TemplateLimits } from '../../policy/template-limits.js';
import { asAmount, asArray, asHashHex, asInt64, asObject, asString } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import { JsonObject, type JsonValue } from '../wire/values.js';

/** A checked request. */
export interface TemplateRequest {
  readonly mode: 'template' | 'proposal';
  /** Proposal mode only: the block's hex as given. */
  readonly data: string;
  /** Rules the client supports, prefixes kept as given. */
  readonly rules: readonly string[];
  /** null: no long poll; anything else is what the client sent. */
  readonly longPollId: JsonValue;
  /** The client takes a template without transactions: capability "light", adit's own. */
  readonly light: boolean;
  /** What this client asks of its template beyond the operator's options, adit's own; null for the shared template. */
  readonly limits: TemplateLimits | null;
}

/** What a long poll waits to see changed. */
export interface LongPollWatch {
  /** Tip hash, display hex. */
  readonly tipHex: string;
  /** Transactions-updated counter, 32 bits unsigned. */
  readonly counter: number;
}

/** What the state checks look at. */
export interface TemplateReadiness {
  /** Test chains answer without peers and during initial download, as Core does since 22. */
  readonly isTestChain: boolean;
  readonly hasNetwork: boolean;
  readonly connections: number;
  readonly initialBlockDownload: boolean;
}

/** Rows 1 to 7 of the order of checks: object, mode, proposal data, rules. */
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

/** Members that are not Core's, after everything that is; null members are as good as none. */
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
  // Counted before any is looked at.
  if (listed.length > MOST_EXCLUDED) fail(RPC_CODE.INVALID_PARAMETER, `exclude lists more than ${MOST_EXCLUDED} transactions`);
  return [...new Set(listed.map((txid) => asHashHex(txid, 'exclude').toLowerCase()))].sort();
}

/** Rows 8 to 10: network, peers, initial download. Main chain only. */
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

/** Row 11: what to wait for; `current` when the id is not text. Null when the call does not wait. */
export function parseLongPollId(longPollId: JsonValue, current: LongPollWatch): LongPollWatch | null {
  if (longPollId === null) return null;
  if (typeof longPollId !== 'string') return current;
  // Core cuts between bytes.
  const bytes = Buffer.from(longPollId);
  return { tipHex: asHashHex(bytes.toString('utf8', 0, 64), 'longpollid'), counter: leadingInteger(bytes.toString('utf8', 64)) };
}

/** C's atoll cut to 32 bits: leading space and sign are fine, garbage is 0. */
function leadingInteger(text: string): number {
  const match = /^[ \t\n\v\f\r]*([+-]?\d+)/.exec(text);
  if (!match) return 0;
  const limit = 0x7fff_ffff_ffff_ffffn;
  const digits = match[1]!;
  const value = digits.length > 40 ? (digits.startsWith('-') ? -limit - 1n : limit) : BigInt(digits);
  const clamped = value > limit ? limit : value < -limit - 1n ? -limit - 1n : value;
  return Number(BigInt.asUintN(32, clamped));
}

/** Rows 12 and 13, after the wait: the rules a client must support. @param signet blocks need a signature (BIP-0325) */
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

/** Whether these arguments ask for a proposal check, which needs the node thread; false for anything malformed. */
export function isProposal(args: readonly JsonValue[]): boolean {
  const given = args[0];
  return given instanceof JsonObject && given.get('mode') === 'proposal';
}
