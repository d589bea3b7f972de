// Computes the costs of miniscript: bytes of script, opcodes counted against 201, stack elements of a satisfaction and
// during execution. They are computed when a node is made. Core: script/miniscript.h.
import { pushNumber } from '../../consensus/script/build-script.js';
import type { Limits, MiniscriptContext, NodeFields, StackUse } from './fragment.js';
import { has } from './types.js';

/** Cost of something impossible. Sums with this value and maxima over it give the right result. */
export const NEVER = Number.NEGATIVE_INFINITY;

const IMPOSSIBLE: StackUse = { taken: NEVER, peak: NEVER };
const EMPTY: StackUse = { taken: 0, peak: 0 };
const PUSH: StackUse = { taken: -1, peak: 0 };
/** Opcodes that consume one element (IF, VERIFY), or replace two by one. */
const POP_ONE: StackUse = { taken: 1, peak: 1 };
const EQUAL_VERIFY: StackUse = { taken: 2, peak: 2 };

/** Stack use of executions one after the other. */
function then(...runs: readonly StackUse[]): StackUse {
  let taken = 0;
  let peak = 0;
  for (const run of runs) {
    peak = Math.max(run.peak, run.taken + peak);
    taken += run.taken;
  }
  return taken === NEVER ? IMPOSSIBLE : { taken, peak };
}

/** Largest stack use of two alternatives. */
function either(a: StackUse, b: StackUse): StackUse {
  return { taken: Math.max(a.taken, b.taken), peak: Math.max(a.peak, b.peak) };
}

/** Computes the costs of a node from those of its parts. */
export function limitsOf(node: NodeFields, context: MiniscriptContext): Limits {
  const inner = node.subs.reduce((sum, { limits }) => sum + limits.size, 0);
  const ops = node.subs.reduce((sum, { limits }) => sum + limits.ops, 0);
  const [satOps, dsatOps] = multisigOps(node);
  const [sat, dsat] = stackUse(node);
  const [satBytes, dsatBytes] = witnessBytes(node, context);
  return { size: inner + ownSize(node, context), ops: ops + ownOps(node), satOps, dsatOps, sat, dsat, satBytes, dsatBytes };
}

const numberSize = (value: number): number => pushNumber(value).length;

function ownSize({ fragment, subs, k, keys }: NodeFields, context: MiniscriptContext): number {
  switch (fragment) {
    case '0':
    case '1':
    case 's':
    case 'c':
    case 'n':
    case 'and_b':
    case 'or_b':
      return 1;
    case 'pk_k':
      return context === 'tapscript' ? 33 : 34;
    case 'pk_h':
      return 24;
    case 'older':
    case 'after':
      return 1 + numberSize(k);
    case 'sha256':
    case 'hash256':
      return 39;
    case 'ripemd160':
    case 'hash160':
      return 27;
    case 'multi':
      return 1 + numberSize(keys.length) + numberSize(k) + 34 * keys.length;
    case 'multi_a':
      return 34 * keys.length + numberSize(k) + 1;
    case 'and_v':
      return 0;
    case 'v':
      return has(subs[0].type, 'x') ? 1 : 0;
    case 'a':
    case 'or_c':
      return 2;
    case 'd':
    case 'or_d':
    case 'or_i':
    case 'andor':
      return 3;
    case 'j':
      return 4;
    case 'thresh':
      return subs.length + numberSize(k);
  }
}

function ownOps({ fragment, subs, keys }: NodeFields): number {
  switch (fragment) {
    case '0':
    case '1':
    case 'pk_k':
    case 'and_v':
      return 0;
    case 'v':
      return has(subs[0].type, 'x') ? 1 : 0;
    case 'older':
    case 'after':
    case 'multi':
    case 's':
    case 'c':
    case 'n':
    case 'and_b':
    case 'or_b':
      return 1;
    case 'a':
    case 'or_c':
      return 2;
    case 'pk_h':
    case 'd':
    case 'or_d':
    case 'or_i':
    case 'andor':
      return 3;
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
    case 'j':
      return 4;
    case 'multi_a':
      return keys.length + 1;
    case 'thresh':
      return subs.length;
  }
}

function multisigOps(node: NodeFields): Cost {
  return largestCost(node, ({ satOps, dsatOps }) => [satOps, dsatOps], { one: 0, zero: 0 }, leafOps(node));
}

function leafOps({ fragment, keys }: NodeFields): Cost {
  switch (fragment) {
    case '0':
      return [NEVER, 0];
    case 'pk_k':
    case 'pk_h':
    case 'multi_a':
      return [0, 0];
    case 'multi':
      return [keys.length, keys.length];
    default:
      return [0, NEVER];
  }
}

/** Costs of satisfying and of dissatisfying a node. */
type Cost = readonly [sat: number, dsat: number];

/**
 * Computes the highest cost of a node, of a kind that adds up over everything that is executed.
 * @param of returns the cost of a part
 * @param one cost of choosing a branch with the number 1; `zero`: with an empty element
 * @param leaf cost of the node if it has no parts
 */
function largestCost(
  { fragment, subs, k }: NodeFields,
  of: (limits: Limits) => Cost,
  { one, zero }: { readonly one: number; readonly zero: number },
  leaf: Cost,
): Cost {
  const costs = subs.map(({ limits }) => of(limits));
  const [[x, notX] = leaf, [y, notY] = leaf, [z, notZ] = leaf] = costs;
  switch (fragment) {
    case 'a':
    case 's':
    case 'c':
    case 'n':
      return [x, notX];
    case 'd':
      return [one + x, zero];
    case 'j':
      return [x, zero];
    case 'v':
      return [x, NEVER];
    case 'and_v':
      return [x + y, NEVER];
    case 'and_b':
      return [x + y, notX + notY];
    case 'or_b':
      return [Math.max(x + notY, y + notX), notX + notY];
    case 'or_c':
      return [Math.max(x, y + notX), NEVER];
    case 'or_d':
      return [Math.max(x, y + notX), notX + notY];
    case 'or_i':
      return [Math.max(x + one, y + zero), Math.max(notX + one, notY + zero)];
    case 'andor':
      return [Math.max(y + x, z + notX), notX + notZ];
    case 'thresh': {
      const sum = (a: number, b: number): number => a + b;
      const ways = thresholdWays(
        costs,
        k,
        0,
        ([sat]) => sat,
        ([, dsat]) => dsat,
        sum,
        Math.max,
      );
      return [ways[k], ways[0]];
    }
    default:
      return leaf;
  }
}

function stackUse({ fragment, subs, k, keys }: NodeFields): [sat: StackUse, dsat: StackUse] {
  const [x, y, z] = subs.map(({ limits }) => limits);
  switch (fragment) {
    case '0':
      return [IMPOSSIBLE, PUSH];
    case '1':
    case 'older':
    case 'after':
      return [PUSH, IMPOSSIBLE];
    case 'pk_k':
      return [PUSH, PUSH];
    case 'pk_h': {
      const use = then(PUSH, EMPTY, PUSH, EQUAL_VERIFY);
      return [use, use];
    }
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return [then(PUSH, PUSH, EQUAL_VERIFY, EMPTY, PUSH, POP_ONE), IMPOSSIBLE];
    case 'multi': {
      // Consumes the dummy element and k signatures, and leaves one result. In between, all keys and two counts are
      // pushed.
      const use = { taken: k, peak: k + keys.length + 2 };
      return [use, use];
    }
    case 'multi_a': {
      const use = { taken: keys.length - 1, peak: keys.length };
      return [use, use];
    }
    case 'a':
    case 's':
    case 'n':
      return [x.sat, x.dsat];
    case 'c':
      return [then(x.sat, POP_ONE), then(x.dsat, POP_ONE)];
    case 'd':
      return [then(PUSH, POP_ONE, x.sat), then(PUSH, POP_ONE)];
    case 'v':
      return [then(x.sat, POP_ONE), IMPOSSIBLE];
    case 'j':
      return [then(PUSH, EMPTY, POP_ONE, x.sat), then(PUSH, EMPTY, POP_ONE)];
    case 'and_v':
      return [then(x.sat, y.sat), IMPOSSIBLE];
    case 'and_b':
      return [then(x.sat, y.sat, POP_ONE), then(x.dsat, y.dsat, POP_ONE)];
    case 'or_b':
      return [then(either(then(x.sat, y.dsat), then(x.dsat, y.sat)), POP_ONE), then(x.dsat, y.dsat, POP_ONE)];
    case 'or_c':
      return [either(then(x.sat, POP_ONE), then(x.dsat, POP_ONE, y.sat)), IMPOSSIBLE];
    case 'or_d':
      return [either(then(x.sat, PUSH, POP_ONE), then(x.dsat, EMPTY, POP_ONE, y.sat)), then(x.dsat, EMPTY, POP_ONE, y.dsat)];
    case 'or_i':
      return [then(POP_ONE, either(x.sat, y.sat)), then(POP_ONE, either(x.dsat, y.dsat))];
    case 'andor':
      return [either(then(x.sat, POP_ONE, y.sat), then(x.dsat, POP_ONE, z.sat)), then(x.dsat, POP_ONE, z.dsat)];
    case 'thresh': {
      const ways = thresholdWays(
        subs.map(({ limits }, place) => ({ limits, add: place === 0 ? EMPTY : POP_ONE })),
        k,
        EMPTY,
        ({ limits, add }) => then(limits.sat, add),
        ({ limits, add }) => then(limits.dsat, add),
        then,
        either,
      );
      return [then(ways[k], PUSH, POP_ONE), then(ways[0], PUSH, POP_ONE)];
    }
  }
}

/** Size of the largest signature with its hash type and length byte, by context. */
const SIGNATURE_BYTES = { wsh: 1 + 72, tapscript: 1 + 65 } as const;
const KEY_BYTES = { wsh: 1 + 33, tapscript: 1 + 32 } as const;
/** Sizes of an empty element, and of an element with the number 1. */
const ZERO_BYTES = 1;
const ONE_BYTES = 2;
const PREIMAGE_BYTES = 1 + 32;

/**
 * Computes the size of the largest witness elements with their lengths. Only dissatisfactions that are not malleable
 * count.
 */
function witnessBytes(node: NodeFields, context: MiniscriptContext): Cost {
  const part = ({ satBytes, dsatBytes }: Limits): Cost => [satBytes, dsatBytes];
  return largestCost(node, part, { one: ONE_BYTES, zero: ZERO_BYTES }, leafBytes(node, context));
}

function leafBytes({ fragment, k, keys }: NodeFields, context: MiniscriptContext): Cost {
  const [signature, key] = [SIGNATURE_BYTES[context], KEY_BYTES[context]];
  switch (fragment) {
    case '0':
      return [NEVER, 0];
    case '1':
    case 'older':
    case 'after':
      return [0, NEVER];
    case 'pk_k':
      return [signature, ZERO_BYTES];
    case 'pk_h':
      return [signature + key, ZERO_BYTES + key];
    case 'multi':
      return [ZERO_BYTES + k * signature, ZERO_BYTES + k * ZERO_BYTES];
    case 'multi_a':
      return [k * signature + (keys.length - k) * ZERO_BYTES, keys.length * ZERO_BYTES];
    default:
      return [PREIMAGE_BYTES, NEVER];
  }
}

/** Returns, for every number of satisfied parts up to k, the highest cost of satisfying exactly that many. */
function thresholdWays<Part, Cost>(
  parts: readonly Part[],
  k: number,
  none: Cost,
  sat: (part: Part) => Cost,
  dsat: (part: Part) => Cost,
  join: (a: Cost, b: Cost) => Cost,
  most: (a: Cost, b: Cost) => Cost,
): Cost[] {
  let ways = [none];
  for (const part of parts) {
    const [satCost, dsatCost] = [sat(part), dsat(part)];
    const next = [join(ways[0], dsatCost)];
    for (let n = 1; n <= Math.min(ways.length, k); n++) {
      const more = join(ways[n - 1], satCost);
      next.push(n < ways.length ? most(join(ways[n], dsatCost), more) : more);
    }
    ways = next;
  }
  return ways;
}
