// Output descriptors to output scripts: pk, pkh, wpkh, combo, multi, sortedmulti, sh, wsh, addr and raw, with the contexts and
// messages of Core 0.21 (script/descriptor.cpp). Used by the generate calls.
import { compareBytes, fromHex, isHex } from '../../consensus/bytes/hex.js';
import { joinScript, plainPush, pushNumber, scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { OP } from '../../consensus/script/opcodes.js';
import { publicKeyHashScript } from '../../consensus/script/templates.js';
import { decodeAddress } from '../address.js';
import { stripChecksum } from './checksum.js';
import { type DescriptorContext, DescriptorError, parseKey, parseUint32 } from './key.js';

/** Where an expression stands. */
type Place = 'top' | 'sh' | 'wsh';

const MAX_KEYS = 16;
const MAX_BARE_KEYS = 3;
const MAX_REDEEM_SCRIPT = 520;
const COMPRESSED_SIZE = 33;

/** What is left of the text; expressions are cut off its front. */
interface Rest {
  text: string;
}

/**
 * The scripts of a descriptor: one, or those of combo() in Core's order.
 * @returns scripts, or Core's message (empty where Core gives none)
 */
export function parseDescriptor(text: string, ctx: DescriptorContext): { scripts: Uint8Array[] } | { error: string } {
  const stripped = stripChecksum(text);
  if ('error' in stripped) return stripped;
  try {
    const rest = { text: stripped.payload };
    const scripts = parseScripts(rest, 'top', ctx);
    return rest.text === '' ? { scripts } : { error: '' };
  } catch (error) {
    if (error instanceof DescriptorError) return { error: error.message };
    throw error;
  }
}

/** Cuts off one expression: up to a comma or closing bracket that is not inside brackets of its own. */
function takeExpression(rest: Rest): string {
  let level = 0;
  let at = 0;
  for (; at < rest.text.length; at++) {
    const c = rest.text[at];
    if (c === '(' || c === '{') level++;
    else if (level > 0 && (c === ')' || c === '}')) level--;
    else if (level === 0 && (c === ')' || c === '}' || c === ',')) break;
  }
  const expression = rest.text.slice(0, at);
  rest.text = rest.text.slice(at);
  return expression;
}

/** What is between the brackets when the expression is a call of that name. */
function callOf(name: string, expression: string): string | null {
  return expression.startsWith(`${name}(`) && expression.endsWith(')') ? expression.slice(name.length + 1, -1) : null;
}

function parseScripts(rest: Rest, place: Place, ctx: DescriptorContext): Uint8Array[] {
  const expression = takeExpression(rest);
  const open = expression.indexOf('(');
  const name = open > 0 && expression.endsWith(')') ? expression.slice(0, open) : '';
  const inner = name === '' ? null : callOf(name, expression);
  if (inner !== null) {
    const scripts = parseCall(name, inner, place, ctx);
    if (scripts) return scripts;
  }
  if (place === 'sh') throw new DescriptorError('A function is needed within P2SH');
  if (place === 'wsh') throw new DescriptorError('A function is needed within P2WSH');
  throw new DescriptorError(`${expression} is not a valid descriptor function`);
}

/** Null for a name that means nothing in this place. */
function parseCall(name: string, inner: string, place: Place, ctx: DescriptorContext): Uint8Array[] | null {
  const anyKey = place !== 'wsh';
  switch (name) {
    case 'pk':
      return [payToKey(parseKey(inner, anyKey, ctx))];
    case 'pkh':
      return [publicKeyHashScript(ctx.hashes.hash160(parseKey(inner, anyKey, ctx)))];
    case 'combo':
      if (place !== 'top') throw new DescriptorError('Cannot have combo in non-top level');
      return comboScripts(parseKey(inner, true, ctx), ctx);
    case 'multi':
    case 'sortedmulti':
      return [multisigScript(inner, name === 'sortedmulti', place, ctx)];
    case 'wpkh':
      if (place === 'wsh') throw new DescriptorError('Cannot have wpkh within wsh');
      return [witnessProgramScript(0, ctx.hashes.hash160(parseKey(inner, false, ctx)))];
    case 'sh':
      if (place !== 'top') throw new DescriptorError('Cannot have sh in non-top level');
      return [scriptHashScript(ctx.hashes.hash160(wrapped(inner, 'sh', ctx)))];
    case 'wsh':
      if (place === 'wsh') throw new DescriptorError('Cannot have wsh within wsh');
      return [witnessProgramScript(0, ctx.hashes.sha256(wrapped(inner, 'wsh', ctx)))];
    case 'addr':
      return place === 'top' ? [addressScript(inner, ctx)] : null;
    case 'raw':
      return place === 'top' ? [rawScript(inner)] : null;
    default:
      return null;
  }
}

function wrapped(inner: string, place: Place, ctx: DescriptorContext): Uint8Array {
  const rest = { text: inner };
  const [script] = parseScripts(rest, place, ctx);
  if (rest.text !== '') throw new DescriptorError('');
  return script;
}

const payToKey = (key: Uint8Array): Uint8Array => joinScript(plainPush(key), OP.OP_CHECKSIG);

function comboScripts(key: Uint8Array, ctx: DescriptorContext): Uint8Array[] {
  const hash = ctx.hashes.hash160(key);
  const scripts = [payToKey(key), publicKeyHashScript(hash)];
  if (key.length !== COMPRESSED_SIZE) return scripts;
  const witness = witnessProgramScript(0, hash);
  return [...scripts, witness, scriptHashScript(ctx.hashes.hash160(witness))];
}

function multisigScript(inner: string, sorted: boolean, place: Place, ctx: DescriptorContext): Uint8Array {
  const rest = { text: inner };
  const threshold = takeExpression(rest);
  const needed = parseUint32(threshold);
  if (needed === null) throw new DescriptorError(`Multi threshold '${threshold}' is not valid`);
  const keys: Uint8Array[] = [];
  while (rest.text !== '') {
    if (!rest.text.startsWith(',')) throw new DescriptorError(`Multi: expected ',', got '${rest.text[0]}'`);
    rest.text = rest.text.slice(1);
    keys.push(parseKey(takeExpression(rest), place !== 'wsh', ctx));
  }
  checkCounts(needed, keys, place);
  if (sorted) keys.sort(compareBytes);
  return joinScript(pushNumber(needed), ...keys.map(plainPush), pushNumber(keys.length), OP.OP_CHECKMULTISIG);
}

function checkCounts(needed: number, keys: readonly Uint8Array[], place: Place): void {
  const count = keys.length;
  if (count === 0 || count > MAX_KEYS) {
    throw new DescriptorError(`Cannot have ${count} keys in multisig; must have between 1 and ${MAX_KEYS} keys, inclusive`);
  }
  if (needed < 1) throw new DescriptorError(`Multisig threshold cannot be ${needed}, must be at least 1`);
  if (needed > count) {
    throw new DescriptorError(
      `Multisig threshold cannot be larger than the number of keys; threshold is ${needed} but only ${count} keys specified`,
    );
  }
  if (place === 'top' && count > MAX_BARE_KEYS) {
    throw new DescriptorError(`Cannot have ${count} pubkeys in bare multisig; only at most ${MAX_BARE_KEYS} pubkeys`);
  }
  // One size byte for each key, one opcode for each count and the check.
  const size = keys.reduce((sum, key) => sum + key.length + 1, 3);
  if (place === 'sh' && size > MAX_REDEEM_SCRIPT) {
    throw new DescriptorError(`P2SH script is too large, ${size} bytes is larger than ${MAX_REDEEM_SCRIPT} bytes`);
  }
}

function addressScript(text: string, ctx: DescriptorContext): Uint8Array {
  const decoded = decodeAddress(text, ctx.params, ctx.hashes);
  if ('error' in decoded) throw new DescriptorError('Address is not valid');
  return decoded.script;
}

function rawScript(text: string): Uint8Array {
  if (!isHex(text)) throw new DescriptorError('Raw script is not hex');
  return fromHex(text);
}
