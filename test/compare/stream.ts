// The random stream of actions. Each depends on the seed and on the content of bitcoind's mempool.

import type { Delivery } from './block-peer.js';
import type { Block, Coin, Made } from './coins.js';
import { blockBytes, scripts, unlock } from './coins.js';
import type { Ledger } from './ledger.js';
import type { Call } from './nodes.js';
import type { Pool } from './pool.js';
import type { Dice, Transactions } from './transactions.js';
import { mutatedCopy, wrongBlock } from './wrong-blocks.js';

/** Calls that both nodes receive in this order. */
export interface Action {
  name: string;
  calls: Call[];
  /** Transactions that a peer sends to both in this order, after the calls. */
  sent?: readonly Made[];
  /** A block that a peer sends to both, after the calls. */
  brought?: Delivery;
  /** Runs when bitcoind has processed them. */
  done?: () => void;
}

const OF_BLOCK_COINS = 20;
const MOST_BLOCK_WEIGHT = 3_000_000;

export class Stream {
  readonly #dice: Dice;
  readonly #ledger: Ledger;
  readonly #pool: Pool;
  /** Further actions that belong to an action that was begun. */
  #planned: (() => Action)[] = [];
  readonly #txs: Transactions;

  constructor(dice: Dice, ledger: Ledger, pool: Pool, txs: Transactions) {
    this.#dice = dice;
    this.#pool = pool;
    this.#ledger = ledger;
    this.#txs = txs;
  }

  next(): Action {
    const planned = this.#planned.shift();
    if (planned !== undefined) return planned();
    const draw = this.#dice.below(100);
    if (draw < 32) return send(this.#txs.build());
    if (draw < 35) return { name: 'peer', calls: [], sent: [this.#txs.build()] };
    if (draw < 38) return this.#orphans();
    if (draw < 45) return this.#family();
    if (draw < 53) return this.#chain();
    if (draw < 72) return this.#package('submitpackage');
    if (draw < 78) return this.#package('testmempoolaccept');
    if (draw < 84) return { name: 'test one', calls: [['testmempoolaccept', [this.#txs.build().hex], 0]] };
    if (draw < 88) return this.#again();
    if (draw < 92) return this.#prioritise();
    if (draw < 95) return this.block(this.#some());
    if (draw < 97) return this.#tale();
    if (draw < 98) return this.#clock();
    return this.#reorganise();
  }

  /**
   * Moves both clocks: forwards together with the times of the next blocks, at most past the expiry of entries, or
   * backwards until the next block.
   */
  #clock(): Action {
    const dice = this.#dice;
    if (dice.chance(0.3)) return { name: 'clock', calls: [['setmocktime', this.#ledger.wait(dice.pick([3600, 86_400, 15 * 86_400]))]] };
    return { name: 'clock', calls: [['setmocktime', this.#ledger.time - dice.pick([1, 600, 7300, 86_400])], ...this.#chain().calls] };
  }

  /**
   * Returns an action that changes the chain and breaks no rule: how much of an invalid block a node stores depends on
   * how often it arrives.
   */
  moving(): Action {
    const draw = this.#dice.below(4);
    if (draw < 2) return this.#bring('block', this.#ledger.next(this.#some(), OF_BLOCK_COINS));
    return draw === 2 ? this.block(this.#some()) : this.#reorganise();
  }

  /** Mines a block of these transactions, with parents before children. */
  block(txs: readonly Made[]): Action {
    const block = this.#ledger.next(txs, OF_BLOCK_COINS);
    return { name: 'block', calls: [mocked(block), ['submitblock', block.hex]], done: () => this.#ledger.connect(block) };
  }

  /** An invalid block, changed copies of a block, or a block whose parent is withheld. */
  #tale(): Action {
    const dice = this.#dice;
    const draw = dice.below(10);
    if (draw < 5) return this.#wrong();
    const first = this.#ledger.next(this.#some(), OF_BLOCK_COINS);
    if (draw < 8) {
      this.#plan([...this.#copies(first), this.#bring('block', first), ...this.#copies(first)]);
    } else {
      const child = this.#ledger.next([], OF_BLOCK_COINS, undefined, first);
      const ahead = [first.header, child.header];
      this.#plan([
        this.#bring('child', child, child.body, ahead),
        ...this.#copies(child),
        ...this.#copies(first),
        this.#bring('parent', first),
        ...this.#copies(child),
        ...this.#copies(first),
        // The node may have treated the child as an unrequested block.
        this.#bring('child again', child),
      ]);
    }
    return this.next();
  }

  #plan(actions: readonly Action[]): void {
    this.#planned.push(...actions.map((action) => () => action));
  }

  /** An invalid block, and sometimes a block on top of it. */
  #wrong(): Action {
    const { name, block } = wrongBlock({ dice: this.#dice, ledger: this.#ledger, txs: this.#txs }, this.#some(), OF_BLOCK_COINS);
    if (this.#dice.chance(0.2)) this.#plan([this.#bring(`child of: ${name}`, this.#ledger.next([], OF_BLOCK_COINS, undefined, block))]);
    if (this.#dice.chance(0.2)) this.#plan([this.#bring(`again: ${name}`, block)]);
    return this.#bring(`wrong: ${name}`, block);
  }

  /** Returns up to two changed copies of a block. */
  #copies(block: Block): Action[] {
    return Array.from({ length: this.#dice.below(3) }, () => mutatedCopy(this.#dice, block)).flatMap((copy) =>
      copy === null ? [] : [this.#bring(`copy: ${copy.name}`, block, copy.body)],
    );
  }

  /**
   * Delivers a block by a call or by a peer.
   * @param body other transactions than its own
   * @param ahead headers that are announced first
   */
  #bring(name: string, block: Block, body: readonly Buffer[] = block.body, ahead?: readonly Buffer[]): Action {
    const way = this.#dice.pick(['call', 'call', 'block', 'headers', 'compact'] as const);
    const time = mocked(block);
    if (way === 'call' && ahead === undefined) {
      return { name, calls: [time, ['submitblock', blockBytes(block.header, body).toString('hex')]] };
    }
    const brought: Delivery = { way: way === 'call' ? 'headers' : way, header: block.header, body, ...(ahead && { ahead }) };
    return { name: `${name} (${brought.way})`, calls: [time], brought };
  }

  /** Returns as many of these entries, in the given order, as fit into a block. */
  fitting(ids: Iterable<string>): Made[] {
    let weight = 0;
    const found: Made[] = [];
    for (const id of ids) {
      const tx = this.#ledger.made.get(id);
      if (tx === undefined) continue;
      weight += tx.weight;
      if (weight > MOST_BLOCK_WEIGHT) break;
      found.push(tx);
    }
    return found;
  }

  /** Makes a long chain or many children of one parent, up to the limits of clusters. */
  #chain(): Action {
    const dice = this.#dice;
    const free = dice.chance(0.5) ? this.#pool.unspent : [];
    const start = free.length > 0 ? dice.pick(free) : this.#txs.confirmed();
    const version = dice.chance(0.9) ? 2 : 3;
    const calls: Call[] = [];
    let ends: Coin[] = [start];
    for (let i = 2 + dice.below(dice.chance(0.5) ? 6 : 70); i > 0 && ends.length > 0; i--) {
      const spends = dice.chance(0.2) ? ends.slice(0, 2) : [dice.pick(ends)];
      // Most fees are sufficient, so that the chain can grow.
      const fee = dice.chance(0.95) ? (size: number): number => Math.ceil(size / 10) + dice.below(50) : undefined;
      const tx = this.#txs.build({ spends, version, into: 1 + dice.below(3), outs: [], ...(fee ? { fee } : {}) });
      calls.push(...send(tx).calls);
      ends = [...ends.filter((coin) => !spends.includes(coin)), ...tx.coins.filter(({ value }) => value > 5000)];
    }
    return { name: 'chain', calls };
  }

  /** Parents and a child from a peer. In most cases the child comes before some of its parents. */
  #orphans(): Action {
    const dice = this.#dice;
    const version = dice.pick([2, 2, 3]);
    const fee = (size: number): number => Math.ceil(size / 10) + dice.below(50);
    const parents: Made[] = [];
    for (let i = dice.pick([1, 1, 2, 3]); i > 0; i--) {
      const spends = [this.#txs.confirmed()];
      parents.push(this.#txs.build({ spends, version, outs: [], ...(dice.chance(0.7) ? { fee } : {}) }));
    }
    // Two parents may spend the same coin.
    const spends = parents.flatMap(({ coins }) => coins.filter(({ value }) => value > 5000).slice(0, 1));
    if (spends.length === 0) return { name: 'peer', calls: [], sent: parents };
    const child = this.#txs.build({ spends, version, outs: [], fee: (size) => size + dice.below(2000) });
    const sent = [...parents];
    sent.splice(dice.below(sent.length + 1), 0, child);
    return { name: 'orphans', calls: [], sent };
  }

  /**
   * A parent of version 3, its child, and a sibling that may replace the child, either alone or with a child of its
   * own.
   */
  #family(): Action {
    const dice = this.#dice;
    const version = 3;
    const paid = (size: number): number => Math.ceil(size / 10) + dice.below(20);
    const parent = this.#txs.build({ spends: [this.#txs.confirmed()], version, fee: paid, outs: [], into: 3 });
    const [one, two, three] = parent.coins as [Coin, Coin, Coin];
    const child = this.#txs.build({ spends: [one], version, fee: paid, outs: [], into: 2 });
    const extra = this.#txs.confirmed();
    const size = child.weight / 4;
    const childFee = one.value - child.tx.outs.reduce((sum, { value }) => sum + value, 0);
    const fee = (own: number): number =>
      Math.max(
        0,
        Math.ceil(
          dice.pick([childFee + own / 10 + dice.below(5) - 2, childFee + dice.below(3) - 1, (childFee / size) * own, childFee * 3 + own]),
        ),
      );
    const spends = dice.pick([[two], [two, three], [one, two], [two, extra]]);
    const sibling = this.#txs.build({ spends, version, fee, outs: [] });
    const calls: Call[] = [...send(parent).calls, ...send(child).calls];
    if (dice.chance(0.3)) calls.push(['testmempoolaccept', [sibling.hex], 0]);
    const as = dice.below(4);
    if (as === 0) calls.push(['submitpackage', [parent.hex, sibling.hex], 0]);
    else if (as === 1) calls.push(['testmempoolaccept', [child.hex, sibling.hex], 0]);
    else calls.push(...send(sibling).calls);
    const below = sibling.coins.filter(({ value }) => value > 5000).slice(0, 1);
    if (below.length > 0 && dice.chance(0.3)) calls.push(...send(this.#txs.build({ spends: below, version, fee: paid, outs: [] })).calls);
    return { name: 'family', calls };
  }

  /**
   * One parent and its child, several parents, or diamonds; sometimes with a transaction twice, one left out, or in
   * another order.
   */
  #package(method: 'submitpackage' | 'testmempoolaccept'): Action {
    const dice = this.#dice;
    const version = dice.pick([2, 2, 2, 3, 3, 1]);
    const low = (size: number): number => dice.pick([0, 0, Math.ceil(size / 10) - 1, Math.ceil(size / 10), size]);
    const dust = dice.chance(0.25);
    const txs: Made[] = [];
    for (let i = dice.pick([1, 1, 1, 1, 2, 2, 3, 6]); i > 0; i--) {
      const outs = dust ? [{ value: dice.pick([0, 100, 239, 240]), script: scripts.anchor }] : [];
      const contested = this.#pool.contested;
      const spends =
        dice.chance(0.3) && contested.length > 0
          ? { spends: [dice.pick(contested)] }
          : dice.chance(0.7)
            ? { spends: [this.#txs.confirmed()] }
            : {};
      const fee = dust && dice.chance(0.8) ? () => 0 : dice.chance(0.7) ? low : undefined;
      txs.push(this.#txs.build({ ...spends, ...(fee ? { fee } : {}), version: dice.chance(0.97) ? version : 2, outs }));
    }
    if (dice.chance(0.15)) {
      const middle = txs[0]!.coins.filter(({ value }) => value > 5000).slice(0, 1);
      if (middle.length > 0) txs.push(this.#txs.build({ spends: middle, version, fee: low, outs: [] }));
    }
    const taken = new Set(txs.flatMap(({ spent }) => spent.map(({ outpoint }) => outpoint)));
    const open = txs.flatMap(({ coins }) => coins.filter((coin) => !taken.has(coin.outpoint)));
    const spends = dice.chance(0.85) ? open.slice(0, 12) : open.slice(1, 12);
    if (dice.chance(0.15)) {
      const others = dice.chance(0.5) ? [this.#txs.confirmed()] : [...this.#pool.unspent, ...spends];
      if (others.length > 0) spends.push(dice.pick(others));
    }
    const wanted = [...new Map(spends.map((coin) => [coin.outpoint, coin])).values()];
    if (wanted.length > 0) {
      const relay = (size: number): number => {
        const together = size + txs.reduce((sum, { weight }) => sum + Math.ceil(weight / 4), 0);
        const rivals = this.#pool.get(this.#pool.ids.at(-1) ?? '')?.fee ?? 0;
        return Math.max(
          0,
          dice.pick([Math.ceil(together / 10) + dice.below(5) - 2, together * 2, together * 20, rivals + Math.ceil(together / 10)]),
        );
      };
      txs.push(
        this.#txs.build({
          spends: wanted,
          version: dice.chance(0.95) ? version : 2,
          fee: relay,
          ...(dice.chance(0.9) ? { outs: [] } : {}),
        }),
      );
    }
    const calls: Call[] = [];
    if (dice.chance(0.2)) calls.push(...send(dice.pick(txs)).calls);
    if (dice.chance(0.03)) txs.push(dice.pick(txs));
    if (dice.chance(0.03)) txs.reverse();
    if (dice.chance(0.03)) txs.shift();
    calls.push([method, txs.map(({ hex }) => hex), 0]);
    // Submit the package twice: the second time, both nodes already know its transactions.
    if (dice.chance(0.1)) calls.push([method, txs.map(({ hex }) => hex), 0]);
    return { name: method, calls };
  }

  /** Sends an earlier transaction again, with the same or another witness. */
  #again(): Action {
    const dice = this.#dice;
    const ids = dice.chance(0.7) ? this.#pool.ids : this.#ledger.ids;
    if (ids.length === 0) return send(this.#txs.build());
    const made = this.#ledger.made.get(dice.pick(ids))!;
    const bytes = dice.chance(0.5) ? (otherWitness(made, 5)?.hex ?? made.hex) : made.hex;
    const method = dice.pick(['sendrawtransaction', 'testmempoolaccept', 'submitpackage']);
    return { name: 'again', calls: [[method, method === 'sendrawtransaction' ? bytes : [bytes], 0]] };
  }

  #prioritise(): Action {
    const dice = this.#dice;
    const ids = dice.chance(0.8) ? this.#pool.ids : this.#ledger.ids;
    if (ids.length === 0) return send(this.#txs.build());
    const [id, more] = [dice.pick(ids), dice.pick([-1000, -10, 10, 500, 20_000])];
    return { name: 'prioritise', calls: [['prioritisetransaction', id, 0, more]], done: () => this.#pool.prioritise(id, more) };
  }

  /** Returns a random part of the mempool with all ancestors. */
  #some(): Made[] {
    const dice = this.#dice;
    const share = dice.pick([0, 0.2, 0.6, 1]);
    const found = new Set<string>();
    for (const id of this.#pool.inOrder()) {
      if (this.#pool.parents(id).every((parent) => found.has(parent)) && dice.chance(share)) found.add(id);
    }
    return this.fitting(found);
  }

  /** Disconnects blocks, and connects them again or mines others in their place. */
  #reorganise(): Action {
    const dice = this.#dice;
    const ledger = this.#ledger;
    const off: Block[] = [];
    for (let i = 1 + dice.below(3); i > 0; i--) off.unshift(ledger.disconnect());
    const calls: Call[] = [['invalidateblock', off[0]!.hash]];
    if (dice.chance(0.5)) {
      calls.push(['reconsiderblock', off[0]!.hash]);
      for (const block of off) ledger.connect(block);
      return { name: 'reconsider', calls };
    }
    for (let i = dice.below(3); i > 0; i--) {
      const block = ledger.next([], OF_BLOCK_COINS);
      calls.push(mocked(block), ['submitblock', block.hex]);
      ledger.connect(block);
    }
    return { name: 'invalidate', calls };
  }
}

const send = ({ hex }: Made): Action => ({ name: 'send', calls: [['sendrawtransaction', hex, 0]] });

const mocked = ({ time }: Block): [string, number] => ['setmocktime', time];

const KEYLESS = new Set<Coin['lock']>(['drop', 'true', 'anchor']);

/**
 * Returns the same transaction with another witness, if it has an input that needs no key.
 * @param bytes of the element that changes
 */
export function otherWitness({ tx, spent }: Made, bytes: number): Made | undefined {
  if (!spent.every(({ lock }) => KEYLESS.has(lock))) return undefined;
  const ins = tx.ins.map(({ txid, index, sequence }) => ({ txid, index, sequence: sequence ?? 0xffffffff }));
  return unlock({ ...tx, ins }, spent, Buffer.alloc(bytes, 9));
}
