// Faults of a wallet and of the wallets' thread in a whole node, in this process: the node goes on, and blocks and payments
// are accepted.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { WORKER_ENTRY } from '../../src/lib/worker-entries.js';
import { FAULTY_HEIGHT } from '../framework/faulty-heights.js';
import { errorsInto, NodeInProcess } from '../framework/node-in-process.js';
import { until } from '../framework/until.js';

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

t.test('failures of wallets do not stop the node from accepting blocks and payments', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-wallet-faults-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { wallet: entry } = WORKER_ENTRY;
  Object.assign(WORKER_ENTRY, { wallet: new URL('../framework/faulty-wallets.js', import.meta.url) });
  t.teardown(() => Object.assign(WORKER_ENTRY, { wallet: entry }));
  const errors: string[] = [];
  const started = await NodeInProcess.start(dir, errorsInto(errors), '-fallbackfee=0.0002', '-keypool=2', '-rehearse=0');
  t.teardown(() => started.node.stop());
  const { chain } = started.node;
  const call = (method: string, ...params: unknown[]): Promise<unknown> => started.call(method, ...params);
  const inWallet = (name: string, method: string, ...params: unknown[]): Promise<unknown> =>
    started.callAt(`/wallet/${name}`, method, ...params);
  let asked: Error | undefined;
  void started.node.stopRequested.then((fault) => {
    asked = fault ?? new Error('a stop');
  });
  const balanceOf = async (name: string): Promise<number> =>
    ((await inWallet(name, 'getbalances')) as { mine: { trusted: number } }).mine.trusted;
  const failure = /The listener "wallet (a|b)" failed\. .*injected into a wallet/s;

  await call('createwallet', 'a');
  await call('createwallet', 'b');
  const address = (await inWallet('a', 'getnewaddress')) as string;
  await call('generatetoaddress', 1, address);
  await call('generatetoaddress', FAULTY_HEIGHT.WALLET - 2, ELSEWHERE);
  const before = await balanceOf('a');
  t.equal(before, 50);

  await call('generatetoaddress', 1, ELSEWHERE);
  await until('the failure is in the log', () => errors.some((line) => failure.test(line)));
  t.equal(errors.filter((line) => failure.test(line)).length, 1);
  const both = (): Promise<boolean> => call('listwallets').then((names) => (names as string[]).length === 2);
  await until('both wallets are loaded', both);
  t.equal(await balanceOf('a'), before);
  const txid = (await inWallet('a', 'sendtoaddress', ELSEWHERE, 1)) as string;
  t.same(await call('getrawmempool'), [txid], 'the wallet that was loaded again pays');

  const [first, second, third] = FAULTY_HEIGHT.THREADS;
  const ended = (times: number): Promise<void> =>
    until(
      `end ${times} of the thread`,
      () => errors.filter((line) => line.startsWith('The thread of the wallets has ended')).length === times,
    );
  const blocksTo = async (height: number): Promise<void> => {
    await call('generatetoaddress', height - chain.view.tip.height, ELSEWHERE);
    t.equal(chain.view.tip.height, height);
  };
  await blocksTo(first);
  await ended(1);
  await blocksTo(first + 1);
  await until('both wallets are loaded again', both);
  t.match(errors.at(-1), /injected into the thread\. The node restarts it\.$/);
  const rest = await balanceOf('a');
  t.ok(rest < before - 1 && rest > before - 1.1, 'the payment is known');
  t.equal(((await inWallet('b', 'getwalletinfo')) as { lastprocessedblock: { height: number } }).lastprocessedblock.height, first + 1);

  await blocksTo(second);
  await ended(2);
  await blocksTo(second + 1);
  for (const name of ['a', 'b']) await t.rejects(inWallet(name, 'getbalances'), / -4 Wallet "[ab]" has failed and is not loaded any more/);
  t.same(await call('listwallets'), []);
  await call('loadwallet', 'a');
  t.equal(await balanceOf('a'), rest);

  await blocksTo(third);
  await ended(3);
  await blocksTo(third + 1);
  t.match(errors.at(-1), /The node continues without wallets\. Restart the node to load them again\.$/);
  await t.rejects(inWallet('a', 'getbalances'), /"The thread"/);
  t.equal(chain.fault, null);
  t.equal(asked, undefined, 'the node goes on');
});
