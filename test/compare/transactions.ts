// Random transactions close to the limits of policy: their coins, outputs and fees.
import { type Out, push, type Tx } from '../framework/messages.js';
import { type Coin, type Lock, type Made, scripts, signedWeight, unlock } from './coins.js';
import type { Ledger } from './ledger.js';
import type { Pool } from './pool.js';

export class Dice {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Returns a whole number below n. */
  below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }
}

export interface Wish {
  spends?: readonly Coin[];
  version?: number;
  fee?: (size: number) => number;
  outs?: readonly Out[];
  /** Number of outputs that share the rest of the value. */
  into?: number;
}

const data = (bytes: number): Buffer => Buffer.concat([Buffer.from([0x6a]), push(Buffer.alloc(bytes, 7))]);
const MOST_SPENT = 3;

/** Number of random draws before all coins are searched for one that no entry spends. */
const DRAWS = 20;

export class Transactions {
  readonly #dice: Dice;
  readonly #ledger: Ledger;
  readonly #pool: Pool;

  constructor(dice: Dice, ledger: Ledger, pool: Pool) {
    this.#dice = dice;
    this.#ledger = ledger;
    this.#pool = pool;
  }

  /** Returns a confirmed coin that no entry spends. */
  confirmed(): Coin {
    const free = (coin: Coin): boolean => this.#pool.spender(coin) === undefined;
    for (let i = 0; i < DRAWS; i++) {
      const coin = this.#dice.pick(this.#ledger.spendable);
      if (free(coin)) return coin;
    }
    return this.#dice.pick(this.#ledger.spendable.filter(free));
  }

  /** Makes a transaction. Properties that are not in `wish` are random. */
  build(wish: Wish = {}): Made {
    const dice = this.#dice;
    const spends = wish.spends ?? this.#coins();
    const version = wish.version ?? (dice.chance(0.7) ? 2 : dice.pick([1, 2, 3, 3, 3, 3, 0, 4]));
    const extra = wish.outs ?? this.#extraOutputs();
    const total = spends.reduce((sum, { value }) => sum + value, 0);
    const into = wish.into ?? 1 + dice.below(3);
    // Locks that need a signature are rare, because signing takes most of the time.
    const locks: readonly Lock[] = [
      'true',
      'true',
      'true',
      'true',
      'drop',
      'drop',
      'p2sh',
      'p2sh',
      'anchor',
      'anchor',
      dice.pick(['p2wpkh', 'p2pkh']),
    ];
    const rest = Array.from({ length: into }, () => scripts[dice.pick(locks)]);
    // A relative lock of zero on an unconfirmed coin is left out. bitcoind keeps the lock's height of the first
    // verdict, and a reorganisation below that height drops the transaction although the next block could contain it.
    // Adit keeps the transaction.
    const settled = spends.every((coin) => this.#ledger.coins.has(coin.outpoint));
    const sequence = dice.chance(0.1) ? dice.pick([settled ? 0 : 0xffffffff, 1, 2, 5, 0x400001, 0xfffffffd]) : 0xfffffffe;
    const locktime = dice.chance(0.05) ? this.#ledger.height + dice.below(3) - 1 : 0;
    const element = Buffer.alloc(dice.below(3), 1);
    const unsigned = (fee: number): Tx => {
      const left = total - fee - extra.reduce((sum, { value }) => sum + value, 0);
      const share = Math.max(0, Math.floor(left / into));
      const outs = [...extra, ...rest.map((script, i) => ({ value: i === 0 ? Math.max(0, left - share * (into - 1)) : share, script }))];
      const ins = spends.map(({ txid, index }) => ({ txid, index, sequence }));
      return { version, ins, outs, locktime };
    };
    const size = Math.ceil(signedWeight(unsigned(1000), spends, element) / 4);
    const fee = Math.floor((wish.fee ?? ((s) => this.fee(spends, s)))(size));
    const result = unlock(unsigned(fee), spends, element);
    this.#ledger.keep(result);
    return result;
  }

  /** Returns a fee close to a limit. */
  fee(spends: readonly Coin[], size: number): number {
    const dice = this.#dice;
    const relay = Math.ceil(size / 10);
    const near = dice.below(5) - 2;
    const rivals = new Set(spends.flatMap((coin) => this.#pool.spender(coin) ?? []));
    if (rivals.size > 0 && dice.chance(0.85)) {
      const gone = [...this.#pool.withDescendants(rivals)].flatMap((id) => this.#pool.get(id) ?? []);
      const fees = gone.reduce((sum, entry) => sum + entry.fee, 0);
      const rate = Math.max(...gone.map((entry) => (entry.fee * 4) / entry.made.weight));
      return Math.max(0, dice.pick([fees + relay + near, fees + near, rate * size + near, fees + relay * 10, fees * 2 + relay]));
    }
    if (dice.chance(0.25)) return Math.max(0, relay + near);
    if (dice.chance(0.1)) return dice.pick([0, 1, relay * 2]);
    return relay + dice.below(size * 5);
  }

  #coins(): Coin[] {
    const dice = this.#dice;
    const { unspent, contested } = this.#pool;
    const found = new Map<string, Coin>();
    for (let i = dice.chance(0.6) ? 1 : 1 + dice.below(MOST_SPENT); i > 0; i--) {
      const draw = dice.below(100);
      const from = draw < 50 ? [] : draw < 80 ? unspent : contested;
      const coin = dice.chance(0.01)
        ? dice.pick(this.#ledger.blocks.at(-1)!.coinbase.coins)
        : from.length > 0
          ? dice.pick(from)
          : this.confirmed();
      found.set(coin.outpoint, coin);
    }
    return [...found.values()];
  }

  #extraOutputs(): Out[] {
    const dice = this.#dice;
    if (dice.chance(0.75)) return [];
    // The limits of TRUC: 1,000 and 10,000 virtual bytes.
    if (dice.chance(0.1)) return [{ value: 0, script: data(dice.pick([800, 850, 900, 950, 9750, 9800, 9900, 10_000])) }];
    const outs: Out[] = [];
    for (let i = 1 + dice.below(2); i > 0; i--) {
      const lock = dice.pick(['true', 'p2sh', 'p2wpkh', 'p2pkh', 'anchor'] as const);
      const edge = { true: 330, drop: 330, p2sh: 540, p2wpkh: 294, p2pkh: 546, anchor: 240 }[lock];
      outs.push(
        dice.pick<Out>([
          { value: edge + dice.below(3) - 1, script: scripts[lock] },
          { value: 0, script: scripts.anchor },
          { value: 0, script: data(dice.below(200)) },
          { value: 0, script: Buffer.from([0x6a]) },
          { value: 1000, script: Buffer.from([0x51]) },
        ]),
      );
    }
    return outs;
  }
}
