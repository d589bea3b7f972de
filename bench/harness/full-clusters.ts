// Makes clusters of transactions at the limits of the mempool, 64 transactions or 101,000 virtual bytes: chains, fans,
// knots, and chains of large transactions. Anyone can spend their coins, so the time to accept them is the time of the
// mempool without signature checks.
import { type Out, serializeTx, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../../test/framework/messages.js';

export const CLUSTER_COUNT = 64;
/** Value in satoshis of the coin that the first transaction of a cluster spends. */
export const CLUSTER_VALUE = 2_000_000;
/** One in this number of clusters also reaches the limit on bytes. */
const LARGE_EVERY = 16;
const LARGE_OUTS = 32;
const SMALL_VALUE = 400;

interface Coin {
  readonly txid: Buffer;
  readonly index: number;
  readonly value: number;
}

/**
 * Returns the transactions of a cluster.
 * @param payee output script that the last transaction pays, besides its other outputs
 */
export function clusterOf(number: number, coin: Coin, random: () => number, payee: Uint8Array): Buffer[] {
  const open: Coin[] = [coin];
  const raw: Buffer[] = [];
  const large = number % LARGE_EVERY === 0;
  const shape = large ? 'chain' : (['chain', 'fan', 'knot'] as const)[number % 3]!;
  const fee = (): number => (large ? 2_500 : 300) + Math.floor(random() * (large ? 4_000 : 3_000));
  const add = (coins: readonly Coin[], others: readonly Out[], outs: number): void => {
    const rest = coins.reduce((sum, { value }) => sum + value, 0) - others.reduce((sum, { value }) => sum + value, 0) - fee();
    const value = Math.floor(rest / outs);
    const all: Out[] = [...Array.from({ length: outs }, () => ({ value, script: TRUE_SCRIPT })), ...others];
    const ins = coins.map(({ txid: id, index }) => ({ txid: id, index, sequence: 0xfffffffd, witness: TRUE_WITNESS }));
    const tx: Tx = { version: 2, ins, outs: all, locktime: 0 };
    const id = txid(tx);
    for (let index = 0; index < outs; index++) open.push({ txid: id, index, value });
    raw.push(serializeTx(tx));
  };
  /** Takes the largest of three random coins, so that values do not become too small. */
  const take = (): Coin => {
    let best = 0;
    for (let i = 0; i < 3; i++) {
      const at = Math.floor(random() * open.length);
      if (open[at]!.value > open[best]!.value) best = at;
    }
    return open.splice(best, 1)[0]!;
  };
  const small = Array.from({ length: large ? LARGE_OUTS : 0 }, () => ({ value: SMALL_VALUE, script: TRUE_SCRIPT }));
  if (shape === 'fan') add([open.pop()!], [], CLUSTER_COUNT - 1);
  while (raw.length < CLUSTER_COUNT) {
    const last = raw.length === CLUSTER_COUNT - 1 ? [{ value: SMALL_VALUE, script: payee }] : [];
    if (shape === 'chain') add([open.pop()!], [...small, ...last], 1);
    else if (shape === 'fan') add([open.shift()!], last, 1);
    else add(open.length > 2 && random() < 0.4 ? [take(), take()] : [take()], last, 2);
  }
  return raw;
}
