// The parts of a getblocktemplate result around its transactions, in Core's member order (BIP-0022, 0023, 0009, 0145).
// Pure; called on the front threads for every reply, so it joins strings and does nothing else.

import { MAX_FUTURE_BLOCK_TIME } from '../consensus/limits.js';
import { CONSENSUS_CLEANUP } from '../consensus/params/deployment.js';
import { coinbaseLock } from '../consensus/rules/cleanup/coinbase-lock.js';
import type { LiveFacts, TemplateFacts } from './facts.js';

/** What differs from one reply to the next. */
export interface RenderContext {
  /** Header time, seconds (see currentTime). */
  readonly curtime: number;
  /** Rule names the client listed, without `!`. */
  readonly clientRules: readonly string[];
  /** Tip hash hex followed by the counter (see longPollId). */
  readonly longpollid: string;
}

/** The result object is head + the shared bytes of the transactions array + tail. */
export interface RenderedTemplate {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

const encoder = new TextEncoder();

/** @returns the longpollid of these facts: hash and counter without a separator. */
export function longPollId(facts: TemplateFacts): string {
  return facts.prevHashHex + facts.counter;
}

/** @param now mockable seconds @returns the header time of a reply given now; never before the one given at build. */
export function currentTime(facts: TemplateFacts, now: number): number {
  return Math.max(facts.time, facts.minTime, now);
}

/**
 * Returns whether a block of this template would be refused as time-too-new, because the clock was set back or is behind
 * the tip.
 * @param now mockable seconds
 */
export function isAheadOfClock(facts: Pick<TemplateFacts, 'time' | 'minTime'>, now: number): boolean {
  return Math.max(facts.time, facts.minTime) > now + MAX_FUTURE_BLOCK_TIME;
}

/** @returns the compact target of a block with this header time. */
export function currentBits(facts: TemplateFacts, curtime: number): number {
  const easy = facts.minDifficulty;
  return easy !== null && curtime > easy.afterTime ? easy.bits : facts.bits;
}

/** @returns the first active rule that the client must name and did not, or null. */
export function missingRule(facts: TemplateFacts, clientRules: readonly string[]): string | null {
  for (const name of facts.requiredRules) if (!clientRules.includes(name)) return name;
  return null;
}

/** @returns 64 hex digits, big-endian, of a compact target. */
export function targetHex(bits: number): string {
  const exponent = bits >>> 24;
  const mantissa = BigInt(bits & 0x7fffff);
  const target = exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3));
  return target.toString(16).padStart(64, '0');
}

/** Head and tail of the result object; the caller has checked missingRule. */
export function renderTemplate(facts: TemplateFacts, context: RenderContext): RenderedTemplate {
  let version = facts.version;
  const available: string[] = [];
  for (const { name, bit, gbtForce } of facts.vbAvailable) {
    available.push(`${JSON.stringify(mark(name, gbtForce))}:${bit}`);
    // A client that doesn't know the deployment must not signal for it, unless the deployment allows it.
    if (!gbtForce && !context.clientRules.includes(name)) version &= ~(1 << bit);
  }
  const head =
    `{"capabilities":["proposal"],"version":${version},"rules":${JSON.stringify(facts.rules)}` +
    `,"vbavailable":{${available.join(',')}},"vbrequired":0,"previousblockhash":"${facts.prevHashHex}","transactions":`;
  const bits = currentBits(facts, context.curtime);
  const weightLimit = facts.weightLimit === null ? '' : `,"weightlimit":${facts.weightLimit}`;
  const challenge = facts.signetChallengeHex === null ? '' : `,"signet_challenge":"${facts.signetChallengeHex}"`;
  // BIP-0054's fields are for clients that name the rule, on every network: Core 0.21's reply has none.
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
 * What follows the head of a light template: no transactions, their number and fees, the branch that leads from the
 * coinbase's txid to the merkle root, and the name under which submitblock takes header and coinbase alone.
 */
export function renderLight(facts: TemplateFacts, { merkleBranchHex, workId }: LiveFacts, tail: Uint8Array): Uint8Array {
  const more = `,"transactioncount":${facts.txCount},"totalfees":${facts.fees},"merklebranch":${JSON.stringify(merkleBranchHex)},"workid":"${workId}"}`;
  const rest = new TextDecoder().decode(tail.subarray(0, tail.length - 1));
  return encoder.encode(`[]${rest}${more}`);
}

/** BIP-0009: `!` marks a rule that a client may not ignore. */
export function mark(name: string, gbtForce: boolean): string {
  return gbtForce ? name : `!${name}`;
}
