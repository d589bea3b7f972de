// Parses musig(KEY,...) with the path behind it (BIP-0390).
import { HARDENED } from '../bip32/extended-key.js';
import { DescriptorError, within } from './context.js';
import { takeExpression, takeText } from './cursor.js';
import type { KeyExpression } from './key-expression.js';
import { MusigKey } from './musig-key.js';
import { alignPaths, type KeyPlace, type ParseState, type PathMarks, parsePath, takeRange } from './parse-path.js';

const NAME = 'musig(';

/** Parses one key expression: parseKey, which calls this file for musig(). */
type KeyParser = (text: string, place: KeyPlace, state: ParseState) => KeyExpression[];

/**
 * Parses musig(). Returns one key per path (multipath steps give several).
 * @param text begins with `musig(`
 * @param parseKey parses the participants
 * @throws DescriptorError
 */
export function parseMusig(text: string, place: KeyPlace, state: ParseState, parseKey: KeyParser): KeyExpression[] {
  const { context } = state;
  if (place !== 'x-only') throw new DescriptorError('musig() is only allowed in tr() and rawtr()');
  const end = text.indexOf(')');
  if (end < 0) throw new DescriptorError('Invalid musig() expression');
  const tail = text.slice(end + 1);
  if (tail.includes(')')) throw new DescriptorError("Too many ')' in musig() expression");
  if (tail !== '' && !tail.startsWith('/')) throw new DescriptorError('Invalid musig() expression');
  const participants = parseParticipants(text.slice(NAME.length, end), state, parseKey);
  const steps = tail.split('/').slice(1);
  const marks: PathMarks = { mark: "'" };
  const range = takeRange(steps, context, marks);
  const paths = within('musig()', context, () => parsePath(steps, true, context, marks));
  if (tail !== '') checkDerivation(participants.flat(), paths);
  if (range === 'hardened') throw new DescriptorError('musig(): Cannot have hardened child derivation');
  const rows = alignPaths(participants, 'musig(): Multipath derivation paths have mismatched lengths');
  if (rows.length > 1 && paths.length > 1) {
    throw new DescriptorError('musig(): Cannot have multipath participant keys if musig() is also multipath');
  }
  return Array.from({ length: Math.max(rows.length, paths.length) }, (_, i) => {
    const fields = { participants: rows[rows.length === 1 ? 0 : i], path: paths[paths.length === 1 ? 0 : i], star: range === 'plain' };
    return new MusigKey(fields, context);
  });
}

function parseParticipants(inner: string, state: ParseState, parseKey: KeyParser): KeyExpression[][] {
  const rest = { text: inner };
  const participants: KeyExpression[][] = [];
  while (rest.text !== '') {
    if (participants.length > 0 && !takeText(',', rest)) {
      throw new DescriptorError(`musig(): expected ',', got '${rest.text[0]}'`);
    }
    participants.push(within('musig()', state.context, () => parseKey(takeExpression(rest), 'participant', state)));
  }
  if (participants.length === 0) throw new DescriptorError('musig(): Must contain key expressions');
  return participants;
}

function checkDerivation(participants: readonly KeyExpression[], paths: readonly (readonly number[])[]): void {
  if (participants.some((key) => !key.isExtended)) {
    throw new DescriptorError('musig(): derivation requires all participants to be xpubs or xprvs');
  }
  if (participants.some((key) => key.isRange)) {
    throw new DescriptorError('musig(): Cannot have ranged participant keys if musig() also has derivation');
  }
  if (paths.some((path) => path.some((step) => step >= HARDENED))) {
    throw new DescriptorError('musig(): cannot have hardened derivation steps');
  }
}
