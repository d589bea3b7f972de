// Computes types and properties of miniscript nodes: the correctness, malleability and timelock tables of BIP-0379 as
// bit arithmetic.
//
//   B V K W   what the script leaves on the stack: a truth value, nothing, a key, a truth value one below the top
//   z o n     it takes no element, exactly one, or one that is not zero on top
//   d u       it can be dissatisfied; its truth value is exactly 1
//   f e s m   no dissatisfaction without a signature; a unique non-malleable dissatisfaction; needs a signature;
//             has a satisfaction that no third party can change
//   x         its last opcode has no VERIFY form
//   g h i j   holds a relative lock by time, by height, an absolute lock by time, by height
//   k         holds no two locks that exclude each other
import type { MiniscriptContext, NodeFields } from './fragment.js';

const LETTERS = 'BVKWzondufesmxghijk';

/** Returns a set of type properties as bits, one for each letter. */
export function bits(letters: string): number {
  let mask = 0;
  for (const letter of letters) mask |= 1 << LETTERS.indexOf(letter);
  return mask;
}

const cache = new Map<string, number>();

/** Returns the bits of letters, cached because the same few literals are used all the time. */
function t(letters: string): number {
  let mask = cache.get(letters);
  if (mask === undefined) cache.set(letters, (mask = bits(letters)));
  return mask;
}

/** Returns whether a type has all these letters. */
export function has(type: number, letters: string): boolean {
  const mask = t(letters);
  return (type & mask) === mask;
}

const when = (condition: boolean, mask: number): number => (condition ? mask : 0);

/** Bit of nSequence for seconds instead of blocks (BIP-0068). */
const SEQUENCE_TIME = 1 << 22;
/** nLockTime: lower values are heights, others are times. */
const LOCKTIME_THRESHOLD = 500_000_000;

/** Returns the type of a node; 0 if its parts do not fit together. */
export function typeOf(node: NodeFields, context: MiniscriptContext): number {
  const type = computeType(node, context);
  return (type & t('BVKW')) === 0 ? 0 : type;
}

function computeType(node: NodeFields, context: MiniscriptContext): number {
  const [x = 0, y = 0, z = 0] = node.subs.length <= 3 ? node.subs.map((sub) => sub.type) : [];
  switch (node.fragment) {
    case '0':
      return t('Bzudemsxk');
    case '1':
      return t('Bzufmxk');
    case 'pk_k':
      return t('Konudemsxk');
    case 'pk_h':
      return t('Knudemsxk');
    case 'older':
      return t('Bzfmxk') | ((node.k & SEQUENCE_TIME) !== 0 ? t('g') : t('h'));
    case 'after':
      return t('Bzfmxk') | (node.k >= LOCKTIME_THRESHOLD ? t('i') : t('j'));
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return t('Bonudmk');
    case 'multi':
      return t('Bnudemsk');
    case 'multi_a':
      return t('Budemsk');
    case 'a':
      return when(has(x, 'B'), t('W')) | (x & t('ghijkudfems')) | t('x');
    case 's':
      return when(has(x, 'Bo'), t('W')) | (x & t('ghijkudfemsx'));
    case 'c':
      return when(has(x, 'K'), t('B')) | (x & t('ghijkondfem')) | t('us');
    case 'd':
      return dupIf(x, context);
    case 'v':
      return when(has(x, 'B'), t('V')) | (x & t('ghijkzonms')) | t('fx');
    case 'j':
      return when(has(x, 'Bn'), t('B')) | when(has(x, 'f'), t('e')) | (x & t('ghijkoums')) | t('ndx');
    case 'n':
      return (x & t('ghijkBzondfems')) | t('ux');
    case 'and_v':
      return andV(x, y);
    case 'and_b':
      return andB(x, y);
    case 'or_b':
      return orB(x, y);
    case 'or_c':
      return orC(x, y);
    case 'or_d':
      return orD(x, y);
    case 'or_i':
      return orI(x, y);
    case 'andor':
      return andOr(x, y, z);
    case 'thresh':
      return thresh(node);
  }
}

/**
 * Returns the type of d:X (DUP IF X ENDIF). In tapscript, consensus requires a minimal argument of IF, so the result is
 * exactly 1 (property u).
 */
function dupIf(x: number, context: MiniscriptContext): number {
  return (
    when(has(x, 'Vz'), t('B')) |
    when(has(x, 'z'), t('o')) |
    when(has(x, 'f'), t('e')) |
    (x & t('ghijkms')) |
    when(context === 'tapscript', t('u')) |
    t('ndx')
  );
}

/** Returns whether two expressions that are both executed have locks that exclude each other. */
function bothLocks(x: number, y: number): boolean {
  const clash = (a: string, b: string): boolean => (has(x, a) && has(y, b)) || (has(x, b) && has(y, a));
  return clash('g', 'h') || clash('i', 'j');
}

const oneElement = (x: number, y: number): number => when(has(x | y, 'z'), (x | y) & t('o'));
const locksOf = (...types: number[]): number => types.reduce((all, type) => all | type, 0) & t('ghij');
const bothFree = (x: number, y: number): number => when(has(x & y, 'k') && !bothLocks(x, y), t('k'));

function andV(x: number, y: number): number {
  return (
    when(has(x, 'V'), y & t('KVB')) |
    (x & t('n')) |
    when(has(x, 'z'), y & t('n')) |
    oneElement(x, y) |
    (x & y & t('dmz')) |
    ((x | y) & t('s')) |
    when(has(y, 'f') || has(x, 's'), t('f')) |
    (y & t('ux')) |
    locksOf(x, y) |
    bothFree(x, y)
  );
}

function andB(x: number, y: number): number {
  return (
    when(has(y, 'W'), x & t('B')) |
    oneElement(x, y) |
    (x & t('n')) |
    when(has(x, 'z'), y & t('n')) |
    when(has(x & y, 's'), x & y & t('e')) |
    (x & y & t('dzm')) |
    when(has(x & y, 'f') || has(x, 'sf') || has(y, 'sf'), t('f')) |
    ((x | y) & t('s')) |
    t('ux') |
    locksOf(x, y) |
    bothFree(x, y)
  );
}

function orB(x: number, y: number): number {
  return (
    when(has(x, 'Bd') && has(y, 'Wd'), t('B')) |
    oneElement(x, y) |
    when(has(x | y, 's') && has(x & y, 'e'), x & y & t('m')) |
    (x & y & t('zse')) |
    t('dux') |
    locksOf(x, y) |
    (x & y & t('k'))
  );
}

function orC(x: number, y: number): number {
  return (
    when(has(x, 'Bdu'), y & t('V')) |
    when(has(y, 'z'), x & t('o')) |
    when(has(x, 'e') && has(x | y, 's'), x & y & t('m')) |
    (x & y & t('zs')) |
    t('fx') |
    locksOf(x, y) |
    (x & y & t('k'))
  );
}

function orD(x: number, y: number): number {
  return (
    when(has(x, 'Bdu'), y & t('B')) |
    when(has(y, 'z'), x & t('o')) |
    when(has(x, 'e') && has(x | y, 's'), x & y & t('m')) |
    (x & y & t('zs')) |
    (y & t('ufde')) |
    t('x') |
    locksOf(x, y) |
    (x & y & t('k'))
  );
}

function orI(x: number, y: number): number {
  return (
    (x & y & t('VBKufs')) |
    when(has(x & y, 'z'), t('o')) |
    when(has(x | y, 'f'), (x | y) & t('e')) |
    when(has(x | y, 's'), x & y & t('m')) |
    ((x | y) & t('d')) |
    t('x') |
    locksOf(x, y) |
    (x & y & t('k'))
  );
}

function andOr(x: number, y: number, z: number): number {
  const either = x | (y & z);
  return (
    when(has(x, 'Bdu'), y & z & t('BKV')) |
    (x & y & z & t('z')) |
    when(has(either, 'z'), either & t('o')) |
    (y & z & t('u')) |
    when(has(x, 's') || has(y, 'f'), z & t('fe')) |
    (z & t('d')) |
    when(has(x, 'e') && has(x | y | z, 's'), x & y & z & t('m')) |
    (z & (x | y) & t('s')) |
    t('x') |
    locksOf(x, y, z) |
    when(has(x & y & z, 'k') && !bothLocks(x, y), t('k'))
  );
}

function thresh({ subs, k }: NodeFields): number {
  let allE = true;
  let allM = true;
  let elements = 0;
  let signed = 0;
  let locks = t('k');
  for (let i = 0; i < subs.length; i++) {
    const { type } = subs[i];
    if (!has(type, i === 0 ? 'Bdu' : 'Wdu')) return 0;
    allE &&= has(type, 'e');
    allM &&= has(type, 'm');
    if (has(type, 's')) signed++;
    elements += has(type, 'z') ? 0 : has(type, 'o') ? 1 : 2;
    const free = has(locks & type, 'k') && (k <= 1 || !bothLocks(locks, type));
    locks = locksOf(locks, type) | when(free, t('k'));
  }
  return (
    t('Bdu') |
    when(elements === 0, t('z')) |
    when(elements === 1, t('o')) |
    when(allE && signed === subs.length, t('e')) |
    when(allE && allM && signed >= subs.length - k, t('m')) |
    when(signed >= subs.length - k + 1, t('s')) |
    locks
  );
}
