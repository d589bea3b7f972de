// Targets of text: JSON and JSON-RPC requests, addresses and keys in their encodings, descriptors, miniscript, amounts,
// signed messages.
import { decodeAddress, encodeAddress } from '../../../src/address/address.js';
import { decodeBase58, decodeBase58Check, encodeBase58, encodeBase58Check } from '../../../src/address/base58.js';
import { bytesToSymbols, decodeBech32, encodeBech32, symbolsToBytes } from '../../../src/address/bech32.js';
import {
  decodeExtendedKey,
  decodeExtendedSecret,
  encodeExtendedKey,
  encodeExtendedSecret,
} from '../../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../src/address/bip32/extended-key.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { parseDescriptor } from '../../../src/address/descriptor/parse.js';
import { compileMiniscript } from '../../../src/address/miniscript/compile.js';
import type { MiniscriptNode } from '../../../src/address/miniscript/fragment.js';
import { decodeMiniscript } from '../../../src/address/miniscript/from-script.js';
import { parseMiniscript } from '../../../src/address/miniscript/parse.js';
import { findFault, isValidTopLevel } from '../../../src/address/miniscript/sanity.js';
import { miniscriptText } from '../../../src/address/miniscript/text.js';
import { decodeBase64, encodeBase64, verifyMessage } from '../../../src/address/signed-message.js';
import { decodeWif, encodeWif } from '../../../src/address/wif.js';
import { fromHex, isHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import { scanMethod } from '../../../src/http/front/scan-method.js';
import { asAmount } from '../../../src/rpc/args.js';
import { RpcError } from '../../../src/rpc/errors.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { JsonParseError } from '../../../src/rpc/wire/json-tokens.js';
import { encodeJson, formatAmount } from '../../../src/rpc/wire/json-write.js';
import { RequestBody, RequestScan } from '../../../src/rpc/wire/request.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../../src/rpc/wire/values.js';
import { descriptorContext, hashes, keyMath, tools } from '../../framework/descriptor-context.js';
import { type Dice, textOf, utf8, wordsOf } from './dice.js';
import { attempt, Find, hold, same, type Target } from './target.js';

const contexts = [descriptorContext('0.21', 'regtest'), descriptorContext('master', 'regtest')] as const;
const { params } = contexts[0];

// --- JSON

const jsonWords = wordsOf(
  ...'{ } [ ] , : "'.split(' '),
  '\\u0000',
  '\\ud83d\\ude00',
  '\\ud800',
  '1e5',
  '-0',
  '0.1',
  'null',
  'true',
  ' ',
  'é',
  '\\n',
);

function randomJson(dice: Dice, depth: number): string {
  switch (dice.below(depth > 0 ? 9 : 7)) {
    case 0:
      return 'null';
    case 1:
      return dice.oneIn(2) ? 'true' : 'false';
    case 2:
      return String(dice.bits() - 2 ** 31);
    case 3:
      return dice.pick(['0', '-0', '1.50', '1e400', '12345678901234567890', '-1E-3', '0.00000001']);
    case 4:
      return JSON.stringify(dice.pick(['', 'x', 'é', '\u0000', '"\\', '😀', 'method', 'params', '\u007f']));
    case 5:
    case 6:
      return dice.pick(['"id"', '"2.0"', '[]', '{}', '"\\/"', '"\\ud83d\\ude00"']);
    case 7:
      return `[${Array.from({ length: dice.below(4) }, () => randomJson(dice, depth - 1)).join(',')}]`;
    default:
      return `{${Array.from({ length: dice.below(4) }, () => `${dice.pick(['"a"', '"id"', '"method"', '"a"'])}:${randomJson(dice, depth - 1)}`).join(',')}}`;
  }
}

/**
 * Converts a value as JSON.parse would. The first of repeated members wins in adit, the last in JSON.parse, so repeated
 * names are left out.
 */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof JsonObject) {
    const last = new Map(value.keys.map((name, i) => [name, value.values[i]]));
    return Object.fromEntries([...last].map(([name, member]) => [name, plain(member)]));
  }
  return value;
}

/** Surrogates by escapes, one of which may stand alone: refused here, as in Core, and taken by JSON.parse. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const json: Target = {
  name: 'json',
  share: 14,
  make: (dice) => (dice.oneIn(4) ? utf8(randomJson(dice, 4)) : dice.mutate(utf8(randomJson(dice, 4)), jsonWords)),
  check(input) {
    const value = attempt(JsonParseError, () => parseJson(input));
    const text = attempt(TypeError, () => strictUtf8.decode(input));
    const other = text === undefined ? undefined : attempt(SyntaxError, () => JSON.parse(text) as unknown);
    if (value === undefined) {
      hold(other === undefined || SURROGATE.test(text ?? ''), 'refused, though it is JSON');
      return false;
    }
    hold(other !== undefined, 'taken, though it is no JSON');
    // Names like __proto__ mean something else in plain objects; there is none among the words.
    hold(JSON.stringify(plain(value)) === JSON.stringify(other), 'another value');
    const written = encodeJson(value);
    hold(encodeJson(parseJson(utf8(written))) === written, 'does not survive being written');
    return true;
  },
};

const requests: Target = {
  name: 'request',
  share: 7,
  make(dice) {
    const one = (): string =>
      `{${[
        `"method":${dice.pick(['"getblockcount"', '5', 'null', '"x"'])}`,
        `"id":${randomJson(dice, 1)}`,
        `"params":${randomJson(dice, 2)}`,
        '"jsonrpc":"2.0"',
      ]
        .filter(() => !dice.oneIn(5))
        .join(',')}}`;
    const text = dice.oneIn(4) ? `[${Array.from({ length: dice.below(4) }, one).join(',')}]` : one();
    return dice.oneIn(3) ? utf8(text) : dice.mutate(utf8(text), jsonWords);
  },
  check(input) {
    const method = scanMethod(input);
    hold(/^[a-z]{1,32}$/.test(method), 'method of a large body');
    const scan = new RequestScan().start(input);
    // Scans with slices of 0 ms, so that it pauses wherever it can.
    while (!scan.goOn(0));
    const value = attempt(JsonParseError, () => parseJson(input));
    const isRequest = Array.isArray(value) || value instanceof JsonObject;
    hold(isRequest === (scan.fault === null), 'a request to the scan or to the parser, not to both');
    if (!isRequest) return false;
    const requests = new RequestBody(input, scan.index);
    const values = Array.isArray(value) ? value : [value];
    hold(requests.length === values.length, 'another number of requests');
    for (const [i, one] of values.entries()) {
      const { params, error, method: name } = requests.at(i);
      const wanted = one instanceof JsonObject ? one : new JsonObject([], []);
      if (error === null)
        hold(
          name === wanted.get('method') && encodeJson(params as JsonValue) === encodeJson(wanted.get('params') ?? []),
          'another request',
        );
    }
    return true;
  },
};

// --- encodings of bytes

const binaryText: Target = {
  name: 'base58-base64-hex',
  share: 8,
  make: (dice) => dice.bytes(dice.below(60)),
  check(input) {
    const base58 = encodeBase58(input);
    hold(same(decodeBase58(base58, 60) ?? new Uint8Array(1), input), 'base58');
    const checked = encodeBase58Check(input, hashes);
    hold(same(decodeBase58Check(checked, 60, hashes) ?? new Uint8Array(1), input), 'base58check');
    const base64 = encodeBase64(input);
    hold(base64 === Buffer.from(input).toString('base64') && same(decodeBase64(base64) ?? new Uint8Array(1), input), 'base64');
    hold(same(fromHex(toHex(input)), input), 'hex');
    const symbols = bytesToSymbols(input.subarray(0, 40));
    const back = symbolsToBytes(symbols);
    hold(back !== null && same(back, input.subarray(0, 40)), 'symbols');
    const bech32 = encodeBech32('bcrt', symbols, 'bech32m');
    const decoded = decodeBech32(bech32);
    hold(bech32.length > 90 ? decoded === null : decoded?.encoding === 'bech32m' && same(decoded.symbols, symbols), 'bech32');
    // As texts they are hardly ever anything.
    const text = textOf(input);
    decodeBase58(text, 40);
    decodeBech32(text);
    decodeBase64(text);
    hold(isHex(text) === (text !== '' && attempt(DecodeError, () => fromHex(text)) !== undefined), 'hex or not');
    return true;
  },
};

const WIF_KEY = new Uint8Array(32).fill(9);
const samples = [
  'bcrt1qrkdm7junpxckxj8kxkfrdh45p57yxg3wyd3mcw',
  'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6',
  'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
  '2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n',
  'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  encodeWif({ key: WIF_KEY, compressed: true }, params),
  encodeWif({ key: WIF_KEY, compressed: false }, params),
];
const master = masterFromSeed(new Uint8Array(32).fill(5), tools);
if (master !== null) samples.push(encodeExtendedKey(master.key, params, tools), encodeExtendedSecret(master, params, tools));
const SIGNATURE = encodeBase64(Uint8Array.from([31, ...new Uint8Array(64).fill(7)]));
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const addresses: Target = {
  name: 'address-key',
  share: 12,
  make(dice) {
    switch (dice.below(5)) {
      case 0:
        return dice.mutate(utf8(dice.pick(samples)), wordsOf('1', 'bcrt1', 'q', 'p', ' '));
      case 1:
        // With a checksum that is right, so that what is behind it is reached.
        return utf8(
          encodeBase58Check(
            Uint8Array.from([dice.pick([0, 5, 111, 128, 196, 239]), ...dice.bytes(dice.pick([19, 20, 21, 32, 33, 77]))]),
            hashes,
          ),
        );
      case 2: {
        const symbols = bytesToSymbols(dice.bytes(dice.pick([0, 1, 2, 20, 31, 32, 40, 41])));
        const version = dice.below(18);
        return utf8(
          encodeBech32(dice.pick(['bcrt', 'bc', 'tb', 'x']), Uint8Array.from([version & 31, ...symbols]), dice.pick(['bech32', 'bech32m'])),
        );
      }
      case 3:
        return utf8(dice.pick(samples));
      default:
        return utf8(Array.from({ length: 26 + dice.below(30) }, () => BASE58[dice.below(58)]).join(''));
    }
  },
  check(input) {
    const text = textOf(input);
    const decoded = decodeAddress(text, params, hashes);
    let good = false;
    if ('script' in decoded) {
      good = true;
      const again = encodeAddress(decoded.script, params, hashes);
      hold(again === text.trim() || again === text.toLowerCase() || again === null, `address ${again}`);
    } else hold(decoded.error !== undefined, 'neither script nor error');
    const wif = decodeWif(text, params, hashes);
    if (wif !== null) hold(encodeWif(wif, params, hashes) === text.trim(), 'wif');
    const xpub = decodeExtendedKey(text, params, tools);
    if (xpub !== null) hold(encodeExtendedKey(xpub, params, tools) === text.trim(), 'xpub');
    const xprv = decodeExtendedSecret(text, params, tools);
    if (xprv !== null) hold(encodeExtendedSecret(xprv, params, tools) === text.trim(), 'xprv');
    hold(typeof verifyMessage(text, SIGNATURE, input, params, hashes, keyMath) === 'string', 'message');
    return good || wif !== null || xpub !== null || xprv !== null;
  },
};

// --- descriptors and miniscript

const KEYS = Array.from({ length: 4 }, (_, i) => toHex(keyMath.publicKey(new Uint8Array(32).fill(i + 1), true) as Uint8Array));
const bareKeys = [
  ...KEYS,
  ...samples.slice(5),
  `${samples.at(-2)}/0/*`,
  `${samples.at(-1)}/1'/*'`,
  `[00000000/44']${KEYS[0]}`,
  `[ffffffff]${samples.at(-2)}/<0;1>/*`,
];
const names = [...'pk pkh wpkh sh wsh tr rawtr multi sortedmulti multi_a sortedmulti_a musig combo addr raw'.split(' ')];
const descriptorWords = wordsOf(
  ...names,
  ...KEYS.slice(0, 2),
  ...'( ) , { } # [ ] /'.split(' '),
  "'",
  'h',
  '*',
  '<0;1>',
  'and_v(v:',
  'older(1)',
  '2147483648',
);

function randomDescriptor(dice: Dice): string {
  const key = (): string => dice.pick(bareKeys);
  const list = (): string => Array.from({ length: 1 + dice.below(3) }, key).join(',');
  // As functions, so that only what is picked is made.
  const inner = (): string =>
    dice.pick([() => `pk(${key()})`, () => `pkh(${key()})`, () => `multi(1,${list()})`, () => `sortedmulti(2,${list()})`])();
  const tree = (depth: number): string =>
    depth > 0 && dice.oneIn(2)
      ? `{${tree(depth - 1)},${tree(depth - 1)}}`
      : dice.pick([() => `pk(${key()})`, () => `multi_a(1,${list()})`, () => `and_v(v:pk(${key()}),older(9))`])();
  return dice.pick([
    () => `pk(${key()})`,
    () => `wpkh(${key()})`,
    () => `combo(${key()})`,
    () => `sh(wpkh(${key()}))`,
    () => `sh(${inner()})`,
    () => `wsh(${inner()})`,
    () => `sh(wsh(${inner()}))`,
    () => `tr(${key()})`,
    () => `tr(${key()},${tree(2)})`,
    () => `rawtr(${key()})`,
    () => `addr(${samples[dice.below(4)]})`,
    () => `raw(${toHex(dice.bytes(dice.below(9)))})`,
    () => `wsh(${randomMiniscript(dice, 3)})`,
    () => `tr(musig(${list()})/0/*)`,
  ])();
}

const descriptors: Target = {
  name: 'descriptor',
  share: 2,
  make(dice) {
    const text = randomDescriptor(dice);
    if (dice.oneIn(4)) return utf8(dice.oneIn(2) ? addChecksum(text) : text);
    return dice.mutate(utf8(text), descriptorWords);
  },
  check(input) {
    const text = textOf(input);
    let good = false;
    for (const context of contexts) {
      const parsed = parseDescriptor(text, context);
      if ('error' in parsed) {
        hold(typeof parsed.error === 'string', 'no message');
        continue;
      }
      good = true;
      const [descriptor] = parsed.descriptors;
      const { secrets } = parsed;
      const again = parseDescriptor(String(descriptor), context, { requireChecksum: true });
      if ('error' in again || String(again.descriptors[0]) !== String(descriptor))
        throw new Find(`does not survive being printed: ${descriptor}`);
      const scripts = descriptor.scripts(1, { secrets });
      hold(scripts === null || scripts.every((script) => script instanceof Uint8Array), 'scripts');
      const written = JSON.stringify(scripts);
      hold(JSON.stringify(descriptor.expand(1, { secrets })?.scripts ?? null) === written, 'expands to other scripts');
      hold(JSON.stringify(again.descriptors[0].scripts(1, { secrets })) === written, 'printed it has other scripts');
      const privateText = descriptor.privateText(secrets);
      if (privateText !== null) {
        const full = parseDescriptor(privateText, context, { requireChecksum: true });
        if ('error' in full || full.secrets.size !== secrets.size) throw new Find(`loses private keys when it is printed: ${descriptor}`);
        // Inside tr(), a key in full whose secret is known is printed by its x coordinate.
        hold(text.includes('tr(') || String(full.descriptors[0]) === String(descriptor), 'with private keys it is another');
        hold(JSON.stringify(full.descriptors[0].scripts(1, { secrets })) === written, 'with private keys it has other scripts');
        full.secrets.wipe();
      }
      parsed.secrets.wipe();
    }
    return good;
  },
};

const wrappers = ['', '', '', '', 'v:', 'a:', 's:', 'c:', 'd:', 'j:', 'n:', 't:', 'l:', 'u:'];

function randomMiniscript(dice: Dice, depth: number): string {
  const wrap = dice.pick(wrappers);
  if (depth === 0 || dice.oneIn(3)) {
    const key = dice.pick(KEYS);
    const hash = dice.pick([`sha256(${'ab'.repeat(32)})`, `hash160(${'cd'.repeat(20)})`]);
    const lock = dice.oneIn(2) ? `older(${dice.below(70_000)})` : `after(${dice.bits()})`;
    return wrap + dice.pick([`pk(${key})`, `pkh(${key})`, `pk_k(${key})`, lock, '0', '1', hash, `multi(1,${key})`]);
  }
  const sub = (): string => randomMiniscript(dice, depth - 1);
  const name = dice.pick(['and_v', 'and_b', 'or_b', 'or_c', 'or_d', 'or_i', 'andor', 'thresh', 'and_n', 'and_v']);
  if (name === 'andor') return `${wrap}andor(${sub()},${sub()},${sub()})`;
  if (name === 'thresh') return `${wrap}thresh(1,${sub()},s:${sub()})`;
  return `${wrap}${name}(${name === 'and_v' ? 'v:' : ''}${sub()},${sub()})`;
}

const miniscripts: Target = {
  name: 'miniscript',
  share: 4,
  make: (dice) => (dice.oneIn(3) ? utf8(randomMiniscript(dice, 3)) : dice.mutate(utf8(randomMiniscript(dice, 3)), descriptorWords)),
  check(input) {
    const text = textOf(input);
    let good = false;
    for (const context of ['wsh', 'tapscript'] as const) {
      const keys: string[] = [];
      const node: MiniscriptNode | null = parseMiniscript(text, context, (key) => keys.push(key) - 1);
      if (node === null) continue;
      const printed = miniscriptText(node, (place) => keys[place]);
      const keysAgain: string[] = [];
      const again = parseMiniscript(printed, context, (key) => keysAgain.push(key) - 1);
      hold(again !== null && miniscriptText(again, (place) => keysAgain[place]) === printed, `does not survive being printed: ${printed}`);
      if (!isValidTopLevel(node, context)) continue;
      good = true;
      findFault(node, context, (place) => keys[place]);
      const script = compileMiniscript(node, { keys: keys.map(() => new Uint8Array(context === 'wsh' ? 33 : 32).fill(2)), hashes });
      hold(script.length > 0, 'an empty script');
    }
    return good;
  },
};

/** Scripts that are miniscript or nearly so, read back. */
const decodedScripts: Target = {
  name: 'miniscript-script',
  share: 3,
  make(dice) {
    // Most random trees have no type; some tries find one that has.
    for (let tries = 0; tries < 6; tries++) {
      const keys: Uint8Array[] = [];
      const node = parseMiniscript(randomMiniscript(dice, 2), 'wsh', (key) => keys.push(fromHex(key)) - 1);
      if (node === null || !isValidTopLevel(node, 'wsh')) continue;
      const script = compileMiniscript(node, { keys, hashes });
      return dice.oneIn(2) ? script : dice.mutate(script);
    }
    return dice.bytes(dice.below(60));
  },
  check(input) {
    let good = false;
    for (const context of ['wsh', 'tapscript'] as const) {
      const decoded = decodeMiniscript(input, context, () => null);
      if (decoded === null) continue;
      good = true;
      const again = compileMiniscript(decoded.tree, { keys: decoded.keys, hashes });
      hold(same(again, input), `compiles to ${toHex(again)}`);
    }
    return good;
  },
};

// --- amounts

/** The amount as Core defines it: a decimal number that is a whole number of satoshis, at most 18 digits long. */
function satoshis(text: string): bigint | null {
  const match = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return null;
  const [, sign, whole, fraction = '', power = '0'] = match;
  if (power.replace(/^[+-]?0*/, '').length > 4) return null;
  const shift = Number(power) + 8 - fraction.length;
  let digits = whole + fraction;
  if (shift < 0) {
    if (/[1-9]/.test(digits.slice(Math.max(0, digits.length + shift))) || (digits.length + shift < 0 && /[1-9]/.test(digits))) return null;
    digits = digits.slice(0, Math.max(0, digits.length + shift)) || '0';
  } else if (/[1-9]/.test(digits)) digits += '0'.repeat(Math.min(shift, 60));
  const value = BigInt(digits);
  return sign ? -value : value;
}

const amounts: Target = {
  name: 'amount',
  share: 10,
  make(dice) {
    const whole = dice.pick(['0', '1', '21000000', '20999999', '-1', String(dice.below(3e7)), '00', '']);
    const fraction = dice.oneIn(3) ? '' : `.${String(dice.bits()).slice(0, dice.below(11))}`;
    const power = dice.oneIn(4) ? `e${dice.below(30) - 15}` : '';
    return dice.oneIn(4)
      ? dice.mutate(utf8(whole + fraction + power), wordsOf('.', 'e', '-', '+', '0', ' '))
      : utf8(whole + fraction + power);
  },
  check(input) {
    const text = textOf(input);
    const ours = attempt(RpcError, () => asAmount(text));
    const right = satoshis(text);
    if (ours !== undefined) {
      hold(right === BigInt(ours), `${text} is ${right}, not ${ours}`);
      hold(asAmount(formatAmount(ours)) === ours, 'does not survive being written');
      return true;
    }
    // Core gives up on long runs of digits and zeros, and on exponents that leave no digits, even if the number would
    // be valid.
    hold(right === null || right < 0n || right > 2_100_000_000_000_000n || /\d{9}|[eE]/.test(text), `${text} is refused`);
    return false;
  },
};

export const textTargets: readonly Target[] = [json, requests, binaryText, addresses, descriptors, miniscripts, decodedScripts, amounts];
