// Random descriptors: every function of the language with keys of every form, miniscript of mostly correct types, and
// texts that are broken somewhere.
import { encodeBase58Check } from '../../src/address/base58.js';
import { hashes } from '../framework/descriptor-context.js';
import { type TestKey, testKey } from '../framework/keys.js';
import type { Dice } from './transactions.js';

const KEYS: readonly TestKey[] = Array.from({ length: 8 }, (_, i) => testKey(700 + i));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const checked = (...parts: Uint8Array[]): string => encodeBase58Check(Buffer.concat(parts), hashes);

/** Encodes a private key of regtest. */
export const wif = (key: TestKey, compressed = true): string => checked(Buffer.of(0xef), key.secret, Buffer.alloc(compressed ? 1 : 0, 1));

/** Makes an extended key (BIP-0032). Its chain code and its position in the tree depend only on its number. */
function extended(n: number, secret: boolean): string {
  const key = KEYS[n]!;
  const head = Buffer.from(`${secret ? '04358394' : '043587cf'}0${n % 3}0000000${n}0000000${n}`, 'hex');
  return checked(head, Buffer.alloc(32, n + 1), secret ? Buffer.concat([Buffer.of(0), key.secret]) : key.publicKey);
}

/** Place of a key. The allowed keys depend on it. */
type Place = 'top' | 'sh' | 'wsh' | 'tr';
/** Types of miniscript: BIP-0379. */
type Type = 'B' | 'V' | 'K' | 'W';

const CHARACTERS = "(),/'*hH<>;{}:#@[]0179azAZ&|+-_ é\\";
const DEEPEST = 4;

export class RandomDescriptors {
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Makes a descriptor without a checksum; one in six is broken. */
  text(): string {
    const text = this.#top();
    return this.#dice.chance(1 / 6) ? this.broken(text) : text;
  }

  /** Changes one to three characters: replaces, removes, doubles or moves them. */
  broken(text: string): string {
    const dice = this.#dice;
    let list = [...text];
    for (let i = 1 + dice.below(3); i > 0; i--) {
      const at = dice.below(list.length + 1);
      const way = dice.below(6);
      if (way === 0) list.splice(at, 1);
      else if (way === 1) list.splice(at, 0, dice.pick([...CHARACTERS]));
      else if (way === 2) list[at] = dice.pick([...CHARACTERS]);
      else if (way === 3) list = list.slice(0, at);
      else if (way === 4) list.splice(at, 0, ...list.slice(at, at + dice.below(12)));
      else list.splice(at, 0, ...[...dice.pick(['pk(', 'wsh(', 'a:', 'v:', ',', '))', '/0/*', '/<0;1>', '[00000000]', '2147483648'])]);
    }
    return list.join('');
  }

  #top(): string {
    const dice = this.#dice;
    const key = (): string => this.key('top');
    switch (dice.below(16)) {
      case 0:
        return `pk(${key()})`;
      case 1:
        return `pkh(${key()})`;
      case 2:
        return `wpkh(${this.key('wsh')})`;
      case 3:
        return `combo(${key()})`;
      case 4:
        return `rawtr(${this.key('tr')})`;
      case 5:
        return `addr(${dice.pick(['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', key()])})`;
      case 6:
        return `raw(${dice.pick(['', '51', '6a', '0', 'zz', hex(Buffer.alloc(dice.below(40), 0x51)), `5120${hex(KEYS[0]!.xonly)}`])})`;
      case 7:
        return this.#multi('top');
      case 8:
        return `sh(${dice.pick([this.#multi('sh'), `wpkh(${this.key('wsh')})`, `pkh(${key()})`, `wsh(${this.#inWsh()})`, this.#top()])})`;
      case 9:
      case 10:
      case 11:
        return `wsh(${this.#inWsh()})`;
      case 12:
      case 13:
      case 14:
        return `tr(${this.key('tr')}${dice.chance(0.8) ? `,${this.#tree(0)}` : ''})`;
      default:
        return dice.pick([`unused(${key()})`, `multi(1,${key()})`, key(), '', `sp(${key()})`, `pkh(${key()}`]);
    }
  }

  #inWsh(): string {
    const dice = this.#dice;
    return dice.chance(0.2) ? dice.pick([this.#multi('wsh'), `pkh(${this.key('wsh')})`]) : this.#miniscript('B', 'wsh', 0);
  }

  #tree(depth: number): string {
    const dice = this.#dice;
    if (depth < DEEPEST && dice.chance(0.35)) return `{${this.#tree(depth + 1)},${this.#tree(depth + 1)}}`;
    return dice.chance(0.4) ? dice.pick([`pk(${this.key('tr')})`, this.#multi('tr')]) : this.#miniscript('B', 'tr', 0);
  }

  #multi(place: Place): string {
    const dice = this.#dice;
    const count = dice.chance(0.9) ? 1 + dice.below(4) : dice.pick([0, 15, 16, 17, 20, 21]);
    const need = dice.chance(0.85) ? 1 + dice.below(Math.max(1, count)) : dice.pick([0, count + 1, 17, '01', '+1', '-1', 'a', '']);
    const name = `${dice.pick(['multi', 'sortedmulti'])}${(place === 'tr') === dice.chance(0.95) ? '_a' : ''}`;
    return `${name}(${[need, ...Array.from({ length: count }, () => this.key(place))].join(',')})`;
  }

  /** Makes a key with an origin and a path, in a form for its place. */
  key(place: Place): string {
    const dice = this.#dice;
    const n = dice.below(KEYS.length);
    const key = KEYS[n]!;
    const origin = dice.chance(0.2)
      ? `[${dice.pick(['00000000', 'deadBEEF', 'd34db33f', '1234567', 'zz000000'])}${this.#path(dice.below(3))}]`
      : '';
    const draw = dice.below(100);
    if (draw < 5 && place === 'tr') return `musig(${this.#keys(place)})${dice.pick(['', '/0/*', '/*', '/<0;1>/*', "/0'"])}`;
    if (draw < 30) return origin + hex(place === 'tr' && dice.chance(0.5) ? key.xonly : key.publicKey);
    if (draw < 33) return origin + hex(dice.pick([key.uncompressed, key.hybrid, key.xonly, Buffer.alloc(33, 2), Buffer.alloc(32, 255)]));
    if (draw < 45) return origin + wif(key, dice.chance(0.92));
    const paths = ['', '/*', '/0/*', "/0'/*", '/1/2/*', '/*h', "/*'", '/<0;1>/*', '/<0;1;2h>/3', '/<1;1>', '/<0>', '/<0;1>/<0;1>/*'];
    return (
      origin + extended(n, dice.chance(0.4)) + (dice.chance(0.8) ? dice.pick(paths.slice(0, 8)) : dice.pick([...paths, this.#path(3)]))
    );
  }

  #keys(place: Place): string {
    return Array.from({ length: 1 + this.#dice.below(3) }, () => this.key(place)).join(',');
  }

  #path(steps: number): string {
    const dice = this.#dice;
    const numbers = ['0', '1', "44'", '1h', '2147483647', "2147483647'", '2147483648', '-1', '01', '', '4294967296', '1H'];
    return Array.from({ length: steps }, () => `/${dice.pick(dice.chance(0.9) ? numbers.slice(0, 6) : numbers)}`).join('');
  }

  /** Makes an expression. One in thirty does not have the wanted type. */
  #miniscript(wanted: Type, place: Place, depth: number): string {
    const dice = this.#dice;
    const type = dice.chance(1 / 30) ? dice.pick(['B', 'V', 'K', 'W'] as const) : wanted;
    const of = (inner: Type): string => this.#miniscript(inner, place, depth + 1);
    const leaf = depth >= DEEPEST || dice.chance(0.3);
    switch (type) {
      case 'W':
        return `${dice.pick(['a:', 'a:', 's:'])}${of('B')}`.replace(/^([as]):([a-z]+):/, '$1$2:');
      case 'V':
        if (leaf || dice.chance(0.5)) return `v:${of('B')}`.replace(/^v:([a-z]+):/, 'v$1:');
        return dice.pick([`and_v(${of('V')},${of('V')})`, `or_c(${of('B')},${of('V')})`, `or_i(${of('V')},${of('V')})`]);
      case 'K':
        if (leaf || dice.chance(0.7)) return dice.pick([`pk_k(${this.key(place)})`, `pk_h(${this.key(place)})`]);
        return dice.pick([`and_v(${of('V')},${of('K')})`, `or_i(${of('K')},${of('K')})`, `andor(${of('B')},${of('K')},${of('K')})`]);
      default:
        return leaf ? this.#leaf(place) : this.#branch(of, place);
    }
  }

  #leaf(place: Place): string {
    const dice = this.#dice;
    const number = (): number | string => {
      const usual = [1, 16, 17, 144, 65535, 0x400001, 499_999_999, 500_000_000, 2 ** 31 - 1];
      return dice.pick(dice.chance(0.9) ? usual : [0, 2 ** 31, 2 ** 32, '01', '-1', '1e3', '', '0x10']);
    };
    const draw = dice.below(20);
    if (draw < 8) return `pk(${this.key(place)})`;
    if (draw < 10) return `pkh(${this.key(place)})`;
    if (draw < 12) return `older(${number()})`;
    if (draw < 14) return `after(${number()})`;
    if (draw < 17)
      return `${dice.pick(['sha256', 'hash256'])}(${hex(Buffer.alloc(dice.chance(0.9) ? 32 : dice.pick([0, 20, 31, 33]), 7))})`;
    if (draw < 19) return `${dice.pick(['ripemd160', 'hash160'])}(${hex(Buffer.alloc(dice.chance(0.9) ? 20 : dice.pick([0, 32]), 7))})`;
    return dice.pick(['0', '1', this.#multi(place)]);
  }

  #branch(of: (type: Type) => string, place: Place): string {
    const dice = this.#dice;
    switch (dice.below(12)) {
      case 0:
        return `and_v(${of('V')},${of('B')})`;
      case 1:
        return `and_b(${of('B')},${of('W')})`;
      case 2:
        return `or_b(${of('B')},${of('W')})`;
      case 3:
        return `or_d(${of('B')},${of('B')})`;
      case 4:
        return `or_i(${of('B')},${of('B')})`;
      case 5:
        return `andor(${of('B')},${of('B')},${of('B')})`;
      case 6: {
        const rest = Array.from({ length: dice.below(4) }, () => of('W'));
        return `thresh(${[dice.chance(0.9) ? 1 + dice.below(rest.length + 1) : dice.pick([0, rest.length + 2, 'x']), of('B'), ...rest].join(',')})`;
      }
      case 7:
        return `and_n(${of('B')},${of('B')})`;
      case 8:
        return `c:${of('K')}`;
      case 9:
        return `d:${of('V')}`.replace(/^d:([a-z]+):/, 'd$1:');
      case 10:
        return this.#multi(place);
      default: {
        const wrapper = dice.pick(['j', 'n', 'l', 'u', 'jn', 'll', 'ul', 't', 'dv']);
        return `${wrapper}:${of(wrapper === 't' ? 'V' : 'B')}`.replace(/^([a-z]+):([a-z]+):/, '$1$2:');
      }
    }
  }
}
