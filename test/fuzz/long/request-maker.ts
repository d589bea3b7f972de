// Makes requests for the live node: every declared method, with arguments that match its declaration or do not,
// sometimes damaged. Calls that would end the node, connect to other machines, or wait forever are left out or given a
// short limit.
import { METHODS } from '../../../src/rpc/declare/methods.js';
import type { ArgSpec, MethodSpec } from '../../../src/rpc/declare/types.js';
import type { Dice } from './dice.js';

/** Methods that end the node or connect to other machines. */
const LEFT_OUT = new Set(['stop', 'addnode']);

/** Methods that take long, mine, or write files. They are called rarely, so that others are called often. */
const HEAVY = new Set([
  ...'backupwallet createwallet dumpwallet encryptwallet generate generateblock generatetoaddress'.split(' '),
  ...'generatetodescriptor gettxoutsetinfo importwallet invalidateblock keypoolrefill loadwallet'.split(' '),
  ...'mockscheduler preciousblock reconsiderblock rescanblockchain restorewallet savemempool scantxoutset'.split(' '),
  ...'sethdseed setmocktime unloadwallet upgradewallet verifychain waitforblock waitforblockheight'.split(' '),
  ...'waitfornewblock walletpassphrase walletpassphrasechange walletprocesspsbt'.split(' '),
]);

/** One request in so many calls a method of this list. */
const HEAVY_ONE_IN = 400;

const ODD = [
  ...'null true false 0 -1 1 2 6 1.5 1e3 -0 99999999999999999999 2147483648 1e400 "" "x"'.split(' '),
  '"é\\u0000"',
  ...'[] {} [[]] "00" "zz" {"a":1,"a":2} "all" "*" ["net"] {"data":"00"}'.split(' '),
];

/** Texts that are valid in some argument. */
export interface Vocabulary {
  /** Block hashes and txids that exist. */
  readonly hashes: readonly string[];
  readonly addresses: readonly string[];
  /** Raw transactions, blocks, headers, scripts. */
  readonly hex: readonly string[];
  /** Keys, descriptors, labels, wallet names, signatures. */
  readonly texts: readonly string[];
  readonly psbts: readonly string[];
}

const light = [...METHODS.values()].filter(({ name }) => !LEFT_OUT.has(name) && !HEAVY.has(name));
const heavy = [...METHODS.values()].filter(({ name }) => HEAVY.has(name));

/** Names of all methods that are called. */
export const askedMethods: readonly string[] = [...light, ...heavy].map(({ name }) => name);

export class RequestMaker {
  readonly #words: Vocabulary;

  constructor(words: Vocabulary) {
    this.#words = words;
  }

  /** A request as JSON text. */
  make(dice: Dice): string {
    const spec = heavy.length > 0 && dice.oneIn(HEAVY_ONE_IN) ? dice.pick(heavy) : dice.pick(light);
    // Without a timeout these methods would wait forever.
    const waits = spec.args.some(({ name }) => name === 'timeout');
    const given = spec.args.slice(0, waits || dice.oneIn(12) ? spec.args.length : dice.below(spec.args.length + 1));
    const values = given.map((arg) => this.#argument(dice, spec, arg, 3));
    if (dice.oneIn(30)) values.push(dice.pick(ODD));
    const params = dice.oneIn(4)
      ? `{${values.map((value, i) => `"${dice.oneIn(20) ? 'nope' : dice.pick((given[i]?.name ?? 'x').split('|'))}":${value}`).join(',')}}`
      : `[${values.join(',')}]`;
    const version = dice.oneIn(6) ? '"jsonrpc":"2.0",' : '';
    return `{${version}"id":${dice.pick(['1', 'null', '"a"', '1.50', '[1,{"b":[]}]'])},"method":"${spec.name}","params":${params}}`;
  }

  #argument(dice: Dice, spec: MethodSpec, arg: ArgSpec, depth: number): string {
    // Waiting calls get a short timeout; numbers of blocks and keys stay small.
    if (arg.name === 'timeout') return '1';
    if (/^(nblocks|newsize|maxtries)/.test(arg.name)) return dice.pick(['0', '1', '2', '-1', '"x"', 'null']);
    if (spec.name === 'getblocktemplate' && arg.name === 'longpollid') return '"zz"';
    if (dice.oneIn(10)) return dice.pick(ODD);
    const { hashes, addresses, hex, texts, psbts } = this.#words;
    const quoted = (text: string): string => JSON.stringify(text);
    switch (arg.type) {
      case 'num':
        return dice.pick(['0', '1', '2', '3', '10', '100', '-1', '1.0', '9999999', '4294967296', '1700000000']);
      case 'bool':
        return dice.pick(['true', 'false']);
      case 'amount':
        return dice.pick(['0', '0.1', '1', '0.00000001', '"0.5"', '21000001', '-1', '0.000000001']);
      case 'range':
        return dice.pick(['0', '5', '[0,3]', '[3,0]', '[-1,1]', '1000001']);
      case 'hex':
        return quoted(dice.oneIn(3) ? dice.pick(hashes) : this.#damaged(dice, dice.pick(hex)));
      case 'arr':
        return depth === 0 ? '[]' : `[${Array.from({ length: dice.below(4) }, () => this.#member(dice, spec, arg, depth)).join(',')}]`;
      case 'obj':
        if (depth === 0 || !arg.inner) return '{}';
        return `{${arg.inner
          .filter(() => !dice.oneIn(3))
          .map((inner) => `"${dice.pick(inner.name.split('|'))}":${this.#argument(dice, spec, inner, depth - 1)}`)
          .join(',')}}`;
      case 'obj-user-keys':
        return `{${Array.from({ length: dice.below(3) }, () => `${quoted(dice.pick([...addresses, 'data', 'x']))}:${dice.pick(['0.1', '"00"', '1', '0'])}`).join(',')}}`;
      default: {
        if (/psbt|^txs$/.test(`${spec.name} ${arg.name}`) && arg.type === 'str') return quoted(this.#damaged(dice, dice.pick(psbts)));
        const kind = dice.below(10);
        if (kind < 3 || /hash|txid/.test(arg.name)) return quoted(dice.pick(hashes));
        if (kind < 6 || /address/.test(arg.name)) return quoted(dice.pick(addresses));
        return quoted(kind < 7 ? this.#damaged(dice, dice.pick(texts)) : dice.pick(texts));
      }
    }
  }

  #member(dice: Dice, spec: MethodSpec, arg: ArgSpec, depth: number): string {
    return arg.inner && arg.inner.length > 0 ? this.#argument(dice, spec, dice.pick(arg.inner), depth - 1) : dice.pick(ODD);
  }

  /** A text with a character changed, cut or doubled. */
  #damaged(dice: Dice, text: string): string {
    if (!dice.oneIn(3) || text.length === 0) return text;
    const at = dice.below(text.length);
    const kinds = [
      text.slice(0, at),
      text.slice(0, at) + dice.pick(['0', 'f', 'z', ' ', '#', 'é']) + text.slice(at + 1),
      text.slice(0, at) + text.slice(at - 1),
    ];
    return dice.pick(kinds);
  }
}
