// Messages between fronts and nodes: maps in MessagePack, so that a neighbour of another version can ignore members
// that it does not know. A message that lacks a required member is rejected.
import { Packr } from 'msgpackr';
import type { TemplateFacts } from '../template/index.js';

/** Version that this code writes, and the oldest version that it reads. A change that older readers would misread raises both. */
export const FLEET_VERSION = 1;
export const LEAST_VERSION = 1;

const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true });

/** Returns a message as bytes, in memory of exactly that size. */
export function encode(message: object): Uint8Array {
  return new Uint8Array(packr.pack(message));
}

/**
 * Returns the members of a message. Byte arrays in it are views of `bytes`.
 * @returns null if the bytes are not a map
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

/** A tip, with the chain work by which fronts compare it. */
export interface FactTip {
  readonly height: number;
  readonly hashHex: string;
  readonly difficulty: number;
  /** Work of the whole chain, 64 hex digits. */
  readonly chainWorkHex: string;
}

/** State of a node, published at every change and every beat. */
export interface NodeFact {
  readonly tip: FactTip;
  /** Number of tip changes in this run. */
  readonly epoch: number;
  readonly mempoolCounter: number;
  /** Bits of STATE_FLAG. */
  readonly flags: number;
  readonly connections: number;
  readonly mockSeconds: number;
  /** The machine's clock, in milliseconds since 1970. */
  readonly clockMs: number;
  /** The newest template; null before the first. */
  readonly template: {
    readonly serial: number;
    readonly prevHashHex: string;
    readonly coinbaseValue: number;
    readonly empty: boolean;
  } | null;
  /** True when the start is complete and calls are answered. */
  readonly ready: boolean;
  readonly stopping: boolean;
  /** Names of loaded wallets. */
  readonly wallets: readonly string[];
  /** In the answer to hello: the nonce that the front requested. Otherwise empty. */
  readonly nonce: string;
}

/** A template without its transactions. */
export interface TemplateHead {
  readonly serial: number;
  readonly facts: TemplateFacts;
  /** Bytes of the JSON array of transactions; 0 if there are none. */
  readonly sizeBytes: number;
  /** Deflated size of that array, and the number of its pieces. */
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

/** A message from a front to a node. */
export type FrontMessage =
  /** Requests a signed fact that contains the nonce. */
  | { readonly kind: 'hello'; readonly nonce: string }
  /** Requests a template of the current tip (mode core builds on request). */
  | { readonly kind: 'refresh' }
  /** Requests the deflated transactions of a template. */
  | { readonly kind: 'template'; readonly digestHex: string }
  | CallMessage
  /** Releases a held call. */
  | { readonly kind: 'go'; readonly id: string }
  /** Requests the state of a call. */
  | { readonly kind: 'ask'; readonly id: string }
  /** Ends a call: the client disconnected, or the reply has arrived. The node drops the call. */
  | { readonly kind: 'done'; readonly id: string };

/** A call, or a piece of one. */
export interface CallMessage {
  readonly kind: 'call';
  readonly id: string;
  readonly method: string;
  readonly user: string;
  readonly uri: string;
  /** True if the node must wait for `go`: the call must not run twice, nor after the front gave it up. */
  readonly held: boolean;
  /** True if the front checked that the body contains no passphrase. */
  readonly plain: boolean;
  /**
   * `bytes` of all pieces together: first the body, then the block. `bodyBytes` is the length of the body. `token` is the
   * text in the body that the block replaces. Without a block: the length of all bytes, and ''.
   */
  readonly bodyBytes: number;
  readonly token: string;
  /** This piece of body and block, its index, and the number of pieces. */
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly of: number;
}

/** A message from a node to the front that sent a request. */
export type NodeMessage =
  /** A reply, or a piece of one. The front passes the reply on once the front has the node's facts of that epoch. */
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly status: number;
      readonly bytes: Uint8Array;
      readonly at: number;
      readonly of: number;
      readonly epoch: number;
    }
  /** The call waits for `go`. */
  | { readonly kind: 'held'; readonly id: string }
  | { readonly kind: 'running'; readonly id: string }
  /** The node does not know the call: it did not arrive, or was dropped. */
  | { readonly kind: 'unknown'; readonly id: string }
  /** The call was not begun and will not be: the front may send it to another node. */
  | { readonly kind: 'refused'; readonly id: string; readonly why: string }
  /** Answer to hello: a signed fact, and the signed head of the newest template if there is one. */
  | { readonly kind: 'fact'; readonly bytes: Uint8Array; readonly head: Uint8Array | null }
  /** Answer to refresh: serial of the newest template, or an error code and its text. */
  | { readonly kind: 'refreshed'; readonly serial: number; readonly code: number; readonly text: string };

/** A found block for the stream: a call without an answer, in pieces. */
export type FoundMessage = Omit<CallMessage, 'kind' | 'held' | 'plain'> & { readonly kind: 'found' };

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isWhole(value) && value >= 0;
const isHash = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** Decodes a node's fact. @returns null if a member is missing or of the wrong type */
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

/** Largest array of transactions that is accepted: a block's weight as hex digits, and as much again for ids and numbers. */
export const MOST_TEMPLATE_BYTES = 32 << 20;
/** Maximum number of pieces of that array: each piece but the last has at least 1,024 bytes. */
export const MOST_TEMPLATE_PIECES = MOST_TEMPLATE_BYTES >> 10;

/** Decodes a template's head. @returns null if it is invalid */
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

/** Returns true if all members are valid from which a reply is made. */
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

/** Decodes a piece. @returns null if it is invalid */
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

/** Decodes a front's message. @returns null if it is invalid */
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

/** Decodes a piece of a found block. @returns null if it is invalid */
export function readFound(bytes: Uint8Array): FoundMessage | null {
  const message = decode(bytes);
  return message?.kind === 'found' && isCallBody(message) ? (message as unknown as FoundMessage) : null;
}

/** Decodes a node's message. @returns null if it is invalid */
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
