// SIGKILL at random moments of a wallet's life: while it gives out addresses, follows blocks and reorganisations,
// imports keys and scans for them, or is loaded. Its tables come from an image and a journal. After each restart every
// address that was acknowledged is there, the wallet's coins are those of the chain's own set of coins, which knows
// nothing of wallets, and histories, balances and sums are those of the model of random histories. ADIT_KILLS sets how
// many kills, ADIT_SEED where the dice begin.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ChainWallet } from '../framework/chain-wallet.js';
import { CallError, Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';

const kills = Number(process.env.ADIT_KILLS ?? rounds(2, 20));
const seed = Number(process.env.ADIT_SEED ?? 1);
const FEED_MS = 1_200;
const START_MS = 1_500;
const MATURITY = 100;
const FOREIGN = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number;
}
const shown = (coins: readonly Coin[]): string[] => coins.map(({ txid, vout, amount }) => `${txid}:${vout} ${amount}`).sort();

class Life {
  /** Addresses that getnewaddress answered with, and their labels. */
  readonly given = new Map<string, string>();
  /** Addresses whose keys the second wallet was given and said yes to. */
  readonly imported = new Set<string>();
  readonly counts: Record<string, number> = {};
  #labels = 0;
  readonly #model: ChainWallet;

  constructor(
    private readonly node: Daemon,
    private readonly random: () => number,
  ) {
    this.#model = new ChainWallet(node);
  }

  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async on(wallet: string, method: string, ...params: unknown[]): Promise<any> {
    const { body } = await this.node.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${wallet}` });
    const { error, result } = JSON.parse(body);
    if (error) throw new CallError(error.code, error.message);
    return result;
  }

  async address(): Promise<string> {
    const label = `label ${this.#labels++}`;
    const kind = ['legacy', 'p2sh-segwit', 'bech32'][this.#labels % 3];
    const address = await this.on('w', 'getnewaddress', label, kind);
    this.given.set(address, label);
    return address;
  }
  async mine(): Promise<void> {
    await this.node.call('generatetoaddress', 1, await this.address());
  }
  async spend(): Promise<void> {
    // Outputs of nothing would be ours without Core or adit noticing when they are spent.
    const [coin] = await this.on('w', 'listunspent', 1, 9_999_999, [], true, { minimumAmount: 1 });
    if (coin === undefined) return;
    const raw = await this.node.call(
      'createrawtransaction',
      [{ txid: coin.txid, vout: coin.vout }],
      [{ [FOREIGN]: Math.floor(coin.amount * 1000) / 4000 }, { [await this.address()]: Math.floor(coin.amount * 1000) / 4000 }],
    );
    const { hex } = await this.on('w', 'signrawtransactionwithwallet', raw);
    await this.node.call('generateblock', FOREIGN, [hex]);
  }
  async turn(): Promise<void> {
    const height = await this.node.call('getblockcount');
    const hash = await this.node.call('getblockhash', height - Math.floor(this.random() * 3));
    await this.node.call('invalidateblock', hash);
    if (this.random() < 0.5) for (let i = 0; i < 4; i++) await this.mine();
    else await this.node.call('reconsiderblock', hash);
  }
  async import(): Promise<void> {
    const [address] = [...this.given.keys()].filter((one) => !this.imported.has(one)).slice(-1);
    if (address === undefined) return;
    const key = await this.on('w', 'dumpprivkey', address);
    const result = await this.on('i', 'importmulti', [{ desc: await this.#descriptor(address, key), timestamp: 0 }]);
    if (result[0].success) this.imported.add(address);
  }
  async #descriptor(address: string, key: string): Promise<string> {
    const form = address.startsWith('bcrt1') ? `wpkh(${key})` : address.startsWith('2') ? `sh(wpkh(${key}))` : `pkh(${key})`;
    const { checksum } = await this.node.call('getdescriptorinfo', form);
    return `${form}#${checksum}`;
  }

  /** Continues until `over` returns true or the daemon is gone. */
  async feed(over: () => boolean): Promise<void> {
    const ways: [number, string][] = [
      [0.6, 'mine'],
      [0.75, 'spend'],
      [0.85, 'turn'],
      [1, 'import'],
    ];
    while (!over()) {
      const dice = this.random();
      const way = ways.find(([below]) => dice < below)![1] as 'mine' | 'spend' | 'turn' | 'import';
      try {
        await this[way]();
        this.counts[way] = (this.counts[way] ?? 0) + 1;
      } catch (error) {
        if (over()) return;
        if (error instanceof CallError && error.code !== -1) {
          const refused = `${way} refused: ${error.message.slice(0, 60)}`;
          this.counts[refused] = (this.counts[refused] ?? 0) + 1;
          continue;
        }
        return;
      }
    }
  }

  /** Reads what the chain's coins say about addresses. */
  async truth(addresses: Iterable<string>): Promise<{ ripe: string[]; immatureSats: number }> {
    const { unspents } = await this.node.call(
      'scantxoutset',
      'start',
      [...addresses].map((address) => `addr(${address})`),
    );
    const height = await this.node.call('getblockcount');
    const ripe: Coin[] = [];
    let immatureSats = 0;
    for (const coin of unspents as (Coin & { height: number })[]) {
      const block = await this.node.call('getblock', await this.node.call('getblockhash', coin.height), 1);
      if (block.tx[0] === coin.txid && height - coin.height < MATURITY) immatureSats += Math.round(coin.amount * 1e8);
      else ripe.push(coin);
    }
    return { ripe: shown(ripe), immatureSats };
  }

  /**
   * Confirms what waits in the mempool. What a reorganisation put there and the kill took out again would hold coins
   * back: it is given up.
   */
  async settle(): Promise<void> {
    await this.node.call('generatetoaddress', 1, FOREIGN);
    for (const wallet of ['w', 'i']) {
      const { transactions } = await this.on(wallet, 'listsinceblock');
      const waiting = (transactions as { txid: string; confirmations: number; generated?: boolean; abandoned?: boolean }[]).filter(
        ({ confirmations, generated, abandoned }) => confirmations === 0 && !generated && !abandoned,
      );
      for (const txid of new Set(waiting.map((one) => one.txid))) {
        // A descendant may have gone with its parent.
        await this.on(wallet, 'abandontransaction', txid).catch(() => {});
        this.counts.abandoned = (this.counts.abandoned ?? 0) + 1;
      }
    }
  }
  /** Addresses that a wallet has keys of, acknowledged or not; imported ones have no label of their own. */
  async #keysOf(wallet: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const address of this.given.keys()) if ((await this.on(wallet, 'getaddressinfo', address)).ismine) found.set(address, '');
    return found;
  }
  /** Lists the faults after a restart. */
  async check(): Promise<string[]> {
    const wrong: string[] = [];
    const loaded: string[] = await this.node.call('listwallets');
    if (loaded.slice().sort().join() !== 'i,w') return [`loaded: ${loaded.join()}`];
    while ((await this.on('i', 'getwalletinfo')).scanning !== false) await sleep(20);
    await this.settle();
    for (const address of this.imported) {
      if (!(await this.on('i', 'getaddressinfo', address)).ismine) wrong.push(`${address} was imported and is not there`);
    }
    for (const [wallet, addresses] of [
      ['w', [...this.given.keys()]],
      ['i', [...this.imported]],
    ] as const) {
      if (addresses.length === 0) continue;
      const { ripe, immatureSats } = await this.truth(addresses);
      const coins: (Coin & { address: string })[] = await this.on(wallet, 'listunspent', 1);
      // Keys that were imported without an answer are the wallet's as well.
      const found = shown(coins.filter(({ address }) => addresses.includes(address)));
      if (found.join() !== ripe.join()) {
        const more = found.filter((coin) => !ripe.includes(coin));
        const less = ripe.filter((coin) => !found.includes(coin));
        wrong.push(`${wallet}: ${found.length} coins, ${ripe.length} in the chain; too many: ${more.join()}; missing: ${less.join()}`);
      }
      const { mine } = await this.on(wallet, 'getbalances');
      if (wallet === 'w' && Math.round(mine.immature * 1e8) !== immatureSats)
        wrong.push(`${wallet}: ${mine.immature} immature, ${immatureSats / 1e8} in the chain`);
    }
    wrong.push(...(await this.#model.compare('w', this.given)));
    wrong.push(...(await this.#model.compare('i', await this.#keysOf('i'))));
    return wrong;
  }
}

t.test('recovers wallets from repeated kills', async (t) => {
  const random = pseudoRandom(seed);
  const node = await Daemon.startFor(t, '-compat=0.21.1', '-keypool=4', '-dbcache=4', '-walletimage=1');
  await node.call('createwallet', 'w', false, false, null, false, false, true);
  await node.call('createwallet', 'i', false, true, null, false, false, true);
  const life = new Life(node, random);
  for (let i = 0; i < 3; i++) await life.mine();
  await node.call('generatetoaddress', MATURITY, FOREIGN);
  t.same(await life.check(), [], 'before the first kill');
  const received = { feeding: 0, starting: 0 };
  for (let kill = 1; kill <= kills; kill++) {
    if (random() < 0.25) {
      received.starting++;
      await node.stop();
      const started = node.up().catch(() => {});
      await sleep(random() * START_MS);
      await node.kill();
      await started;
    } else {
      received.feeding++;
      let over = false;
      const feeding = life.feed(() => over);
      await sleep(200 + random() * FEED_MS);
      await node.kill();
      over = true;
      await feeding;
    }
    await node.up();
    const wrong = await life.check();
    t.same(wrong, [], `kill ${kill}`);
  }
  t.comment(
    `${kills} kills (${JSON.stringify(received)}), ${life.given.size} addresses, ${life.imported.size} imported, ${JSON.stringify(life.counts)}`,
  );
  // The node continues, and a wallet that was never killed knows the same.
  for (let i = 0; i < 3; i++) await life.mine();
  const dump = `${node.dir}/dump.txt`;
  await life.on('w', 'dumpwallet', dump);
  await node.call('createwallet', 'calm', false, true);
  await life.on('calm', 'importwallet', dump);
  t.same(shown(await life.on('calm', 'listunspent', 1)), shown(await life.on('w', 'listunspent', 1)));
  t.equal((await life.on('calm', 'getbalances')).mine.immature, (await life.on('w', 'getbalances')).mine.immature);
  t.equal(node.output(), '', 'nothing on stderr');
  t.equal((await node.stop()).code, 0, 'a clean stop');
});
