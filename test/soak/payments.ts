// The stream of payments of a soak: most alone, many in chains, some that replace others, some that conflict and are
// refused.
import { ANYONE, type BuiltBlock, reward, spend } from '../framework/chain-builder.js';
import { push, serializeTx, type Tx, txid } from '../framework/messages.js';

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly value: number;
}

/** Result of a batch. */
export interface BatchReply {
  readonly error: { readonly message: string } | null;
}

const SPLIT = 100;
const RBF = 0xfffffffd;
const GENTLE_FEE = 300;
const SMALLEST = 50_000;
const MOST_COINS = 20_000;
const REMEMBERED = 500;
/** Makes the smallest payments large enough to be relayed. */
const NOTE = { value: 0, script: Buffer.concat([Buffer.from([0x6a]), push(Buffer.alloc(40, 7))]) };

export class Payments {
  accepted = 0;
  refused = 0;
  /** Words of the refusals. */
  readonly refusals: Record<string, number> = {};
  readonly #roll: () => number;
  readonly #coins: Coin[] = [];
  /** Not confirmed when they were made: to be replaced, or fought. */
  readonly #recent: { readonly coin: Coin; readonly fee: number }[] = [];

  constructor(roll: () => number) {
    this.#roll = roll;
  }

  /** A transaction that makes many coins of a block's reward; they can be spent when it is accepted. */
  split(block: BuiltBlock): string {
    const from = reward(block);
    const value = Math.floor(from.value / SPLIT) - 1000;
    const tx = spend([from], new Array(SPLIT).fill({ value, script: ANYONE }));
    this.#own(tx);
    return serializeTx(tx).toString('hex');
  }

  /** Makes so many payments, has them sent, and takes note of the verdicts. */
  async send(count: number, post: (hexes: readonly string[]) => Promise<readonly BatchReply[]>): Promise<void> {
    const txs: Tx[] = [];
    for (let i = 0; i < count; i++) {
      const tx = this.#next();
      if (tx !== null) txs.push(tx);
    }
    if (txs.length === 0) return;
    const replies = await post(txs.map((tx) => serializeTx(tx).toString('hex')));
    for (const [i, { error }] of replies.entries()) {
      if (error === null) {
        this.accepted++;
        this.#own(txs[i]!);
      } else {
        this.refused++;
        const words = error.message.replace(/,.*| [0-9a-f]{64}.*/, '');
        this.refusals[words] = (this.refusals[words] ?? 0) + 1;
      }
    }
    // Coins of what was replaced or fell out of a branch lead nowhere; the list is kept from growing.
    if (this.#coins.length > MOST_COINS) this.#coins.splice(0, MOST_COINS / 4);
  }

  #next(): Tx | null {
    const kind = this.#roll();
    const earlier = this.#recent[Math.floor(this.#roll() * this.#recent.length)];
    if (earlier !== undefined && kind < 0.15) return payment(earlier.coin, earlier.fee + 3000);
    if (earlier !== undefined && kind < 0.2) return payment(earlier.coin, Math.floor(earlier.fee / 2));
    const at = this.#roll() < 0.4 ? this.#coins.length - 1 : Math.floor(this.#roll() * this.#coins.length);
    const [coin] = this.#coins.splice(at, 1) as [Coin?];
    if (coin === undefined || coin.value < SMALLEST) return null;
    const fee = GENTLE_FEE + Math.floor(this.#roll() ** 3 * 20_000);
    this.#recent.push({ coin, fee });
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    return payment(coin, fee);
  }

  #own(tx: Tx): void {
    const id = txid(tx);
    for (const [index, { value }] of tx.outs.entries()) this.#coins.push({ txid: id, index, value });
  }
}

function payment(coin: Coin, fee: number): Tx {
  const half = Math.floor((coin.value - fee) / 2);
  const outs = [{ value: half, script: ANYONE }, { value: coin.value - fee - half, script: ANYONE }, NOTE];
  return spend([coin], outs, { sequence: RBF });
}
