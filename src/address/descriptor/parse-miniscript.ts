// Parses miniscript where a descriptor may contain it, and refuses insane miniscript with Core's messages.
import { toHex } from '../../consensus/bytes/hex.js';
import { parseMiniscript } from '../miniscript/parse.js';
import { type Fault, findFault, fits } from '../miniscript/sanity.js';
import { miniscriptText } from '../miniscript/text.js';
import { DescriptorError } from './context.js';
import type { KeyExpression } from './key-expression.js';
import { MiniscriptScript } from './miniscript-node.js';
import { parseKey } from './parse-key.js';
import { alignPaths, type ParseState, type ScriptPlace } from './parse-path.js';
import type { ScriptNode } from './script-node.js';

/** Parses miniscript. Returns one node per path (multipath steps give several). @throws DescriptorError */
export function parseMiniscriptNode(text: string, place: ScriptPlace, state: ParseState): ScriptNode[] {
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
