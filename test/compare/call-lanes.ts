// Random calls whose replies depend only on their arguments and on a chain that does not change: calls that parse,
// prove, derive, combine and calculate. A lane makes calls, and collects values from bitcoind's replies for later
// calls.
import { addChecksum } from '../../src/address/descriptor/checksum.js';
import { testKey } from '../framework/keys.js';
import { hash160, push, serializeTx } from '../framework/messages.js';
import { mutate, Random } from '../framework/mutate.js';
import { scripts } from './coins.js';
import type { Ledger } from './ledger.js';
import { type Call, Token } from './nodes.js';
import { RandomDescriptors, wif } from './random-descriptors.js';
import { RandomPsbts } from './random-psbts.js';
import { RandomSpends } from './random-spends.js';
import type { Dice, Transactions } from './transactions.js';

export interface Sources {
  readonly dice: Dice;
  readonly ledger: Ledger;
  readonly txs: Transactions;
}

export interface Lane {
  next(): Call;
  /** @param reply bitcoind's reply */
  learn?(call: Call, reply: unknown): void;
}

/** Largest number of texts to keep for later calls. */
const MOST_KEPT = 400;
const KEYS = Array.from({ length: 8 }, (_, i) => testKey(700 + i));

/** Texts from replies. If there are too many, the oldest are removed. */
class Kept {
  readonly #list: string[] = [];

  keep(text: unknown): void {
    if (typeof text !== 'string' || text.length > 20_000) return;
    this.#list.push(text);
    if (this.#list.length > MOST_KEPT) this.#list.shift();
  }

  pick(dice: Dice, or: () => string): string {
    return this.#list.length > 0 && dice.chance(0.7) ? dice.pick(this.#list) : or();
  }
}

const reply = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Bytes that are broken in one of three cases. */
const mutated = (dice: Dice, bytes: Uint8Array): Buffer =>
  Buffer.from(dice.chance(1 / 3) ? mutate(bytes, new Random(dice.below(2 ** 32))) : bytes);

/** Text that is broken in one of fifty cases. */
const text = (dice: Dice, good: string): string =>
  dice.chance(0.98)
    ? good
    : dice.pick([good.slice(1), `${good} `, ` ${good}`, good.toUpperCase(), `${good}0`, `${good}=`, '', `g${good.slice(1)}`, `0x${good}`]);

const orNothing = (dice: Dice, ...more: readonly unknown[]): unknown[] => (dice.chance(0.6) ? [] : [dice.pick(more)]);

const AMOUNTS = [
  '0', '-0', '0.0', '1', '-1', '1e-8', '1E-8', '0.00000001', '0.000000001', '0.000000010', '1e-9', '10e-9', '1e8', '1e+2', '1E-0', '21000000',
  '21000000.00000001', '20999999.99999999', '2100000000000000', '92233720368.54775807', '92233720368.54775808', '9223372036854775807', '1e400',
  '1e-400', '0.10000000000000000000', '0.1000000000000000000001', '0e5', '0e-9', '100000000000000000000', 'null', 'true', '[]', '{}', '""',
  '"1"', '"1.0"', '"0.00000001"', '"1e-8"', '" 1"', '"1 "', '"+1"', '"-1"', '"0x1"', '"1."', '".5"', '"01"', '"00.1"', '"1,0"', '"NaN"', '"1e"', '"1e+"',
] as const; // biome-ignore format: a table
const INTEGERS = [
  '0', '1', '-1', '2', '6', '1008', '1009', '1.0', '1.5', '1e0', '1e2', '-0', '2147483647', '2147483648', '-2147483648', '-2147483649',
  '4294967295', '4294967296', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '1e-1', '"1"', '""', 'null', 'true', '[]', '{}',
] as const; // biome-ignore format: a table

function amount(dice: Dice): Token {
  if (dice.chance(0.5)) return new Token(dice.pick(AMOUNTS));
  const digits = (most: number): string => Array.from({ length: 1 + dice.below(most) }, () => dice.below(10)).join('');
  const whole = dice.chance(0.6) ? '0' : `${1 + dice.below(9)}${dice.chance(0.5) ? digits(9) : ''}`;
  const number = `${dice.chance(0.05) ? '-' : ''}${whole}${dice.chance(0.8) ? `.${digits(dice.pick([3, 8, 8, 10, 20]))}` : ''}`;
  const token = `${number}${dice.chance(0.1) ? `${dice.pick(['e', 'E'])}${dice.pick(['', '+', '-'])}${digits(2)}` : ''}`;
  return new Token(dice.chance(0.3) ? `"${token}"` : token);
}

const integer = (dice: Dice): Token => new Token(dice.pick(INTEGERS));

/** Transactions and scripts as bytes, addresses, messages. */
class Bytes implements Lane {
  readonly #from: Sources;
  readonly #spends: RandomSpends;

  constructor(from: Sources) {
    this.#from = from;
    this.#spends = new RandomSpends(from.dice);
  }

  next(): Call {
    const { dice } = this.#from;
    switch (dice.below(12)) {
      case 0:
      case 1:
      case 2:
        return ['decoderawtransaction', text(dice, this.tx().toString('hex')), ...orNothing(dice, true, false, null)];
      case 3:
      case 4:
      case 5:
        return ['decodescript', text(dice, this.#script().toString('hex'))];
      case 6:
        return ['validateaddress', this.#address()];
      case 7:
        return ['combinerawtransaction', Array.from({ length: dice.below(4) }, () => this.tx().toString('hex'))];
      case 8:
        return this.#sign();
      case 9: {
        const keys = Array.from({ length: dice.pick([0, 1, 2, 3, 3, 16, 17, 20, 21]) }, () => this.#publicKey());
        const need = dice.chance(0.9) ? 1 + dice.below(Math.max(1, keys.length)) : integer(dice);
        return ['createmultisig', need, keys, ...orNothing(dice, 'legacy', 'p2sh-segwit', 'bech32', 'bech32m', 'x')];
      }
      case 10:
        return dice.chance(0.5)
          ? ['signmessagewithprivkey', text(dice, wif(dice.pick(KEYS), dice.chance(0.9))), dice.pick(['', 'text', 'é'])]
          : ['verifymessage', this.#address(), text(dice, mutated(dice, Buffer.alloc(65, 31)).toString('base64')), 'text'];
      default:
        return dice.pick<Call>([
          ['submitheader', this.#header().toString('hex')],
          ['getblockheader', text(dice, this.#from.ledger.tip), ...orNothing(dice, true, false, 1, null)],
          ['getblockhash', integer(dice)],
          [
            'getblockstats',
            dice.chance(0.5) ? integer(dice) : text(dice, this.#from.ledger.tip),
            ...orNothing(dice, ['avgfee'], ['x'], [], null),
          ],
          [
            'gettxout',
            text(dice, dice.pick(this.#from.ledger.spendable).outpoint.slice(0, 64)),
            integer(dice),
            ...orNothing(dice, true, false, 1),
          ],
          ['getblock', text(dice, this.#from.ledger.tip), integer(dice)],
          ['getchaintxstats', integer(dice), ...orNothing(dice, this.#from.ledger.tip, 'x')],
          ['getnetworkhashps', integer(dice), 1],
        ]);
    }
  }

  /** A random transaction, opened rightly or not; one of three is broken. */
  tx(): Buffer {
    const { dice, txs } = this.#from;
    if (dice.chance(0.5)) return mutated(dice, Buffer.from(txs.build().hex, 'hex'));
    const lock = this.#spends.lock();
    const spent = [{ value: 10_000, script: lock.script }];
    const tx = {
      version: dice.pick([1, 2, 3, -1, 2 ** 31 - 1]),
      ins: [{ txid: Buffer.alloc(32, dice.below(256)), index: dice.below(4), sequence: 0xfffffffe }],
      outs: Array.from({ length: dice.below(4) }, () => ({ value: dice.pick([0, 1, 546, 21e14]), script: this.#script() })),
      locktime: dice.pick([0, 100, 500_000_000, 0xffffffff]),
    };
    this.#spends.open(tx, 0, lock, spent);
    return mutated(dice, serializeTx(tx));
  }

  #script(): Buffer {
    const { dice } = this.#from;
    const key = dice.pick(KEYS);
    const draw = dice.below(10);
    if (draw < 2) return Buffer.from(Array.from({ length: dice.below(12) }, () => dice.below(256)));
    if (draw < 5) return mutated(dice, dice.chance(0.5) ? this.#spends.lock().script : this.#spends.lock().inner.script);
    const keys = Array.from({ length: 1 + dice.below(4) }, () => push(Buffer.from(this.#publicKey(), 'hex')));
    const parts = (...list: (number | Uint8Array)[]): Buffer =>
      Buffer.concat(list.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
    return mutated(
      dice,
      dice.pick([
        parts(push(key.publicKey), 0xac),
        parts(push(key.uncompressed), 0xac),
        parts(0x76, 0xa9, push(hash160(key.publicKey)), 0x88, 0xac),
        parts(0xa9, push(Buffer.alloc(20, 3)), 0x87),
        parts(0x50 + dice.below(17), ...keys, 0x50 + keys.length, 0xae),
        parts(0x6a, push(Buffer.alloc(dice.pick([0, 1, 4, 20, 75, 76, 80, 83, 256, 520]), 5))),
        parts(0x6a, push(Buffer.of(dice.below(256)))),
        parts(dice.pick([0, 0x50, 0x51, 0x52, 0x60]), push(Buffer.alloc(dice.pick([1, 2, 20, 32, 33, 40, 41]), 6))),
        parts(0x51, push(key.xonly)),
        Buffer.from('51024e73', 'hex'),
        parts(push(key.xonly), 0xac, push(KEYS[0]!.xonly), 0xba, 0x52, 0x9c),
        parts(0x63, push(key.publicKey), 0xac, 0x67, dice.pick([1, 2]), 0x90, 0, 0xb2, 0x75, 0x68),
        ...Object.values(scripts),
      ]),
    );
  }

  #publicKey(): string {
    const { dice } = this.#from;
    const key = dice.pick(KEYS);
    const bytes = dice.chance(0.9)
      ? key.publicKey
      : dice.pick([key.uncompressed, key.hybrid, key.xonly, Buffer.alloc(33, 2), Buffer.alloc(33, 5)]);
    return text(dice, Buffer.from(bytes).toString('hex'));
  }

  #address(): string {
    const { dice } = this.#from;
    const good = dice.pick([
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', '2N2JD6wb56AfK4tfmM6PwdVmoYk2dCKf4Br', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6', 'bcrt1pfeesnyr2tx', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'BCRT1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KYGT080',
    ]); // biome-ignore format: a table
    if (dice.chance(0.4)) return good;
    const list = [...good];
    for (let i = 1 + dice.below(3); i > 0; i--) {
      const at = dice.below(list.length);
      const way = dice.below(5);
      if (way === 0) list.splice(at, 1);
      else if (way === 1) list[at] = list[at]!.toUpperCase();
      else if (way === 2) list.splice(at, 0, list[at]!);
      else list[at] = dice.pick([...'qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio0IO !é']);
    }
    return list.join('');
  }

  #header(): Buffer {
    const { dice, ledger } = this.#from;
    return mutated(dice, dice.pick(ledger.blocks).header);
  }

  #sign(): Call {
    const { dice, txs } = this.#from;
    const made = txs.build();
    const prevs = made.spent.map((coin) => ({
      txid: text(dice, coin.outpoint.slice(0, 64)),
      vout: dice.chance(0.97) ? coin.index : integer(dice),
      scriptPubKey: text(dice, (dice.chance(0.95) ? scripts[coin.lock] : this.#script()).toString('hex')),
      ...(coin.lock === 'p2sh' ? { redeemScript: '51' } : {}),
      ...(coin.lock === 'true' && dice.chance(0.9) ? { witnessScript: '51' } : {}),
      ...(dice.chance(0.8) ? { amount: dice.chance(0.9) ? new Token((coin.value / 1e8).toFixed(8)) : amount(dice) } : {}),
    }));
    const keys = Array.from({ length: dice.below(3) }, () => text(dice, wif(dice.pick([...KEYS, testKey(77)]))));
    const bare = serializeTx(
      { ...made.tx, ins: made.tx.ins.map(({ txid, index, sequence }) => ({ txid, index, sequence: sequence ?? 0 })) },
      false,
    );
    const types = ['ALL', 'NONE|ANYONECANPAY', 'SINGLE', 'DEFAULT', 'all', '', 1];
    const list = dice.chance(0.7) ? [prevs] : [null];
    return [
      'signrawtransactionwithkey',
      (dice.chance(0.8) ? bare : this.tx()).toString('hex'),
      keys,
      ...list,
      ...orNothing(dice, ...types),
    ];
  }
}

/** Proofs that transactions are in a block. */
class Proofs implements Lane {
  readonly #from: Sources;
  readonly #proofs = new Kept();

  constructor(from: Sources) {
    this.#from = from;
  }

  next(): Call {
    const { dice, ledger } = this.#from;
    if (dice.chance(0.6))
      return [
        'verifytxoutproof',
        text(
          dice,
          mutated(
            dice,
            Buffer.from(
              this.#proofs.pick(dice, () => '00'),
              'hex',
            ),
          ).toString('hex'),
        ),
      ];
    const block = dice.pick(ledger.blocks.slice(-20));
    const ids = [block.coinbase, ...block.txs].map(({ id }) => id).filter(() => dice.chance(0.4));
    if (dice.chance(0.05)) ids.push(dice.pick(ledger.ids));
    if (dice.chance(0.05)) ids.push(ids[0] ?? '');
    return [
      'gettxoutproof',
      ids.map((id) => text(dice, id)),
      ...(dice.chance(0.8) ? [text(dice, block.hash)] : orNothing(dice, null, dice.pick(ledger.blocks).hash)),
    ];
  }

  learn([method]: Call, proof: unknown): void {
    if (method === 'gettxoutproof') this.#proofs.keep(proof);
  }
}

class Psbts implements Lane {
  readonly #from: Sources;
  readonly #random: RandomPsbts;
  readonly #descriptors: RandomDescriptors;
  readonly #kept = new Kept();
  readonly #outcomes = new Map<string, string>();

  constructor(from: Sources) {
    this.#from = from;
    const { dice, ledger } = from;
    this.#random = new RandomPsbts({ dice, coins: () => ledger.spendable, made: (id) => ledger.made.get(id) });
    this.#descriptors = new RandomDescriptors(dice);
  }

  next(): Call {
    const { dice, ledger, txs } = this.#from;
    switch (dice.below(13)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return ['decodepsbt', text(dice, this.#psbt())];
      case 4:
        return ['analyzepsbt', this.#psbt()];
      case 5: {
        const one = this.#psbt();
        const list = Array.from({ length: dice.pick([1, 2, 2, 3]) }, () =>
          dice.chance(0.7) ? dice.pick([one, this.#other(one)]) : this.#psbt(),
        );
        return ['combinepsbt', list];
      }
      case 6:
        return ['finalizepsbt', this.#psbt(), ...orNothing(dice, true, false)];
      case 7:
        return ['utxoupdatepsbt', this.#psbt(), ...orNothing(dice, [], this.#some(), [{ desc: this.#descriptors.text(), range: 2 }])];
      case 8: {
        const options = [...orNothing(dice, 'ALL', 'DEFAULT', 'SINGLE|ANYONECANPAY', 'x'), ...orNothing(dice, true, false)];
        return ['descriptorprocesspsbt', this.#psbt(), this.#some(), ...options];
      }
      case 9:
        return ['joinpsbts', Array.from({ length: dice.below(4) }, () => this.#psbt())];
      case 10: {
        const { tx } = txs.build();
        const bytes = dice.chance(0.5)
          ? serializeTx(tx)
          : serializeTx({ ...tx, ins: tx.ins.map(({ txid, index }) => ({ txid, index })) }, false);
        return [
          'converttopsbt',
          mutated(dice, bytes).toString('hex'),
          ...(dice.chance(0.5) ? [dice.chance(0.5), ...orNothing(dice, true, false, null)] : []),
        ];
      }
      default: {
        const ins = Array.from({ length: dice.below(3) }, () => {
          const { outpoint, index } = dice.pick(ledger.spendable);
          return {
            txid: text(dice, outpoint.slice(0, 64)),
            vout: dice.chance(0.95) ? index : integer(dice),
            ...(dice.chance(0.2) ? { sequence: integer(dice) } : {}),
          };
        });
        const outs = dice.chance(0.9)
          ? [{ bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080: amount(dice) }]
          : dice.pick([[], {}, [{ data: '00' }], [{ data: 'x' }]]);
        return ['createpsbt', ins, outs, ...(dice.chance(0.5) ? [integer(dice), ...orNothing(dice, true, false, null)] : [])];
      }
    }
  }

  #some(): unknown[] {
    const { dice } = this.#from;
    const own = wif(testKey(77));
    const known = [`wpkh(${own})`, `pkh(${own})`, `sh(multi(1,${own}))`, `tr(${own})`, `combo(${own})`];
    const all = [...known, ...known, this.#descriptors.text()].map((one) => (dice.chance(0.3) ? addChecksum(one) : one));
    return Array.from({ length: dice.below(3) }, () => dice.pick(all));
  }

  #psbt(): string {
    const { dice } = this.#from;
    const good = this.#kept.pick(dice, () => this.#random.bytes().toString('base64'));
    return dice.chance(0.8) ? good : mutated(dice, Buffer.from(good, 'base64')).toString('base64');
  }

  /** Returns the result of an earlier call on this text, or the text itself. */
  #other(one: string): string {
    return this.#outcomes.get(one) ?? one;
  }

  learn([method, first]: Call, of: unknown): void {
    if (method === 'joinpsbts') return;
    const made = reply(of).psbt ?? of;
    this.#kept.keep(made);
    if (typeof first === 'string' && typeof made === 'string') this.#outcomes.set(first, made);
    if (method === 'decodepsbt' && !('error' in reply(of))) this.#kept.keep(first);
  }
}

class Descriptors implements Lane {
  readonly #from: Sources;
  readonly #random: RandomDescriptors;
  readonly #kept = new Kept();

  constructor(from: Sources) {
    this.#from = from;
    this.#random = new RandomDescriptors(from.dice);
  }

  next(): Call {
    const { dice } = this.#from;
    const draw = dice.below(10);
    if (draw < 6) return ['getdescriptorinfo', this.#checked(this.#random.text(), 0.1)];
    const known = this.#checked(
      this.#kept.pick(dice, () => this.#random.text()),
      0.97,
    );
    if (draw < 9) return ['deriveaddresses', known, ...(dice.chance(0.3) ? [] : [this.#range()])];
    const object = dice.chance(0.5) ? known : { desc: known, ...(dice.chance(0.7) ? { range: this.#range() } : {}) };
    return ['scantxoutset', 'start', [object]];
  }

  #checked(one: string, share: number): string {
    const { dice } = this.#from;
    if (dice.chance(share)) return addChecksum(one);
    return dice.chance(0.95) ? one : dice.pick([`${one}#`, `${one}#00000000`, `${one}##`, `${addChecksum(one)}q`]);
  }

  #range(): unknown {
    const { dice } = this.#from;
    if (dice.chance(0.6)) return dice.pick([0, 1, 3, [0, 0], [1, 3], [2147483640, 2147483647]]);
    return dice.pick<unknown>([
      integer(dice),
      [integer(dice), integer(dice)],
      [3, 1],
      [-1, 1],
      [0, 2147483648],
      [1],
      [],
      [0, 1, 2],
      '1',
      null,
      [0, 10_000_000],
    ]);
  }

  learn([, first]: Call, of: unknown): void {
    if (typeof first === 'string' && 'checksum' in reply(of)) this.#kept.keep(first.split('#')[0]);
  }
}

/** Parameters that are amounts, fee rates and numbers. */
class Amounts implements Lane {
  readonly #from: Sources;

  constructor(from: Sources) {
    this.#from = from;
  }

  next(): Call {
    const { dice, ledger, txs } = this.#from;
    const id = (): string => text(dice, dice.pick(ledger.ids));
    switch (dice.below(8)) {
      case 0:
      case 1: {
        const outs = Array.from({ length: 1 + dice.below(2) }, () =>
          dice.pick<object>([
            { bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080: amount(dice) },
            { mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn: amount(dice), data: dice.pick(['', '00', 'x', '0']) },
          ]),
        );
        const { outpoint, index } = dice.pick(ledger.spendable);
        const vout = dice.chance(0.8) ? index : integer(dice);
        const ins = [{ txid: text(dice, outpoint.slice(0, 64)), vout, ...(dice.chance(0.3) ? { sequence: integer(dice) } : {}) }];
        const more = dice.chance(0.5) ? [integer(dice), ...orNothing(dice, true, false), ...orNothing(dice, integer(dice))] : [];
        return ['createrawtransaction', ins, dice.chance(0.8) ? outs : Object.assign({}, ...outs), ...more];
      }
      case 2:
        return ['sendrawtransaction', txs.build().hex, amount(dice), ...orNothing(dice, amount(dice))];
      case 3:
        return ['testmempoolaccept', [txs.build().hex], amount(dice)];
      case 4:
        return ['submitpackage', [txs.build().hex], amount(dice), ...orNothing(dice, amount(dice))];
      case 5:
        return [
          'prioritisetransaction',
          id(),
          dice.chance(0.7) ? 0 : amount(dice),
          // Adit refuses larger values (MOST_DELTA), so they are left out.
          dice.chance(0.8) ? dice.below(2000) - 1000 : new Token(dice.pick(INTEGERS.filter((one) => !(Math.abs(Number(one)) > 2 ** 52)))),
        ];
      case 6:
        return dice.chance(0.5)
          ? ['estimatesmartfee', integer(dice), ...orNothing(dice, 'economical', 'CONSERVATIVE', 'unset', 'x', 1, null)]
          : ['estimaterawfee', integer(dice), ...orNothing(dice, amount(dice), new Token('0.5'), new Token('1'), new Token('1.1'))];
      default:
        return dice.pick<Call>([
          ['getmempoolentry', id()],
          ['getrawtransaction', id(), integer(dice), ...orNothing(dice, ledger.tip, 'x')],
          ['gettxspendingprevout', [{ txid: id(), vout: integer(dice) }]],
          ['getprioritisedtransactions'],
          ['getblockhash', integer(dice)],
        ]);
    }
  }
}

export const LANES: Readonly<Record<string, new (from: Sources) => Lane>> = {
  bytes: Bytes,
  proofs: Proofs,
  psbts: Psbts,
  descriptors: Descriptors,
  amounts: Amounts,
};
