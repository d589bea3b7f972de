// What crosses the broker: maps in MessagePack, so that a member more does not disturb a neighbour version. A reader
// takes what it knows; what it needs and does not find makes the message one that it cannot read. Used by both ends.
import { Packr } from 'msgpackr';
import type { TemplateFacts } from '../template/facts.js';

/**
 * Version of what is written here, and the oldest that is read. A change that older readers would misread raises both.
 */
export const FLEET_VERSION = 1;
export const LEAST_VERSION = 1;

const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true });

/** Bytes of a message of their own size. */
export function encode(message: object): Uint8Array {
  return new Uint8Array(packr.pack(message));
}

/**
 * The message's members. Views of the bytes are fine where the caller lets go of them.
 * @returns null when it is no map of ours
 */
export function decode(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = packr.unpack(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** A tip as fronts compare it. */
export interface FactTip {
  readonly height: number;
  readonly hashHex: string;
  readonly difficulty: number;
  /** Work of the whole chain, 64 digits. */
  readonly chainWorkHex: string;
}

/** What a node says of itself, at every change and every beat. */
export interface NodeFact {
  readonly tip: FactTip;
  /** Number of tip changes of this run. */
  readonly epoch: number;
  readonly mempoolCounter: number;
  /** STATE_FLAG bits. */
  readonly flags: number;
  readonly connections: number;
  readonly mockSeconds: number;
  /** The machine's clock, milliseconds since 1970. */
  readonly clockMs: number;
  /** The newest template; null before the first. */
  readonly template: {
    readonly serial: number;
    readonly prevHashHex: string;
    readonly coinbaseValue: number;
    readonly empty: boolean;
  } | null;
  /** Calls are answered: the start is over. */
  readonly ready: boolean;
  readonly stopping: boolean;
  /** Names of loaded wallets. */
  readonly wallets: readonly string[];
  /** Of a hello: what the front asked it to sign; empty otherwise. */
  readonly nonce: string;
}

/** A template without its transactions. */
export interface TemplateHead {
  readonly serial: number;
  readonly facts: TemplateFacts;
  /** Bytes of the JSON array of transactions; 0 for none. */
  readonly sizeBytes: number;
  /** The same deflated, in so many pieces. */
  readonly packedBytes: number;
  readonly pieces: number;
  /** SHA-256 of the deflated bytes, hex. */
  readonly digestHex: string;
}

/** One piece of a template's transactions. */
export interface TemplatePiece {
  readonly digestHex: string;
  readonly bytes: Uint8Array;
}

/** From a front to a node. */
export type FrontMessage =
  /** Asks for a fact with the nonce in it, signed. */
  | { readonly kind: 'hello'; readonly nonce: string }
  /** Asks for a template of the tip as it is now (mode core builds on request). */
  | { readonly kind: 'refresh' }
  /** Asks for the deflated transactions of a template. */
  | { readonly kind: 'template'; readonly digestHex: string }
  | CallMessage
  /** A held call may be run. */
  | { readonly kind: 'go'; readonly id: string }
  /** What has become of a call? */
  | { readonly kind: 'ask'; readonly id: string }
  /** The client has gone, or the reply was taken: the call is forgotten. */
  | { readonly kind: 'done'; readonly id: string };

/** A call, or a piece of one. */
export interface CallMessage {
  readonly kind: 'call';
  readonly id: string;
  readonly method: string;
  readonly user: string;
  readonly uri: string;
  /** The node waits for `go` before it runs it: it must not be run twice, nor after the front gave it up. */
  readonly held: boolean;
  /** The front has looked: no passphrase in it. */
  readonly plain: boolean;
  /**
   * Bytes of the body in front of the block that was taken out of it, and the token that stands for that; all of it and
   * '' without.
   */
  readonly bodyBytes: number;
  readonly token: string;
  /** This piece of body and block, its number, and how many there are. */
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly of: number;
}

/** From a node to the front that asked. */
export type NodeMessage =
  /** A reply, or a piece of it; the front waits for the node's facts of that epoch before it passes it on. */
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly status: number;
      readonly bytes: Uint8Array;
      readonly at: number;
      readonly of: number;
      readonly epoch: number;
    }
  /** The call is held until `go`. */
  | { readonly kind: 'held'; readonly id: string }
  | { readonly kind: 'running'; readonly id: string }
  /** The node has never heard of it, or has forgotten it. */
  | { readonly kind: 'unknown'; readonly id: string }
  /** It was not begun and will not be: the front may try elsewhere. */
  | { readonly kind: 'refused'; readonly id: string; readonly why: string }
  /** Answer to hello: a signed fact, and the signed head of the newest template when there is one. */
  | { readonly kind: 'fact'; readonly bytes: Uint8Array; readonly head: Uint8Array | null }
  /** Answer to refresh: serial of the newest template, or an error code and its text. */
  | { readonly kind: 'refreshed'; readonly serial: number; readonly code: number; readonly text: string };

/** A found block on its way into the stream: a call without an answer, in pieces. */
export type FoundMessage = Omit<CallMessage, 'kind' | 'held' | 'plain'> & { readonly kind: 'found' };

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isWhole(value) && value >= 0;
const isHash = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** A node's fact as it was sent; null when a member is missing or of another kind. */
export function readFact(bytes: Uint8Array): NodeFact | null {
  const fact = decode(bytes);
  if (fact === null || !isRecord(fact.tip)) return null;
  const { tip, template } = fact;
  if (!isCount(tip.height) || !isHash(tip.hashHex) || typeof tip.difficulty !== 'number' || !isHash(tip.chainWorkHex)) return null;
  for (const name of ['epoch', 'mempoolCounter', 'flags', 'connections', 'mockSeconds', 'clockMs']) if (!isWhole(fact[name])) return null;
  if (typeof fact.ready !== 'boolean' || typeof fact.stopping !== 'boolean' || !isText(fact.nonce)) return null;
  if (!Array.isArray(fact.wallets) || !fact.wallets.every(isText)) return null;
  if (template !== null) {
    if (!isRecord(template) || !isCount(template.serial) || !isHash(template.prevHashHex)) return null;
    if (!isCount(template.coinbaseValue) || typeof template.empty !== 'boolean') return null;
  }
  return fact as unknown as NodeFact;
}

/**
 * Largest array of transactions that is taken: a block's weight in hex digits, and as much again for ids and numbers.
 */
export const MOST_TEMPLATE_BYTES = 32 << 20;
/** Of the smallest pieces. */
export const MOST_TEMPLATE_PIECES = MOST_TEMPLATE_BYTES >> 10;

/** A template's head as it was sent; null when it cannot be used. */
export function readHead(bytes: Uint8Array): TemplateHead | null {
  const head = decode(bytes);
  if (head === null || !isRecord(head.facts)) return null;
  for (const name of ['serial', 'sizeBytes', 'packedBytes', 'pieces']) if (!isCount(head[name])) return null;
  const { sizeBytes, packedBytes, pieces } = head as unknown as TemplateHead;
  if (sizeBytes > MOST_TEMPLATE_BYTES || packedBytes > MOST_TEMPLATE_BYTES || pieces > MOST_TEMPLATE_PIECES) return null;
  if (!isText(head.digestHex) || !isFacts(head.facts)) return null;
  return head as unknown as TemplateHead;
}

const WHOLE_FACTS = [
  'epoch',
  'counter',
  'builtAt',
  'time',
  'height',
  'version',
  'coinbaseValue',
  'minTime',
  'bits',
  'sigopLimit',
  'sizeLimit',
];
const MORE_FACTS = ['txCount', 'weight', 'fees'];

/** Whether every member is there that a reply is made of. */
function isFacts(facts: Record<string, unknown>): boolean {
  for (const name of [...WHOLE_FACTS, ...MORE_FACTS]) if (!isWhole(facts[name])) return false;
  const { live, prevHashHex, rules, requiredRules, vbAvailable, minDifficulty, weightLimit, commitmentHex, signetChallengeHex } = facts;
  if (!isHash(prevHashHex)) return false;
  for (const list of [rules, requiredRules]) if (!Array.isArray(list) || !list.every(isText)) return false;
  if (!Array.isArray(vbAvailable) || !vbAvailable.every((one) => isRecord(one) && isText(one.name) && isCount(one.bit))) return false;
  if (minDifficulty !== null && !(isRecord(minDifficulty) && isWhole(minDifficulty.afterTime) && isWhole(minDifficulty.bits))) return false;
  if (weightLimit !== null && !isWhole(weightLimit)) return false;
  for (const hex of [commitmentHex, signetChallengeHex]) if (hex !== null && !isText(hex)) return false;
  if (live === null) return true;
  if (!isRecord(live) || typeof live.empty !== 'boolean' || !isWhole(live.longPollDelta) || !isWhole(live.longPollIntervalMs)) return false;
  return isText(live.workId) && Array.isArray(live.merkleBranchHex) && live.merkleBranchHex.every(isText);
}

/** A piece as it was sent. */
export function readPiece(bytes: Uint8Array): TemplatePiece | null {
  const piece = decode(bytes);
  return piece !== null && isText(piece.digestHex) && piece.bytes instanceof Uint8Array ? (piece as unknown as TemplatePiece) : null;
}

const isId = (value: unknown): value is string => isText(value) && /^[\w-]{8,64}$/.test(value);

function isCallBody(message: Record<string, unknown>): boolean {
  if (!isId(message.id) || !isText(message.method) || !isText(message.user) || !isText(message.uri) || !isText(message.token)) return false;
  if (!isCount(message.bodyBytes) || !isCount(message.at) || !isCount(message.of) || message.at >= message.of) return false;
  return message.bytes instanceof Uint8Array;
}

/** What a front sent; null when it cannot be read. */
export function readFrontMessage(bytes: Uint8Array): FrontMessage | null {
  const message = decode(bytes);
  if (message === null) return null;
  switch (message.kind) {
    case 'hello':
      return isText(message.nonce) && message.nonce.length <= 64 ? (message as FrontMessage) : null;
    case 'refresh':
      return message as FrontMessage;
    case 'template':
      return isHash(message.digestHex) ? (message as FrontMessage) : null;
    case 'call':
      return isCallBody(message) && typeof message.held === 'boolean' ? (message as unknown as CallMessage) : null;
    case 'go':
    case 'ask':
    case 'done':
      return isId(message.id) ? (message as FrontMessage) : null;
    default:
      return null;
  }
}

/** A found block's piece. */
export function readFound(bytes: Uint8Array): FoundMessage | null {
  const message = decode(bytes);
  return message?.kind === 'found' && isCallBody(message) ? (message as unknown as FoundMessage) : null;
}

/** What a node sent to the front that asked. */
export function readNodeMessage(bytes: Uint8Array): NodeMessage | null {
  const message = decode(bytes);
  if (message === null) return null;
  switch (message.kind) {
    case 'result':
      if (!isText(message.id) || !isCount(message.status) || !isCount(message.at) || !isCount(message.of) || !isWhole(message.epoch))
        return null;
      return message.at < message.of && message.bytes instanceof Uint8Array ? (message as NodeMessage) : null;
    case 'held':
    case 'running':
    case 'unknown':
      return isText(message.id) ? (message as NodeMessage) : null;
    case 'refused':
      return isText(message.id) && isText(message.why) ? (message as NodeMessage) : null;
    case 'fact':
      return message.bytes instanceof Uint8Array && (message.head === null || message.head instanceof Uint8Array)
        ? (message as NodeMessage)
        : null;
    case 'refreshed':
      return isWhole(message.serial) && isWhole(message.code) && isText(message.text) ? (message as NodeMessage) : null;
    default:
      return null;
  }
}
