// Simulates a pool's payout day with real processes. A hundred coinbases mature, a thousand miners are paid, the fee of
// one payout is raised, one block is orphaned, and the node is killed twice. A program that only calls listsinceblock,
// each time with the `lastblock` of the reply before, must have recorded every movement exactly once.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';

const MINERS = 1000;
const PAYOUTS = 4;
const elsewhere = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';
const sats = (btc: number): number => Math.round(btc * 1e8);

interface Entry {
  readonly txid: string;
  readonly vout: number;
  readonly category: string;
  readonly address: string;
  readonly amount: number;
  readonly fee?: number;
  readonly confirmations: number;
  readonly blockhash?: string;
  readonly comment?: string;
  readonly abandoned?: boolean;
}

/** Records movements from the replies of listsinceblock alone. */
class Bookkeeper {
  /** Entries in blocks, by transaction, output and direction. */
  readonly book = new Map<string, Entry>();
  /** Unconfirmed entries of the last answer. */
  pending = new Map<string, Entry>();
  last = '';
  polls = 0;
  reversals = 0;

  constructor(private readonly node: Daemon) {}

  async poll(): Promise<{ transactions: Entry[]; removed: Entry[] }> {
    const answer = await this.node.callWallet('pool', 'listsinceblock', this.last);
    this.polls++;
    for (const entry of answer.removed as Entry[]) {
      const key = keyOf(entry);
      if (!this.book.delete(key)) throw new Error(`${key} was taken back without having been told`);
      this.reversals++;
    }
    this.pending = new Map();
    for (const entry of answer.transactions as Entry[]) {
      const key = keyOf(entry);
      if (entry.confirmations > 0) {
        if (this.book.has(key)) throw new Error(`${key} was told twice`);
        this.book.set(key, entry);
      } else if (entry.confirmations === 0) this.pending.set(key, entry);
    }
    this.last = answer.lastblock;
    return answer;
  }
  /** Balance according to the book: receipts minus payments minus each payment's fee once. */
  get balance(): number {
    let sum = 0;
    const paid = new Set<string>();
    for (const entry of this.book.values()) {
      sum += sats(entry.amount);
      if (entry.category !== 'send' || paid.has(entry.txid)) continue;
      paid.add(entry.txid);
      sum += sats(entry.fee!);
    }
    return sum;
  }
}
const keyOf = ({ txid, vout, category }: Entry): string => `${txid}:${vout}:${category === 'send' ? 'out' : 'in'}`;

t.test('lists every payment of a busy day exactly once', async (t) => {
  const node = await Daemon.startFor(t, '-fallbackfee=0.0002', '-keypool=10');
  const pool = (method: string, ...params: unknown[]) => node.callWallet('pool', method, ...params);
  const miners = (method: string, ...params: unknown[]) => node.callWallet('miners', method, ...params);
  for (const name of ['pool', 'miners']) await node.call('createwallet', name, false, false, null, false, false, true);
  const reward = await pool('getnewaddress', 'coinbase');
  const keeper = new Bookkeeper(node);
  const total = async (): Promise<number> => {
    const { trusted, untrusted_pending, immature } = (await pool('getbalances')).mine;
    return sats(trusted) + sats(untrusted_pending) + sats(immature);
  };

  // Coinbases are mined, with a poll in between.
  for (let round = 0; round < 4; round++) {
    await node.call('generatetoaddress', 25, reward);
    await keeper.poll();
  }
  await node.call('generatetoaddress', 100, elsewhere);
  await keeper.poll();
  t.equal(keeper.book.size, 100, 'a hundred coinbases');
  t.equal(keeper.balance, await total());

  // A thousand miners, each with its own address and amount.
  const wages = new Map<string, number>();
  for (let i = 0; i < MINERS; i++) wages.set(await miners('getnewaddress', `miner ${i % 10}`), 100_000 + i * 37);
  const all = [...wages];
  const payouts: string[] = [];
  for (let i = 0; i < PAYOUTS; i++) {
    const part = all.slice((i * MINERS) / PAYOUTS, ((i + 1) * MINERS) / PAYOUTS);
    const amounts = Object.fromEntries(part.map(([address, amount]) => [address, amount / 1e8]));
    payouts.push(await pool('sendmany', '', amounts, 1, `payout ${i}`, [], true));
  }
  await keeper.poll();
  t.equal(keeper.pending.size, MINERS, 'all payouts are under way');
  t.equal([...keeper.pending.values()].filter((entry) => entry.comment === 'payout 2').length, MINERS / PAYOUTS);

  // Raise the fee of one payout before any payout is confirmed.
  const { txid: bumped } = await pool('bumpfee', payouts[2]);
  await keeper.poll();
  t.equal(keeper.pending.size, MINERS + MINERS / PAYOUTS, 'the replaced payout and its replacement');
  const replaced = await pool('gettransaction', payouts[2]);
  t.match(replaced, { replaced_by_txid: bumped, walletconflicts: [bumped], trusted: false, comment: 'payout 2', confirmations: 0 });
  t.match(await pool('gettransaction', bumped), {
    replaces_txid: payouts[2],
    walletconflicts: [payouts[2]],
    trusted: true,
    comment: 'payout 2',
  });

  // The node is killed; the next poll must return the same entries.
  await node.kill();
  await node.up();
  await keeper.poll();
  t.same(new Set([...keeper.pending.values()].map(({ txid }) => txid)), new Set([...payouts, bumped]));

  // A block with all payouts is mined, and then replaced by two blocks without them.
  const [lost] = await node.call('generatetoaddress', 1, reward);
  await keeper.poll();
  t.equal(keeper.pending.size, 0, 'the replaced payout is told no more');
  t.equal(keeper.book.size, 100 + 1 + MINERS);
  t.equal(keeper.balance, await total());
  const [orphan] = [...keeper.book.values()].filter(({ blockhash, category }) => blockhash === lost && category === 'immature');
  await node.call('invalidateblock', lost);
  await node.call('generateblock', elsewhere, []);
  await node.call('generateblock', elsewhere, []);
  const { removed, transactions } = await keeper.poll();
  t.equal(removed.length, 1 + MINERS, 'the lost block is taken back, its coinbase first');
  t.match(removed[0], { txid: orphan.txid, category: 'orphan', confirmations: 0 });
  t.match(
    transactions.find(({ txid }) => txid === orphan.txid),
    { category: 'orphan', confirmations: 0 },
  );
  t.equal(keeper.book.size, 100);
  t.equal((await pool('listsinceblock', lost, 1, null, false)).removed, undefined, 'not for one who does not want to know');

  // Kill the node again while no block contains the payouts.
  await node.kill();
  await node.up();
  await keeper.poll();
  const waiting = new Set([...keeper.pending.values()].filter(({ category }) => category === 'send').map(({ txid }) => txid));
  for (const txid of [payouts[0], payouts[1], bumped, payouts[3]]) t.ok(waiting.has(txid), 'still under way');

  await node.call('generatetoaddress', 1, elsewhere);
  await keeper.poll();
  await node.call('generatetoaddress', 5, elsewhere);
  const { transactions: quiet } = await keeper.poll();
  t.same(
    quiet.filter(({ confirmations }) => confirmations > 0),
    [],
    'nothing is told again',
  );
  t.equal(keeper.book.size, 100 + MINERS, 'every coinbase that counts and every wage, once');
  t.equal(keeper.balance, await total(), 'and the sum is the balance');
  t.equal(keeper.reversals, 1 + MINERS);

  const received = new Map(
    [...keeper.book.values()].filter(({ category }) => category === 'send').map((entry) => [entry.address, sats(-entry.amount)]),
  );
  t.same([...received].sort(), [...wages].sort(), 'to everyone what was his');
  const got = (await miners('listreceivedbyaddress', 6)) as { address: string; amount: number; txids: string[] }[];
  t.same(got.map(({ address, amount }) => [address, sats(amount)]).sort(), [...wages].sort(), 'as their own wallet says');
  t.ok(got.every(({ txids }) => txids.length === 1));
  const first = await pool('listsinceblock');
  const confirmed = (first.transactions as Entry[]).filter(({ confirmations }) => confirmations > 0);
  t.same(new Set(confirmed.map(keyOf)), new Set(keeper.book.keys()), 'a bookkeeper who begins today has the same book');
});
