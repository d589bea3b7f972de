// Scans of past blocks: what the pool's threads find must be what following block by block finds, with and without
// BIP-0158 filters, for every kind of script, and for keys that only a payment found on the way brings into the pool.
// Real processes, regtest.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { CallError, Daemon } from '../framework/daemon.js';
import { cases } from '../framework/depth.js';
import { until } from '../framework/until.js';

// biome-ignore lint/suspicious/noExplicitAny: the same
type Json = Record<string, any>;
// biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
const on = async <T = any>(node: Daemon, wallet: string, method: string, ...params: unknown[]): Promise<T> => {
  const reply = await node.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${wallet}` });
  const { error, result } = JSON.parse(reply.body);
  if (error) throw new CallError(error.code, error.message);
  return result as T;
};

/** Returns the history of a wallet. */
async function pastOf(node: Daemon, wallet: string): Promise<Json> {
  const { balance, unconfirmed_balance, immature_balance, txcount } = await on(node, wallet, 'getwalletinfo');
  const coins: Json[] = await on(node, wallet, 'listunspent', 0);
  const brief = coins.map(({ txid, vout, amount, confirmations, scriptPubKey }) => ({ txid, vout, amount, confirmations, scriptPubKey }));
  return { balance, unconfirmed_balance, immature_balance, txcount, brief, balances: await on(node, wallet, 'getbalances') };
}

async function scanned(node: Daemon, wallet: string): Promise<void> {
  while ((await on(node, wallet, 'getwalletinfo')).scanning !== false) await sleep(20);
}

for (const filters of cases(1, [false, true])) {
  t.test(filters ? 'with filters' : 'from the block files', async (t) => {
    const node = await Daemon.startFor(t, '-keypool=2', ...(filters ? ['-blockfilterindex'] : []));
    await node.call('createwallet', 'src');
    const backup = path.join(node.dir, 'backup');
    await on(node, 'src', 'backupwallet', backup);

    // Payments to all kinds of scripts, spends of them, in blocks among others.
    const legacy = await on(node, 'src', 'getnewaddress', '', 'legacy');
    const nested = await on(node, 'src', 'getnewaddress', '', 'p2sh-segwit');
    const segwit = await on(node, 'src', 'getnewaddress', '', 'bech32');
    const { pubkey } = await on(node, 'src', 'getaddressinfo', legacy);
    const bareKey = `21${pubkey}ac`;
    const multi = await on<Json>(node, 'src', 'addmultisigaddress', 1, [legacy, segwit], '', 'legacy');
    const wsh = await on<Json>(node, 'src', 'addmultisigaddress', 1, [segwit], '', 'bech32');
    const nestedWsh = await on<Json>(node, 'src', 'addmultisigaddress', 1, [nested, segwit], '', 'p2sh-segwit');
    const other = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
    await node.call('generatetodescriptor', 3, (await node.call('getdescriptorinfo', `raw(${bareKey})`)).descriptor);
    for (const address of [legacy, nested, segwit, multi.address, wsh.address, nestedWsh.address])
      await node.call('generatetoaddress', 2, address);
    await node.call('generatetoaddress', 110, other);
    const coins: { txid: string; vout: number; scriptPubKey: string }[] = await on(node, 'src', 'listunspent');
    t.ok(coins.length >= 12, 'something to spend');
    const spend = async (txid: string, vout: number, to: unknown[]): Promise<string> => {
      const raw = await node.call('createrawtransaction', [{ txid, vout }], to);
      const signed = await on<{ hex: string; complete: boolean }>(node, 'src', 'signrawtransactionwithwallet', raw);
      t.equal(signed.complete, true);
      return signed.hex;
    };
    const kinds = new Map(coins.map((coin) => [coin.scriptPubKey, coin]));
    t.equal(kinds.size, 7, 'one of each kind');
    for (const { txid, vout } of kinds.values()) {
      await node.call('sendrawtransaction', await spend(txid, vout, [{ [segwit]: 20 }, { [other]: 29.99 }]), 0);
      await node.call('generatetoaddress', 1, other);
    }
    // Keys far beyond the pool that the backup knows: each is found only after the one before it.
    for (let i = 0; i < 30; i++)
      await node.call('generatetoaddress', 1, await on(node, 'src', i % 2 ? 'getnewaddress' : 'getrawchangeaddress'));
    await node.call('generatetoaddress', 5, other);
    const truth = await pastOf(node, 'src');
    if (filters) while (!(await node.call('getindexinfo'))['basic block filter index'].synced) await sleep(20);

    await on(node, 'src', 'rescanblockchain');
    t.same(await pastOf(node, 'src'), truth, 'a scan of a wallet that knows everything changes nothing');

    await node.call('restorewallet', 'back', backup);
    const restored = await pastOf(node, 'back');
    // Its scripts of several keys are not in the backup; all else is found by catching up.
    const own = (coin: Json): boolean => String(coin.scriptPubKey) !== '' && !kinds.has(String(coin.scriptPubKey));
    t.same((restored.brief as Json[]).filter(own), (truth.brief as Json[]).filter(own), 'catching up finds keys one after another');
    await node.call('unloadwallet', 'back');

    // The same by imports and one scan.
    await node.call('createwallet', 'imp', false, true);
    for (const address of [legacy, nested, segwit])
      await on(node, 'imp', 'importprivkey', await on(node, 'src', 'dumpprivkey', address), '', false);
    for (const { redeemScript } of [multi, wsh, nestedWsh]) await on(node, 'imp', 'importaddress', redeemScript, '', false, true);
    await on(node, 'imp', 'addmultisigaddress', 1, [legacy, segwit], '', 'legacy');
    await on(node, 'imp', 'addmultisigaddress', 1, [segwit], '', 'bech32');
    await on(node, 'imp', 'addmultisigaddress', 1, [nested, segwit], '', 'p2sh-segwit');
    t.equal((await on<Json>(node, 'imp', 'getwalletinfo')).txcount, 0);
    const { stop_height: stop } = await on<Json>(node, 'imp', 'rescanblockchain');
    t.equal(stop, await node.call('getblockcount'));
    const named = (coin: Json): boolean => kinds.has(String(coin.scriptPubKey));
    t.same(((await pastOf(node, 'imp')).brief as Json[]).filter(named), (truth.brief as Json[]).filter(named), 'all kinds of scripts');
    const half = Math.floor(Number(stop) / 2);
    t.same(await on(node, 'imp', 'rescanblockchain', 3, half), { start_height: 3, stop_height: half });

    const desc = (await node.call('getdescriptorinfo', `wpkh(${(await on<Json>(node, 'src', 'getaddressinfo', segwit)).pubkey})`))
      .descriptor;
    await node.call('createwallet', 'watch', true, true, null, false, true);
    const badTime = on(node, 'watch', 'importdescriptors', [
      { desc, timestamp: 0 },
      { desc, timestamp: 'then' },
    ]);
    t.equal(await badTime.then(Number, (error: CallError) => error.code), -3);
    t.same((await on<Json>(node, 'watch', 'listdescriptors')).descriptors, [], 'a call that fails imports nothing');
    const [outcome] = await on<Json[]>(node, 'watch', 'importdescriptors', [{ desc, timestamp: 0 }]);
    t.same(outcome, { success: true });
    t.same(
      ((await pastOf(node, 'watch')).brief as Json[]).filter(named),
      (truth.brief as Json[]).filter((coin) => named(coin) && String(coin.scriptPubKey).startsWith('0014')),
      'a descriptor wallet',
    );
    t.equal(await node.stop().then(({ code }) => code), 0);
    t.equal(node.output(), '', 'nothing on stderr');
  });
}

for (const filters of [false, true]) {
  t.test(`a block that pays beyond the pool, ${filters ? 'with filters' : 'from the block files'}`, async (t) => {
    const node = await Daemon.startFor(t, '-keypool=2', ...(filters ? ['-blockfilterindex'] : []));
    const backup = path.join(node.dir, 'backup');
    const dump = path.join(node.dir, 'dump');
    await node.call('createwallet', 'src');
    await on(node, 'src', 'backupwallet', backup);
    await on(node, 'src', 'dumpwallet', dump);
    const seed = fs.readFileSync(dump, 'utf8').match(/^(\S+) .*hdseed=1/m)?.[1];
    await node.call('createwallet', 'fund');
    await node.call('generatetoaddress', 101, await on(node, 'fund', 'getnewaddress'));
    const [coin]: Json[] = await on(node, 'fund', 'listunspent');
    let input = { txid: coin.txid, vout: coin.vout };
    for (let i = 1; i <= 10; i++) {
      const to = await on(node, 'src', 'getnewaddress');
      const change = await on(node, 'fund', 'getrawchangeaddress');
      const raw = await node.call('createrawtransaction', [input], [{ [to]: 1 }, { [change]: (50 - i * 1.01).toFixed(2) }]);
      const { hex } = await on<Json>(node, 'fund', 'signrawtransactionwithwallet', raw);
      input = { txid: await node.call('sendrawtransaction', hex, 0), vout: 1 };
    }
    await node.call('generatetoaddress', 1, 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE');
    const { balance } = await on<Json>(node, 'src', 'getwalletinfo');
    t.equal(balance, 10);
    if (filters) while (!(await node.call('getindexinfo'))['basic block filter index'].synced) await sleep(20);
    await node.call('restorewallet', 'back', backup);
    t.equal((await on<Json>(node, 'back', 'getwalletinfo')).balance, balance, 'catching up');
    await node.call('createwallet', 'scan', false, true);
    await on(node, 'scan', 'sethdseed', true, seed);
    await on(node, 'scan', 'rescanblockchain');
    t.equal((await on<Json>(node, 'scan', 'getwalletinfo')).balance, balance, 'a scan');
  });
}

t.test('answers and refuses calls as Core does during a scan', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=2');
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 1500, address);
  const truth = await pastOf(node, 'w');
  const wif = await node.call('dumpprivkey', address);
  await node.call('createwallet', 'other', false, true);
  const importing = on<unknown>(node, 'other', 'importprivkey', wif).then(
    () => null,
    (error: unknown) => error as CallError,
  );
  let seen: Json | false = false;
  let slowestMs = 0;
  while (seen === false) {
    const info = await on<Json>(node, 'other', 'getwalletinfo');
    seen = info.scanning as Json | false;
    if (info.txcount === 1500) break;
  }
  // Blocks come, reorganisations happen, other calls are answered.
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await node.call('getblockcount');
    slowestMs = Math.max(slowestMs, performance.now() - began);
    await node.call('generatetoaddress', 2, address);
    const tip = await node.call('getbestblockhash');
    await node.call('invalidateblock', tip);
    if (i % 2 === 0) await node.call('reconsiderblock', tip);
    else await node.call('generatetoaddress', 1, 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE');
  }
  t.comment(`slowest small call ${slowestMs.toFixed(1)} ms`);
  t.equal(await importing, null);
  t.same(await pastOf(node, 'other'), await pastOf(node, 'w'), 'both know the same in the end');
  t.not((await pastOf(node, 'w')).txcount, truth.txcount);

  // A scan may be over before it is caught at it: once more then.
  let refused: CallError | undefined;
  let ending: string | undefined;
  for (let attempt = 0; attempt < 50 && ending !== 'Rescan aborted.'; attempt++) {
    let over = false;
    const again = on<unknown>(node, 'other', 'rescanblockchain').then(
      () => undefined,
      (error: unknown) => (error as CallError).message,
    );
    void again.then(() => {
      over = true;
    });
    for (let scanning: Json | false = false; !over && scanning === false; seen ||= scanning)
      scanning = (await on<Json>(node, 'other', 'getwalletinfo')).scanning as Json | false;
    refused ??= await on<unknown>(node, 'other', 'rescanblockchain', 0, 0).then(
      () => undefined,
      (error: unknown) => error as CallError,
    );
    await on(node, 'other', 'abortrescan');
    ending = await again;
  }
  t.equal(refused?.message, 'Wallet is currently rescanning. Abort existing rescan or wait.');
  t.equal(ending, 'Rescan aborted.');
  t.type((seen as Json).duration, 'number');
  t.type((seen as Json).progress, 'number');
  t.equal(await on(node, 'other', 'abortrescan'), false, 'there is none any more');
  await scanned(node, 'other');
  t.same(await pastOf(node, 'other'), await pastOf(node, 'w'));
});

t.test('continues scans that were interrupted before their first find', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3');
  await node.call('createwallet', 'source');
  const address = await node.call('getnewaddress');
  const file = path.join(node.dir, 'dump');
  await node.call('dumpwallet', file);
  await node.call('unloadwallet', 'source');
  // Nothing is found in the first blocks, and they are too few for a mark of their own.
  await node.call('generatetoaddress', 490, 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE');
  await node.call('generatetoaddress', 5, address);
  const log = path.join(node.networkDir, 'debug.log');
  /**
   * Asks for a scan in a wallet of that name, kills the node as soon as `begun` and loads the wallet again.
   * @returns whether the scan was under way
   */
  const cutOff = async (name: string, begun: () => Promise<boolean>, method: string, ...params: unknown[]): Promise<boolean> => {
    let over = false;
    const call = node
      .call(method, ...params)
      .catch(() => {})
      .finally(() => {
        over = true;
      });
    while (!over && !(await begun()));
    await node.kill();
    await call;
    await node.up();
    await node.call('loadwallet', name).catch(() => {});
    await until('the scan is over', async () => (await node.call('getwalletinfo')).scanning === false);
    const caught = fs.readFileSync(log, 'utf8').includes(`Wallet "${name}": scanning blocks from height`);
    const { txcount } = await node.call('getwalletinfo');
    if (caught) t.equal(txcount, 5, method);
    await node.call('unloadwallet', name);
    return caught;
  };
  // A scan may be over before the kill comes, or not have begun: once more then, in another wallet.
  let caught = false;
  for (let i = 0; !caught && i < 20; i++) {
    await node.call('createwallet', `w${i}`, false, true);
    const mine = async (): Promise<boolean> => (await node.call('getaddressinfo', address)).ismine;
    caught = await cutOff(`w${i}`, mine, 'importwallet', file);
  }
  t.ok(caught, 'importwallet was cut off');
  caught = false;
  for (let i = 0; !caught && i < 20; i++) {
    await node.call('createwallet', `v${i}`, true, true);
    await node.call('importaddress', address, '', false);
    const scans = async (): Promise<boolean> => (await node.call('getwalletinfo')).scanning !== false;
    caught = await cutOff(`v${i}`, scans, 'rescanblockchain');
  }
  t.ok(caught, 'rescanblockchain was cut off');
});
