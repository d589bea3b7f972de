// Judges miniscript: whether it is a valid script at all, and whether it is safe to pay to (BIP-0379): non-malleable,
// within limits, free of locks and keys that get in each other's way, and never spendable without a signature. Core:
// script/miniscript.h.
import type { MiniscriptContext, MiniscriptNode } from './fragment.js';
import { NEVER } from './limits.js';
import { has } from './types.js';

/** What is wrong with a script, in Core's words. */
export type Insanity =
  | 'malleable witnesses exist'
  | 'witnesses without signature exist'
  | 'contains mixes of timelocks expressed in blocks and seconds'
  | 'contains duplicate public keys'
  | 'needs witnesses that may exceed resource limits';

/** Standard size of a witness script. */
const MAX_WSH_SIZE = 3600;
/** Opcodes that are no pushes, keys of CHECKMULTISIG included. */
const MAX_WSH_OPS = 201;
/** Standard count of witness elements besides the script. */
const MAX_WSH_STACK = 100;
/** Elements on both stacks. */
const MAX_STACK = 1000;
/**
 * A leaf's script has no limit but the standard weight of a transaction (400,000): what is left of it beside the rest
 * of a transaction of one input and one output (378), the largest satisfaction (a thousand elements of 66 bytes and
 * their count, a control block of 4,129 and its size: 70,135), and the script's own size (5).
 */
const MAX_LEAF_SIZE = 400_000 - 378 - 70_135 - 5;

/** Whether a script is no larger than it may be. */
export function fits(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return node.limits.size <= (context === 'wsh' ? MAX_WSH_SIZE : MAX_LEAF_SIZE);
}

/** Whether types fit and the script is not too large. */
export function isValid(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return node.type !== 0 && fits(node, context);
}

/** Valid, and usable as a whole script. */
export function isValidTopLevel(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return isValid(node, context) && has(node.type, 'B');
}

/** Whether any witness satisfies it. */
export function isSatisfiable(node: MiniscriptNode): boolean {
  return node.limits.sat.taken !== NEVER;
}

/** Whether every satisfaction can be run and relayed. */
export function withinLimits(node: MiniscriptNode, context: MiniscriptContext): boolean {
  const { ops, satOps, sat } = node.limits;
  if (!isValid(node, context)) return false;
  if (!isSatisfiable(node)) return true;
  if (context === 'tapscript') return sat.peak + resultElements(node) <= MAX_STACK;
  return ops + satOps <= MAX_WSH_OPS && witnessElements(node) <= MAX_WSH_STACK;
}

const MASK_BKW = 0b1101;

/** Number of stack elements that an expression leaves. */
const resultElements = (node: MiniscriptNode): number => ((node.type & MASK_BKW) !== 0 ? 1 : 0);

/** Largest number of elements in a satisfaction, without the script. */
export const witnessElements = (node: MiniscriptNode): number => node.limits.sat.taken + resultElements(node);

/** What makes a part unsafe, null when nothing does. @param repeats nodes that hold a key twice */
function insanityOf(node: MiniscriptNode, context: MiniscriptContext, repeats: ReadonlySet<MiniscriptNode>): Insanity | 'invalid' | null {
  if (!isValid(node, context)) return 'invalid';
  if (!has(node.type, 'm')) return 'malleable witnesses exist';
  if (!has(node.type, 'k')) return 'contains mixes of timelocks expressed in blocks and seconds';
  if (repeats.has(node)) return 'contains duplicate public keys';
  if (!withinLimits(node, context)) return 'needs witnesses that may exceed resource limits';
  return null;
}

/** The innermost part that is at fault and why. */
export interface Fault {
  readonly node: MiniscriptNode;
  /** Null: it can't be satisfied; empty: it is no whole script. */
  readonly reason: Insanity | 'invalid' | '' | null;
}

/**
 * Judges a whole script.
 * @param identity equal for places that hold the same key
 * @returns null when it is sane
 */
export function findFault(root: MiniscriptNode, context: MiniscriptContext, identity: (place: number) => string): Fault | null {
  const repeats = findRepeats(root, identity);
  const part = firstInsane(root, context, repeats);
  const worse = part?.reason === 'invalid' || part?.reason === 'malleable witnesses exist';
  if (part !== null && (part.node !== root || worse)) return part;
  if (!has(root.type, 's')) return { node: root, reason: 'witnesses without signature exist' };
  if (part !== null) return part;
  if (!has(root.type, 'B')) return { node: root, reason: '' };
  return isSatisfiable(root) ? null : { node: root, reason: null };
}

function firstInsane(node: MiniscriptNode, context: MiniscriptContext, repeats: ReadonlySet<MiniscriptNode>): Fault | null {
  for (const sub of node.subs) {
    const fault = firstInsane(sub, context, repeats);
    if (fault !== null) return fault;
  }
  const reason = insanityOf(node, context, repeats);
  return reason === null ? null : { node, reason };
}

/** Nodes with a key that occurs more than once in them. */
function findRepeats(root: MiniscriptNode, identity: (place: number) => string): Set<MiniscriptNode> {
  const repeats = new Set<MiniscriptNode>();
  collectKeys(root, identity, repeats);
  return repeats;
}

/** The smaller set goes into the larger, so that deep trees stay cheap. Null once a key repeats. */
function collectKeys(node: MiniscriptNode, identity: (place: number) => string, repeats: Set<MiniscriptNode>): Set<string> | null {
  let all: Set<string> | null = new Set();
  for (const place of node.keys) all = join(all, new Set([identity(place)]));
  for (const sub of node.subs) {
    const keys = collectKeys(sub, identity, repeats);
    all = all && keys && join(all, keys);
  }
  if (all === null) repeats.add(node);
  return all;
}

function join(a: Set<string> | null, b: Set<string>): Set<string> | null {
  if (a === null) return null;
  const [large, small] = a.size >= b.size ? [a, b] : [b, a];
  for (const key of small) {
    if (large.has(key)) return null;
    large.add(key);
  }
  return large;
}
