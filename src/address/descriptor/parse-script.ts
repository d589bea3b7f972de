// Parses script expressions, with the positions and messages of Core 0.21, and in the language `master` what came later
// (script/descriptor.cpp, ParseScript).
import { fromHex, isHex, toHex } from '../../consensus/bytes/hex.js';
import { decodeAddress, encodeAddress } from '../address.js';
import { parseMiniscript } from '../miniscript/parse.js';
import { type Fault, findFault, fits } from '../miniscript/sanity.js';
import { miniscriptText } from '../miniscript/text.js';
import { DescriptorError, within } from './context.js';
import { parseUint32, type RemainingText, splitCall, takeExpression, takeText } from './cursor.js';
import type { KeyExpression } from './key-expression.js';
import { ComboNode, type MultiName, MultiNode, PkhNode, PkNode, UnusedNode, WpkhNode } from './key-nodes.js';
import { MiniscriptScript } from './miniscript-node.js';
import { parseKey } from './parse-key.js';
import { alignPaths, type KeyPlace, type ParseState, type ScriptPlace } from './parse-path.js';
import type { ScriptNode } from './script-node.js';
import { type LeafNode, RawTrNode, TrNode } from './taproot-nodes.js';
import { FixedNode, ShNode, WshNode } from './wrapper-nodes.js';

/** Parses miniscript. Returns one node per path (multipath steps give several). @throws DescriptorError */
function parseMiniscriptNode(text: string, place: ScriptPlace, state: ParseState): ScriptNode[] {
  const context = place === 'wsh' ? 'wsh' : 'tapscript';
  const keys: KeyExpression[][] = [];
  const readKey = (key: string): number => keys.push(parseKey(key, place === 'wsh' ? 'compressed' : 'x-only', state)) - 1;
  const tree = parseMiniscript(text, context, readKey);
  if (tree === null || !fits(tree, context)) {
    if (place === 'sh') throw new DescriptorError('A function is needed within P2SH');
    throw new DescriptorError(place === 'wsh' ? 'A function is needed within P2WSH' : `'${text}' is not a valid descriptor function`);
  }
  if (place === 'top' || place === 'sh') throw new DescriptorError('Miniscript expressions can only be used in wsh or tr.');
  const first = keys.map(([key]) => key);
  const fault = findFault(tree, context, (at) => identityOf(first[at]));
  if (fault !== null) throw new DescriptorError(describe(fault, first));
  const rows = alignPaths(keys, 'Miniscript: Multipath derivation paths have mismatched lengths');
  return rows.map((row) => new MiniscriptScript(tree, row, context));
}

/**
 * Returns an identity of a key for finding duplicates: its first public key, because one key may be written in several
 * ways. Keys that need a private key are all equal for Core.
 */
function identityOf(key: KeyExpression): string {
  const publicKey = key.publicKey(0, {});
  return publicKey === null ? '' : toHex(publicKey);
}

function describe({ node, reason }: Fault, keys: readonly KeyExpression[]): string {
  const text = miniscriptText(node, (place) => keys[place].publicText());
  if (reason === null) return `${text} is not satisfiable`;
  if (reason === 'invalid') return `${text} is invalid`;
  return `${text} is not sane${reason === '' ? '' : `: ${reason}`}`;
}

const MAX_BARE_KEYS = 3;
/**
 * Largest number of keys in multi() and sortedmulti(). Core 0.21 pushes counts as OP_1 to OP_16. Later versions push
 * larger numbers, up to the limit of consensus.
 */
const MAX_KEYS = { '0.21': 16, master: 20 } as const;
const MAX_LEAF_KEYS = 999;
const MAX_REDEEM_SCRIPT = 520;
/** Largest number of merkle nodes in a control block. */
const MAX_TREE_DEPTH = 128;

const KEY_PLACES: Record<ScriptPlace, KeyPlace> = { top: 'any', sh: 'any', wsh: 'compressed', leaf: 'x-only' };

/** Parses a script expression. Returns one node per path (multipath steps give several). @throws DescriptorError */
export function parseScript(rest: RemainingText, place: ScriptPlace, state: ParseState): ScriptNode[] {
  const expression = takeExpression(rest);
  const call = splitCall(expression);
  const nodes = call && parseCall(call.name, call.inner, place, state);
  if (nodes) return nodes;
  if (state.context.language === 'master') return parseMiniscriptNode(expression, place, state);
  if (place === 'sh') throw new DescriptorError('A function is needed within P2SH');
  if (place === 'wsh') throw new DescriptorError('A function is needed within P2WSH');
  throw new DescriptorError(`${expression} is not a valid descriptor function`);
}

/** Refuses a function at a wrong position, with the message of `master` or of 0.21. */
function misplaced(state: ParseState, later: string, older = later): never {
  throw new DescriptorError(state.context.language === 'master' ? later : older);
}

const NESTED = 'at top level or inside sh()';

/** Parses a call; null if the name means nothing at this position. */
function parseCall(name: string, inner: string, place: ScriptPlace, state: ParseState): ScriptNode[] | null {
  const later = state.context.language === 'master';
  const keys = (keyPlace: KeyPlace): KeyExpression[] => within(`${name}()`, state.context, () => parseKey(inner, keyPlace, state));
  switch (name) {
    case 'pk':
      return keys(KEY_PLACES[place]).map((key) => new PkNode(key, place === 'leaf'));
    case 'pkh':
      if (place === 'leaf') return null;
      return keys(KEY_PLACES[place]).map((key) => new PkhNode(key));
    case 'combo':
      if (place !== 'top') misplaced(state, 'Can only have combo() at top level', 'Cannot have combo in non-top level');
      return keys('any').map((key) => new ComboNode(key));
    case 'multi':
    case 'sortedmulti':
      if (place !== 'leaf') return parseMulti(name, inner, place, state);
      return misplaced(state, 'Can only have multi/sortedmulti at top level, in sh(), or in wsh()');
    case 'multi_a':
    case 'sortedmulti_a':
      if (!later) return null;
      if (place === 'leaf') return parseMulti(name, inner, place, state);
      return misplaced(state, 'Can only have multi_a/sortedmulti_a inside tr()');
    case 'wpkh':
      if (place === 'wsh' || place === 'leaf') misplaced(state, `Can only have wpkh() ${NESTED}`, 'Cannot have wpkh within wsh');
      return keys('compressed').map((key) => new WpkhNode(key));
    case 'sh':
      if (place !== 'top') misplaced(state, 'Can only have sh() at top level', 'Cannot have sh in non-top level');
      return parseWhole(inner, 'sh', state).map((node) => new ShNode(node));
    case 'wsh':
      if (place === 'wsh' || place === 'leaf') misplaced(state, `Can only have wsh() ${NESTED}`, 'Cannot have wsh within wsh');
      return parseWhole(inner, 'wsh', state).map((node) => new WshNode(node));
    case 'addr':
      if (place === 'top') return [parseAddress(inner, state)];
      return later ? misplaced(state, 'Can only have addr() at top level') : null;
    case 'raw':
      if (place === 'top') return [parseRaw(inner)];
      return later ? misplaced(state, 'Can only have raw() at top level') : null;
    case 'tr':
      if (!later) return null;
      if (place !== 'top') misplaced(state, 'Can only have tr at top level');
      return parseTr(inner, state);
    case 'rawtr':
      if (!later) return null;
      if (place !== 'top') misplaced(state, 'Can only have rawtr at top level');
      return parseRawTr(inner, state);
    case 'unused':
      if (!later) return null;
      if (place !== 'top') misplaced(state, 'Can only have unused at top level');
      return parseUnused(inner, state);
    default:
      return null;
  }
}

/**
 * Parses a text that is exactly one script expression. Core has no message for text after it, so the error is empty.
 */
function parseWhole(inner: string, place: ScriptPlace, state: ParseState): ScriptNode[] {
  const rest = { text: inner };
  const nodes = parseScript(rest, place, state);
  if (rest.text !== '') throw new DescriptorError('');
  return nodes;
}

function parseMulti(name: MultiName, inner: string, place: ScriptPlace, state: ParseState): ScriptNode[] {
  const rest = { text: inner };
  const digits = takeExpression(rest);
  const threshold = parseUint32(digits, state.context.language === '0.21');
  if (threshold === null) throw new DescriptorError(`Multi threshold '${digits}' is not valid`);
  const keys: KeyExpression[][] = [];
  while (rest.text !== '') {
    if (!takeText(',', rest)) throw new DescriptorError(`Multi: expected ',', got '${rest.text[0]}'`);
    keys.push(within('Multi', state.context, () => parseKey(takeExpression(rest), KEY_PLACES[place], state)));
  }
  const limit = place === 'leaf' ? MAX_LEAF_KEYS : MAX_KEYS[state.context.language];
  checkCounts(threshold, keys, place, limit);
  const mismatch = 'multi(): Multipath derivation paths have mismatched lengths';
  return alignPaths(keys, mismatch).map((row) => new MultiNode(name, threshold, row));
}

function checkCounts(threshold: number, keys: readonly KeyExpression[][], place: ScriptPlace, limit: number): void {
  const count = keys.length;
  if (count === 0 || count > limit) {
    const where = place === 'leaf' ? 'multi_a' : 'multisig';
    throw new DescriptorError(`Cannot have ${count} keys in ${where}; must have between 1 and ${limit} keys, inclusive`);
  }
  if (threshold < 1) throw new DescriptorError(`Multisig threshold cannot be ${threshold}, must be at least 1`);
  if (threshold > count) {
    throw new DescriptorError(
      `Multisig threshold cannot be larger than the number of keys; threshold is ${threshold} but only ${count} keys specified`,
    );
  }
  if (place === 'top' && count > MAX_BARE_KEYS) {
    throw new DescriptorError(`Cannot have ${count} pubkeys in bare multisig; only at most ${MAX_BARE_KEYS} pubkeys`);
  }
  // Size of the script: one length byte for each key, and three opcodes (two counts and CHECKMULTISIG).
  const size = keys.reduce((sum, [key]) => sum + key.size + 1, 3);
  if (place === 'sh' && size > MAX_REDEEM_SCRIPT) {
    throw new DescriptorError(`P2SH script is too large, ${size} bytes is larger than ${MAX_REDEEM_SCRIPT} bytes`);
  }
}

function parseAddress(text: string, { context }: ParseState): ScriptNode {
  const decoded = decodeAddress(text, context.params, context.hashes);
  if ('error' in decoded) throw new DescriptorError('Address is not valid');
  return new FixedNode(decoded.script, encodeAddress(decoded.script, context.params, context.hashes));
}

function parseRaw(text: string): ScriptNode {
  if (!isHex(text)) throw new DescriptorError('Raw script is not hex');
  return new FixedNode(fromHex(text), null);
}

function parseRawTr(inner: string, state: ParseState): ScriptNode[] {
  const rest = { text: inner };
  const text = takeExpression(rest);
  if (rest.text !== '') throw new DescriptorError('rawtr(): only one key expected.');
  return within('rawtr()', state.context, () => parseKey(text, 'x-only', state)).map((key) => new RawTrNode(key));
}

function parseUnused(inner: string, state: ParseState): ScriptNode[] {
  const rest = { text: inner };
  const text = takeExpression(rest);
  if (rest.text !== '') throw new DescriptorError('unused(): only one key expected');
  const keys = parseKey(text, 'any', state);
  if (keys.some((key) => key.isRange)) throw new DescriptorError('unused(): key cannot be ranged');
  return keys.map((key) => new UnusedNode(key));
}

function parseTr(inner: string, state: ParseState): ScriptNode[] {
  const rest = { text: inner };
  const keys = within('tr()', state.context, () => parseKey(takeExpression(rest), 'x-only', state));
  if (rest.text === '') return keys.map((key) => new TrNode(key, []));
  if (!takeText(',', rest)) throw new DescriptorError(`tr: expected ',', got '${rest.text[0]}'`);
  const leaves = parseTree(rest, state);
  if (rest.text !== '') throw new DescriptorError("tr(): expected ')' after script expression");
  const scripts = alignPaths(
    leaves.map(({ nodes, depth }) => nodes.map((node): LeafNode => ({ node, depth }))),
    'tr(): Multipath subscripts have mismatched lengths',
    keys.length,
  );
  if (keys.length > 1 && keys.length !== scripts.length) {
    throw new DescriptorError('tr(): Multipath internal key mismatches multipath subscripts lengths');
  }
  return scripts.map((leaves, path) => new TrNode(keys[keys.length === 1 ? 0 : path], leaves));
}

/** Parses the script tree of tr(), without recursion over braces, because it may be 128 levels deep. */
function parseTree(rest: RemainingText, state: ParseState): { nodes: ScriptNode[]; depth: number }[] {
  const leaves: { nodes: ScriptNode[]; depth: number }[] = [];
  // For each open brace: true if the parser is in its right branch.
  const path: boolean[] = [];
  do {
    while (takeText('{', rest)) {
      path.push(false);
      if (path.length > MAX_TREE_DEPTH) throw new DescriptorError(`tr() supports at most ${MAX_TREE_DEPTH} nesting levels`);
    }
    leaves.push({ nodes: parseScript(rest, 'leaf', state), depth: path.length });
    while (path.at(-1) === true) {
      if (!takeText('}', rest)) throw new DescriptorError("tr(): expected '}' after script expression");
      path.pop();
    }
    if (path.length > 0) {
      if (!takeText(',', rest)) throw new DescriptorError("tr(): expected ',' after script expression");
      path[path.length - 1] = true;
    }
  } while (path.length > 0);
  return leaves;
}
