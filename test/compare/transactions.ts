// Random transactions near the edges of policy: which coins, which outputs, which fee.
import { type Out, push } from '../framework/messages.js';
import { type Coin, type Lock, type Made, outpointOf, scripts, unlock } from './coins.js';
import type { Ledger } from './ledger.js';

/** What bitcoind says of an entry of its mempool. */
export interface PoolEntry {
  vsize: number;
  weight: number;
  fees: { base: number; modified: number; ancestor: number; descendant: number };
  depends: string[];
  spentby: string[];
  ancestorcount: number;
}

export type Pool = Readonly<Record<string, PoolEntry>>;

export class Dice {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Below n. */
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

export const satoshis = (btc: number): number => Math.round(btc * 1e8);

export interface Wish {
  spends?: readonly Coin[];
  version?: number;
  fee?: (size: number) => number;
  outs?: readonly Out[];
  /** How many outputs the rest goes to. */
  into?: number;
}

const data = (bytes: number): Buffer => Buffer.concat([Buffer.from([0x6a]), push(Buffer.alloc(bytes, 7))]);
const MOST_SPENT = 3;

/** What was found of a mempool, found once. */
function kept<T>(all: WeakMap<Pool, T>, pool: Pool, find: () => T): T {
  const known = all.get(pool);
  if (known !== undefined) return known;
  const found = find();
  all.set(pool, found);
  return found;
}

export class Transactions {
  readonly #dice: Dice;
  readonly #ledger: Ledger;
  /** Outpoints that entries spend, with the entries' ids. */
  readonly #spent = new WeakMap<Pool, Map<string, string>>();
  readonly #confirmed = new WeakMap<Pool, Coin[]>();
  readonly #unconfirmed = new WeakMap<Pool, Coin[]>();
  readonly #contested = new WeakMap<Pool, Coin[]>();

  constructor(dice: Dice, ledger: Ledger) {
    this.#dice = dice;
    this.#ledger = ledger;
  }

  /** Coins that no entry spends. The ledger's coins stay while a mempool is worked with. */
  confirmed(pool: Pool): readonly Coin[] {
    return kept(this.#confirmed, pool, () => {
      const spent = this.#spentIn(pool);
      const free: Coin[] = [];
      for (const [outpoint, coin] of this.#ledger.coins) if (coin.value > 100_000 && !spent.has(outpoint)) free.push(coin);
      return free;
    });
  }

  /** Outputs of entries that no entry spends. */
  unconfirmed(pool: Pool): readonly Coin[] {
    return kept(this.#unconfirmed, pool, () => {
      const spent = this.#spentIn(pool);
      return Object.keys(pool).flatMap((id) => (this.#ledger.made.get(id)?.coins ?? []).filter((coin) => !spent.has(outpointOf(coin))));
    });
  }

  /** Coins that entries spend. */
  contested(pool: Pool): readonly Coin[] {
    return kept(this.#contested, pool, () => [...this.#spentIn(pool).keys()].flatMap((outpoint) => this.#ledger.coinOf(outpoint) ?? []));
  }

  /** One transaction; what is not wished for is drawn. */
  build(pool: Pool, wish: Wish = {}): Made {
    const dice = this.#dice;
    const spends = wish.spends ?? this.#coins(pool);
    const version = wish.version ?? (dice.chance(0.7) ? 2 : dice.pick([1, 2, 3, 3, 3, 3, 0, 4]));
    const extra = wish.outs ?? this.#extraOutputs();
    const total = spends.reduce((sum, { value }) => sum + value, 0);
    const into = wish.into ?? 1 + dice.below(3);
    // Signatures take most of the time.
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
    // A relative lock of nothing on an unconfirmed coin is left out: bitcoind keeps the lock's height of the first
    // verdict, and a reorganisation below that height drops the transaction although the next block could hold it. Adit
    // keeps it.
    const settled = spends.every((coin) => this.#ledger.coins.has(outpointOf(coin)));
    const sequence = dice.chance(0.1) ? dice.pick([settled ? 0 : 0xffffffff, 1, 2, 5, 0x400001, 0xfffffffd]) : 0xfffffffe;
    const locktime = dice.chance(0.05) ? this.#ledger.height + dice.below(3) - 1 : 0;
    const element = Buffer.alloc(dice.below(3), 1);
    const assemble = (fee: number): Made => {
      const left = total - fee - extra.reduce((sum, { value }) => sum + value, 0);
      const share = Math.max(0, Math.floor(left / into));
      const outs = [...extra, ...rest.map((script, i) => ({ value: i === 0 ? Math.max(0, left - share * (into - 1)) : share, script }))];
      const ins = spends.map(({ txid, index }) => ({ txid, index, sequence }));
      return unlock({ version, ins, outs, locktime }, spends, element);
    };
    const size = Math.ceil(assemble(1000).weight / 4);
    const result = assemble(Math.floor((wish.fee ?? ((s) => this.fee(pool, spends, s)))(size)));
    this.#ledger.made.set(result.id, result);
    return result;
  }

  /** A fee near what something asks for. */
  fee(pool: Pool, spends: readonly Coin[], size: number): number {
    const dice = this.#dice;
    const relay = Math.ceil(size / 10);
    const near = dice.below(5) - 2;
    const owners = this.#spentIn(pool);
    const rivals = new Set(spends.flatMap((coin) => owners.get(outpointOf(coin)) ?? []));
    if (rivals.size > 0 && dice.chance(0.85)) {
      const gone = [...this.#withDescendants(pool, rivals)].map((id) => pool[id]!);
      const fees = gone.reduce((sum, entry) => sum + satoshis(entry.fees.modified), 0);
      const rate = Math.max(...gone.map((entry) => satoshis(entry.fees.modified) / entry.vsize));
      return Math.max(0, dice.pick([fees + relay + near, fees + near, rate * size + near, fees + relay * 10, fees * 2 + relay]));
    }
    if (dice.chance(0.25)) return Math.max(0, relay + near);
    if (dice.chance(0.1)) return dice.pick([0, 1, relay * 2]);
    return relay + dice.below(size * 5);
  }

  #coins(pool: Pool): Coin[] {
    const dice = this.#dice;
    const sources = [this.confirmed(pool), this.unconfirmed(pool), this.contested(pool)];
    const found = new Map<string, Coin>();
    for (let i = dice.chance(0.6) ? 1 : 1 + dice.below(MOST_SPENT); i > 0; i--) {
      const draw = dice.below(100);
      const wanted = sources[draw < 50 ? 0 : draw < 80 ? 1 : 2]!;
      const from = wanted.length > 0 ? wanted : sources[0]!;
      const coin = dice.chance(0.01) ? dice.pick(this.#ledger.blocks.at(-1)!.coinbase.coins) : dice.pick(from);
      found.set(outpointOf(coin), coin);
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

  #spentIn(pool: Pool): ReadonlyMap<string, string> {
    return kept(this.#spent, pool, () => {
      const spent = new Map<string, string>();
      for (const id of Object.keys(pool)) for (const input of this.#ledger.made.get(id)?.tx.ins ?? []) spent.set(outpointOf(input), id);
      return spent;
    });
  }

  #withDescendants(pool: Pool, ids: Iterable<string>): Set<string> {
    const found = new Set(ids);
    for (const id of found) for (const child of pool[id]?.spentby ?? []) found.add(child);
    return found;
  }
}
