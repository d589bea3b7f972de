// Checks miniscript: whether it is a valid script, and whether it is safe to pay to (BIP-0379): non-malleable, within
// limits, without conflicting locks and repeated keys, and never spendable without a signature. Core:
// script/miniscript.h.
import type { MiniscriptContext, MiniscriptNode } from './fragment.js';
import { NEVER } from './limits.js';
import { has } from './types.js';

/** Reasons why a script is not safe, in Core's words. */
export type Insanity =
  | 'malleable witnesses exist'
  | 'witnesses without signature exist'
  | 'contains mixes of timelocks expressed in blocks and seconds'
  | 'contains duplicate public keys'
  | 'needs witnesses that may exceed resource limits';

/** Standard size of a witness script. */
const MAX_WSH_SIZE = 3600;
/** Largest number of non-push opcodes, including keys of CHECKMULTISIG. */
const MAX_WSH_OPS = 201;
/** Largest standard number of witness elements without the script. */
const MAX_WSH_STACK = 100;
/** Largest number of elements on both stacks. */
const MAX_STACK = 1000;
/**
 * Largest leaf script. Only the standard weight of a transaction (400,000) limits it: less the rest of a transaction
 * with one input and one output (378), the largest satisfaction (a thousand elements of 66 bytes and their count, a
 * control block of 4,129 bytes and its size: 70,135), and the size of the script's length (5).
 */
const MAX_LEAF_SIZE = 400_000 - 378 - 70_135 - 5;

/** Returns whether a script is not too large. */
export function fits(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return node.limits.size <= (context === 'wsh' ? MAX_WSH_SIZE : MAX_LEAF_SIZE);
}

/** Returns whether the types fit and the script is not too large. */
export function isValid(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return node.type !== 0 && fits(node, context);
}

/** Returns whether a script is valid as a complete script. */
export function isValidTopLevel(node: MiniscriptNode, context: MiniscriptContext): boolean {
  return isValid(node, context) && has(node.type, 'B');
}

/** Returns whether any witness can satisfy an expression. */
export function isSatisfiable(node: MiniscriptNode): boolean {
  return node.limits.sat.taken !== NEVER;
}

/** Returns whether every satisfaction can be executed and relayed. */
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

/** Returns why a part is unsafe; null if it is safe. @param repeats nodes that contain a key twice */
function insanityOf(node: MiniscriptNode, context: MiniscriptContext, repeats: ReadonlySet<MiniscriptNode>): Insanity | 'invalid' | null {
  if (!isValid(node, context)) return 'invalid';
  if (!has(node.type, 'm')) return 'malleable witnesses exist';
  if (!has(node.type, 'k')) return 'contains mixes of timelocks expressed in blocks and seconds';
  if (repeats.has(node)) return 'contains duplicate public keys';
  if (!withinLimits(node, context)) return 'needs witnesses that may exceed resource limits';
  return null;
}

/** Innermost faulty part, and the reason. */
export interface Fault {
  readonly node: MiniscriptNode;
  /** Reason of the fault. Null: the script cannot be satisfied; empty: the script is not complete by itself. */
  readonly reason: Insanity | 'invalid' | '' | null;
}

/**
 * Checks a complete script.
 * @param identity returns equal values for indexes of the same key
 * @returns null if the script is sane
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

/** Returns the nodes in which a key occurs more than once. */
function findRepeats(root: MiniscriptNode, identity: (place: number) => string): Set<MiniscriptNode> {
  const repeats = new Set<MiniscriptNode>();
  collectKeys(root, identity, repeats);
  return repeats;
}

/**
 * Returns the keys of a subtree; null once a key repeats. Merges the smaller set into the larger one, so that deep
 * trees stay cheap.
 */
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
