// Injects exceptions into the listeners of a whole node in this process. The node must still accept blocks and payments and
// answer calls. The names come from the guard, so the test covers new listeners without a change.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { ListenerGuard } from '../../src/lib/listener-guard.js';
import { commitmentOf, mine, type Template } from '../framework/miner.js';
import { MiniWallet } from '../framework/mini-wallet.js';
import { errorsInto, NodeInProcess } from '../framework/node-in-process.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

/** Throws in listeners instead of their work, or after it. */
class Injection {
  /** Listeners that were called since the start. */
  readonly called = new Set<string>();
  /** Listeners that an exception was injected into. */
  readonly failed = new Set<string>();
  #fails: (name: string) => boolean = () => false;
  #worksFirst = false;

  constructor() {
    const { run } = ListenerGuard.prototype;
    const injection = this;
    ListenerGuard.prototype.run = function (name, call) {
      injection.called.add(name);
      return run.call(this, name, () => {
        if (!injection.#fails(name)) return call();
        if (injection.#worksFirst) call();
        injection.failed.add(name);
        throw new Error(`injected into ${name}`);
      });
    };
    this.remove = () => {
      ListenerGuard.prototype.run = run;
    };
  }

  readonly remove: () => void;

  begin(fails: (name: string) => boolean, worksFirst: boolean): void {
    this.#fails = fails;
    this.#worksFirst = worksFirst;
  }
}

t.test('an exception of a listener neither stops the node nor changes a reply', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-listeners-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const injection = new Injection();
  t.teardown(() => injection.remove());
  const errors: string[] = [];
  const log = errorsInto(errors);
  const receiver = http.createServer((request, reply) => {
    request.resume();
    reply.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => receiver.close());
  const zmq = `tcp://127.0.0.1:${await freePort()}`;
  const started = await NodeInProcess.start(
    dir,
    log,
    ...['hashblock', 'rawblock', 'hashtx', 'rawtx', 'sequence'].map((topic) => `-zmqpub${topic}=${zmq}`),
    ...[`-notifyurl=http://127.0.0.1:${(receiver.address() as { port: number }).port}/`, '-blocknotify=true', '-startupnotify=true'],
    ...['-txindex=1', '-coinstatsindex=1', '-blockfilterindex=1', '-sv2=1', `-sv2bind=127.0.0.1:${await freePort()}`],
    ...[`-metricsport=${await freePort()}`, '-acceptnonstdtxn=1', '-rehearse=0', '-fallbackfee=0.0002'],
  );
  t.teardown(() => started.node.stop());
  const { chain, mempool } = started.node;
  const call = (method: string, ...params: unknown[]): Promise<unknown> => started.call(method, ...params);
  let asked: Error | undefined;
  void started.node.stopRequested.then((fault) => {
    asked = fault ?? new Error('a stop');
  });

  const wallet = new MiniWallet();
  const first = mine((await call('getblocktemplate', { rules: ['segwit'] })) as Template, 'p2wpkh', wallet.key());
  t.equal(await call('submitblock', first.hex), null);
  await call('createwallet', 'w', false, false, '', false, true);
  await call('generatetoaddress', 100, address);
  const split = wallet.spend(
    [first.coinbase],
    Array.from({ length: 100 }, () => 'p2wpkh' as const),
    100_000,
  );
  await call('sendrawtransaction', split.hex);
  const [ground] = (await call('generatetoaddress', 1, address)) as string[];
  const coins = [...split.outputs];
  const bits = chain.view.tip.bits.toString(16).padStart(8, '0');

  /**
   * Makes payments, a replacement, a changed priority, blocks by the node and from outside, and a reorganisation. All
   * results must be the same as without failing listeners.
   */
  const scenario = async (t: Test, name: string): Promise<void> => {
    const coin = coins.pop()!;
    const { height } = chain.view.tip;
    const payments = [1_000, 50_000].map((fee) => wallet.spend([coin], ['p2wpkh'], fee));
    for (const { hex, txidHex } of payments) t.equal(await call('sendrawtransaction', hex), txidHex, `${name}: a payment`);
    const paid = payments[1]!.txidHex;
    const inPool = (): string[] => [...mempool.entries()].map(({ txid }) => Buffer.from(txid).reverse().toString('hex'));
    t.same(inPool(), [paid], `${name}: it replaced the first`);
    t.equal(await call('prioritisetransaction', paid, 0, 1000), true);
    const [hash] = (await call('generatetoaddress', 1, address)) as [string];
    t.equal(chain.view.tip.hashHex, hash, `${name}: a block`);
    t.same(inPool(), [], `${name}: the block has the payment`);
    t.equal(await call('invalidateblock', hash), null);
    await mempool.settled();
    t.same(inPool(), [paid], `${name}: the payment is back`);
    t.equal(await call('reconsiderblock', hash), null);
    t.equal(chain.view.tip.hashHex, hash, `${name}: the block is back`);
    const parent = chain.view.tip;
    const elsewhere = mine(
      {
        ...{ previousblockhash: parent.hashHex, height: parent.height + 1, bits, transactions: [], version: 0x20000000 },
        ...{ curtime: Math.max(parent.medianTimePast() + 1, Math.floor(Date.now() / 1000)), coinbasevalue: 1_000 },
        default_witness_commitment: commitmentOf({ transactions: [] } as unknown as Template),
      } as unknown as Template,
      'p2wpkh',
      wallet.key(),
    );
    t.equal(await call('submitblock', elsewhere.hex), null, `${name}: a block of a miner`);
    t.equal(chain.view.tip.height, height + 2);
    t.equal(chain.fault, null);
    t.equal(asked, undefined, `${name}: the node goes on`);
  };

  await scenario(t, 'nothing fails');
  t.same(errors, []);
  const names = [...injection.called].sort();
  for (const known of ['wallets', 'zmq', 'notifications', 'templates', 'sv2', 'peers', 'indexes', 'fronts', 'metrics', 'fee estimator']) {
    t.ok(names.includes(known), `${known} is called`);
  }

  injection.begin(() => true, true);
  await scenario(t, 'all fail after their work');
  injection.begin(() => false, false);
  await scenario(t, 'nothing fails any more');
  for (const name of names) {
    injection.begin((one) => one === name, false);
    await scenario(t, name);
    const logged = errors.some((line) => line.includes(`The listener "${name}" failed`));
    t.equal(logged, injection.failed.has(name), `${name}: a failure is in the log`);
  }
  injection.begin(() => true, false);
  await scenario(t, 'all fail instead of their work');

  injection.begin(() => false, false);
  await scenario(t, 'nothing fails at the end');
  t.equal(((await call('getblockheader', ground)) as { hash: string }).hash, ground);
  const fresh = (await call('getblocktemplate', { rules: ['segwit'] })) as Template;
  t.equal(fresh.previousblockhash, chain.view.tip.hashHex, 'templates follow the tip again');
  await until('the indexes caught up', async () => {
    const info = (await call('getindexinfo')) as Record<string, { synced: boolean; best_block_height: number }>;
    return Object.values(info).every(({ synced, best_block_height }) => synced && best_block_height === chain.view.tip.height);
  });
});
