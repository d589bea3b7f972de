// A getblocktemplate request whose arguments were read, and the checks that depend on the state of the node, in the order
// of Core 0.21: checkTemplateReadiness, parseLongPollId, and, after a long poll has waited, checkTemplateRules.
import type { TemplateLimits } from '../policy/template-limits.js';

/** A checked request. */
export interface TemplateRequest {
  readonly mode: 'template' | 'proposal';
  /** Hex of the block, in proposal mode only. */
  readonly data: string;
  /** Rules that the client supports, with their prefixes. */
  readonly rules: readonly string[];
  /** Text of longpollid; `true` if the client sent a value that is not a string; null: no long poll. */
  readonly longPollId: string | true | null;
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

/** Error codes of refused requests (Core's rpc/protocol.h). */
export const REFUSAL_CODE = {
  MISC_ERROR: -1,
  INVALID_PARAMETER: -8,
  CLIENT_NOT_CONNECTED: -9,
  CLIENT_IN_INITIAL_DOWNLOAD: -10,
  CLIENT_P2P_DISABLED: -31,
} as const;

/** Thrown for a request that gets an error instead of a template. */
export class TemplateRefused extends Error {
  override readonly name = 'TemplateRefused';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function refuse(code: keyof typeof REFUSAL_CODE, message: string): never {
  throw new TemplateRefused(REFUSAL_CODE[code], message);
}

/** Checks network, peers, and initial block download, on the main chain only. @throws TemplateRefused */
export function checkTemplateReadiness(state: TemplateReadiness): void {
  if (state.isTestChain) return;
  if (!state.hasNetwork) refuse('CLIENT_P2P_DISABLED', 'Error: Peer-to-peer functionality missing or disabled');
  if (state.connections === 0) refuse('CLIENT_NOT_CONNECTED', 'Bitcoin Core is not connected!');
  if (state.initialBlockDownload) refuse('CLIENT_IN_INITIAL_DOWNLOAD', 'Bitcoin Core is in initial sync and waiting for blocks...');
}

/**
 * Returns what a long poll waits for; null if the call does not wait.
 * @param current returned if the id is not a string
 * @throws TemplateRefused
 */
export function parseLongPollId(longPollId: TemplateRequest['longPollId'], current: LongPollWatch): LongPollWatch | null {
  if (longPollId === null) return null;
  if (longPollId === true) return current;
  // Core splits the id by bytes, not by characters.
  const bytes = Buffer.from(longPollId);
  const tip = bytes.toString('utf8', 0, 64);
  const length = Buffer.byteLength(tip);
  if (length !== 64) refuse('INVALID_PARAMETER', `longpollid must be of length 64 (not ${length}, for '${tip}')`);
  if (!/^[0-9a-f]{64}$/i.test(tip)) refuse('INVALID_PARAMETER', `longpollid must be hexadecimal string (not '${tip}')`);
  return { tipHex: tip.toLowerCase(), counter: leadingInteger(bytes.toString('utf8', 64)) };
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
 * Checks that the client supports the rules that every template needs.
 * @param signet whether blocks need a signature (BIP-0325)
 * @throws TemplateRefused
 */
export function checkTemplateRules(rules: readonly string[], signet: boolean): void {
  if (signet && !rules.includes('signet')) {
    refuse('INVALID_PARAMETER', 'getblocktemplate must be called with the signet rule set (call with {"rules": ["segwit", "signet"]})');
  }
  if (!rules.includes('segwit')) {
    refuse('INVALID_PARAMETER', 'getblocktemplate must be called with the segwit rule set (call with {"rules": ["segwit"]})');
  }
}
