// Renders the parts of a getblocktemplate result around its transactions, in Core's order of members (BIP-0022,
// BIP-0023, BIP-0009, BIP-0145). Pure. Front threads call it for every reply, so it only joins strings.

import { MAX_FUTURE_BLOCK_TIME } from '../consensus/limits.js';
import { CONSENSUS_CLEANUP } from '../consensus/params/deployment.js';
import { coinbaseLock } from '../consensus/rules/cleanup/coinbase-lock.js';
import type { LiveFacts, TemplateFacts } from './facts.js';

/** Values that differ between replies. */
export interface RenderContext {
  /** Header time in seconds; see currentTime. */
  readonly curtime: number;
  /** Rule names that the client listed, without `!`. */
  readonly clientRules: readonly string[];
  /** Hash of the tip as hex, followed by the counter; see longPollId. */
  readonly longpollid: string;
}

/** Parts of the result object: head, then the shared bytes of the transactions array, then tail. */
export interface RenderedTemplate {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

const encoder = new TextEncoder();

/** Returns the longpollid: hash and counter without a separator. */
export function longPollId(facts: TemplateFacts): string {
  return facts.prevHashHex + facts.counter;
}

/** Returns the header time of a reply, never before the one at build. @param now mockable seconds */
export function currentTime(facts: TemplateFacts, now: number): number {
  return Math.max(facts.time, facts.minTime, now);
}

/**
 * Returns true if a block of this template would be refused as time-too-new, because the clock was set back or is
 * behind the tip.
 * @param now mockable seconds
 */
export function isAheadOfClock(facts: Pick<TemplateFacts, 'time' | 'minTime'>, now: number): boolean {
  return Math.max(facts.time, facts.minTime) > now + MAX_FUTURE_BLOCK_TIME;
}

/** Returns the compact target of a block with this header time. */
export function currentBits(facts: TemplateFacts, curtime: number): number {
  const easy = facts.minDifficulty;
  return easy !== null && curtime > easy.afterTime ? easy.bits : facts.bits;
}

/** Returns the first active rule that the client must name and did not; null if there is none. */
export function missingRule(facts: TemplateFacts, clientRules: readonly string[]): string | null {
  for (const name of facts.requiredRules) if (!clientRules.includes(name)) return name;
  return null;
}

/** Returns a compact target as 64 hex digits, big-endian. */
export function targetHex(bits: number): string {
  const exponent = bits >>> 24;
  const mantissa = BigInt(bits & 0x7fffff);
  const target = exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3));
  return target.toString(16).padStart(64, '0');
}

/** Returns head and tail of the result object. The caller has checked missingRule. */
export function renderTemplate(facts: TemplateFacts, context: RenderContext): RenderedTemplate {
  let version = facts.version;
  const available: string[] = [];
  for (const { name, bit, gbtForce } of facts.vbAvailable) {
    available.push(`${JSON.stringify(mark(name, gbtForce))}:${bit}`);
    // A client that does not know the deployment must not signal for it, unless the deployment allows that.
    if (!gbtForce && !context.clientRules.includes(name)) version &= ~(1 << bit);
  }
  const head =
    `{"capabilities":["proposal"],"version":${version},"rules":${JSON.stringify(facts.rules)}` +
    `,"vbavailable":{${available.join(',')}},"vbrequired":0,"previousblockhash":"${facts.prevHashHex}","transactions":`;
  const bits = currentBits(facts, context.curtime);
  const weightLimit = facts.weightLimit === null ? '' : `,"weightlimit":${facts.weightLimit}`;
  const challenge = facts.signetChallengeHex === null ? '' : `,"signet_challenge":"${facts.signetChallengeHex}"`;
  // Clients get the members of BIP-0054 only if they name the rule, on every network: Core 0.21's reply has none.
  const lock = coinbaseLock(facts.height);
  const locked = context.clientRules.includes(CONSENSUS_CLEANUP)
    ? `,"coinbaselocktime":${lock.locktime},"coinbasesequence":${lock.sequence}`
    : '';
  const commitment = facts.commitmentHex === null ? '' : `,"default_witness_commitment":"${facts.commitmentHex}"`;
  const tail =
    `,"coinbaseaux":{},"coinbasevalue":${facts.coinbaseValue},"longpollid":${JSON.stringify(context.longpollid)}` +
    `,"target":"${targetHex(bits)}","mintime":${facts.minTime},"mutable":["time","transactions","prevblock"]` +
    `,"noncerange":"00000000ffffffff","sigoplimit":${facts.sigopLimit},"sizelimit":${facts.sizeLimit}${weightLimit}` +
    `,"curtime":${context.curtime},"bits":"${(bits >>> 0).toString(16).padStart(8, '0')}","height":${facts.height}` +
    `${challenge}${commitment}${locked}}`;
  return { head: encoder.encode(head), tail: encoder.encode(tail) };
}

/**
 * Returns the part of a light template after the head: no transactions, their number and fees, the branch from the
 * coinbase's txid to the merkle root, and the name under which submitblock accepts header and coinbase only.
 */
export function renderLight(facts: TemplateFacts, { merkleBranchHex, workId }: LiveFacts, tail: Uint8Array): Uint8Array {
  const more = `,"transactioncount":${facts.txCount},"totalfees":${facts.fees},"merklebranch":${JSON.stringify(merkleBranchHex)},"workid":"${workId}"}`;
  const rest = new TextDecoder().decode(tail.subarray(0, tail.length - 1));
  return encoder.encode(`[]${rest}${more}`);
}

/** Marks a rule that a client may not ignore with `!` (BIP-0009). */
export function mark(name: string, gbtForce: boolean): string {
  return gbtForce ? name : `!${name}`;
}
