// Finds the witness that satisfies miniscript with available signatures, preimages and locks: the smallest one that
// no third party can malleate (BIP-0379's tables of satisfactions and dissatisfactions). Core: ProduceInput.
import type { Fragment, MiniscriptContext, MiniscriptNode } from './fragment.js';

/** Data that a signer has. */
export interface WitnessSource {
  /** Returns the signature of a key as in the witness; undefined if there is none. */
  signature(place: number): Uint8Array | undefined;
  /** Returns the key as the script hashes it: 33 bytes, in tapscript 32. */
  publicKey(place: number): Uint8Array;
  /** Returns the preimage of a hash, 32 bytes; undefined if unknown. */
  preimage(fragment: Fragment, hash: Uint8Array): Uint8Array | undefined;
  /** Returns whether the input's sequence satisfies older(k). */
  isOlder(k: number): boolean;
  /** Returns whether the transaction's lock time satisfies after(k). */
  isAfter(k: number): boolean;
}

/** Witness elements in order, bottom first, joined without copying. flatten() makes the list. */
type Rope = Uint8Array | readonly [Rope, Rope] | null;

/** One way to satisfy or dissatisfy a node. */
interface Way {
  readonly elements: Rope;
  /** Size of the elements with their lengths, bytes. */
  readonly size: number;
  readonly signed: boolean;
  readonly malleable: boolean;
}

type Ways = readonly [dsat: Way | null, sat: Way | null];

const NOTHING: Way = { elements: null, size: 0, signed: false, malleable: false };

const element = (bytes: Uint8Array): Way => ({ ...NOTHING, elements: bytes, size: bytes.length + 1 });
const ZERO = element(new Uint8Array(0));
const ONE = element(Uint8Array.of(1));
const ZERO32 = element(new Uint8Array(32));
/** Size of a preimage, which the script enforces. */
const PREIMAGE_SIZE = 32;

/** Returns the witness of a script, bottom first, without script and control block; null if there is none. */
export function satisfyMiniscript(node: MiniscriptNode, context: MiniscriptContext, source: WitnessSource): Uint8Array[] | null {
  const [, sat] = waysOf(node, context, source);
  return sat === null || sat.malleable || !sat.signed ? null : flatten(sat.elements);
}

/** Joins the elements of two ways; those of the first are below the others on the stack. Null if either way is null. */
function join(below: Way | null, above: Way | null): Way | null {
  if (below === null || above === null) return null;
  return {
    elements: [below.elements, above.elements],
    size: below.size + above.size,
    signed: below.signed || above.signed,
    malleable: below.malleable || above.malleable,
  };
}

/**
 * Returns the better of two ways to satisfy a fragment. If only one of the two needs no signature, that one must be
 * used, because anyone could replace the other by it.
 */
function choose(a: Way | null, b: Way | null): Way | null {
  if (a === null) return b;
  if (b === null) return a;
  if (a.signed !== b.signed) return a.signed ? b : a;
  if (!a.signed) return { ...(a.size <= b.size ? a : b), malleable: true };
  if (a.malleable !== b.malleable) return a.malleable ? b : a;
  return a.size <= b.size ? a : b;
}

const malleable = (way: Way | null): Way | null => way && { ...way, malleable: true };

function waysOf(node: MiniscriptNode, context: MiniscriptContext, source: WitnessSource): Ways {
  const { fragment, subs, k, keys } = node;
  if (fragment === 'thresh') return threshWays(node, context, source);
  const [x, y, z] = subs.map((sub) => waysOf(sub, context, source)) as [Ways, Ways, Ways];
  const [xDsat, xSat] = x ?? [null, null];
  const [yDsat, ySat] = y ?? [null, null];
  const [zDsat, zSat] = z ?? [null, null];
  switch (fragment) {
    case '0':
      return [NOTHING, null];
    case '1':
      return [null, NOTHING];
    case 'pk_k':
      return [ZERO, signatureWay(keys[0], source)];
    case 'pk_h': {
      const key = element(source.publicKey(keys[0]));
      return [join(ZERO, key), join(signatureWay(keys[0], source), key)];
    }
    case 'older':
      return [null, source.isOlder(k) ? NOTHING : null];
    case 'after':
      return [null, source.isAfter(k) ? NOTHING : null];
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160': {
      // Any 32 bytes with another hash dissatisfy the fragment, so a dissatisfaction is malleable.
      const preimage = source.preimage(fragment, node.hash as Uint8Array);
      return [malleable(ZERO32), preimage?.length === PREIMAGE_SIZE ? element(preimage) : null];
    }
    case 'multi':
      return multiWays(node, source);
    case 'multi_a':
      return leafMultiWays(node, source);
    case 'a':
    case 's':
    case 'c':
    case 'n':
      return x;
    case 'd':
      return [ZERO, join(xSat, ONE)];
    case 'j':
      // If the inner expression can be dissatisfied without a signature, anyone could replace the zero by that
      // dissatisfaction.
      return [xDsat !== null && !xDsat.signed ? malleable(ZERO) : ZERO, xSat];
    case 'v':
      return [null, xSat];
    case 'and_v':
      return [join(yDsat, xSat), join(ySat, xSat)];
    case 'and_b': {
      const half = choose(malleable(join(ySat, xDsat)), malleable(join(yDsat, xSat)));
      return [choose(join(yDsat, xDsat), half), join(ySat, xSat)];
    }
    case 'or_b': {
      const one = choose(join(yDsat, xSat), join(ySat, xDsat));
      return [join(yDsat, xDsat), choose(one, malleable(join(ySat, xSat)))];
    }
    case 'or_c':
      return [null, choose(xSat, join(ySat, xDsat))];
    case 'or_d':
      return [join(yDsat, xDsat), choose(xSat, join(ySat, xDsat))];
    case 'or_i':
      return [choose(join(xDsat, ONE), join(yDsat, ZERO)), choose(join(xSat, ONE), join(ySat, ZERO))];
    case 'andor':
      return [choose(join(yDsat, xSat), join(zDsat, xDsat)), choose(join(ySat, xSat), join(zSat, xDsat))];
  }
}

function signatureWay(place: number, source: WitnessSource): Way | null {
  const signature = source.signature(place);
  return signature === undefined ? null : { ...element(signature), signed: true };
}

/** Returns, for every n up to the number of parts, the best way to satisfy exactly n of them. */
function countedWays(parts: readonly Ways[], start: Way): (Way | null)[] {
  let ways: (Way | null)[] = [start];
  for (const [dsat, sat] of parts) {
    const next = [join(ways[0], dsat)];
    for (let n = 1; n < ways.length; n++) next.push(choose(join(ways[n], dsat), join(ways[n - 1], sat)));
    next.push(join(ways[ways.length - 1], sat));
    ways = next;
  }
  return ways;
}

/**
 * Returns the ways of multi(): signatures in the order of keys above one zero. Keys that do not sign have no element.
 */
function multiWays({ keys, k }: MiniscriptNode, source: WitnessSource): Ways {
  const sats = countedWays(
    keys.map((place): Ways => [NOTHING, signatureWay(place, source)]),
    ZERO,
  );
  let dsat: Way | null = ZERO;
  for (let i = 0; i < k; i++) dsat = join(dsat, ZERO);
  return [dsat, sats[k]];
}

/** Returns the ways of multi_a(): one element per key, a signature or empty; the element of the first key is on top. */
function leafMultiWays({ keys, k }: MiniscriptNode, source: WitnessSource): Ways {
  const sats = countedWays(
    keys.toReversed().map((place): Ways => [ZERO, signatureWay(place, source)]),
    NOTHING,
  );
  return [sats[0], sats[k]];
}

/**
 * Returns the ways of thresh(). The elements of the first part are on top. Any number of satisfied parts other than k
 * dissatisfies it, so anyone could malleate such a dissatisfaction.
 */
function threshWays({ subs, k }: MiniscriptNode, context: MiniscriptContext, source: WitnessSource): Ways {
  const ways = countedWays(
    // Check from left to right, so that missing signatures are listed in the order of the script.
    subs.map((sub) => waysOf(sub, context, source)).reverse(),
    NOTHING,
  );
  let dsat: Way | null = null;
  ways.forEach((way, count) => {
    if (count !== k) dsat = choose(dsat, count === 0 ? way : malleable(way));
  });
  return [dsat, ways[k]];
}

function flatten(rope: Rope): Uint8Array[] {
  const elements: Uint8Array[] = [];
  const pending: Rope[] = [rope];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === null) continue;
    if (part instanceof Uint8Array) elements.push(part);
    else pending.push((part as readonly [Rope, Rope])[1], (part as readonly [Rope, Rope])[0]);
  }
  return elements;
}
