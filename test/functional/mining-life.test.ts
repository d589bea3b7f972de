// Simulates a small pool: a miner that uses only HTTP gets its work by long polling, and 300 of its blocks are
// accepted. They contain spends of every standard kind, and there are a reorganisation and two kills in between.
import t from 'tap';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { commitmentOf, type Mined, mine, type Template } from '../framework/miner.js';
import { type Kind, kinds, MiniWallet, type Spendable } from '../framework/mini-wallet.js';

const rules = { rules: ['segwit'] };

t.test('mines 300 blocks over HTTP', async (t) => {
  const node = await Daemon.startFor(t, '-templatemode=core', '-checktemplates=1', '-acceptnonstdtxn=0');
  const wallet = new MiniWallet();
  /** Coinbases by height, to be spent when mature. */
  const rewards: { at: number; coin: Spendable }[] = [];
  const waiting = new Map<string, Spendable[]>();
  const spentKinds = new Set<Kind>();

  const submit = async (block: Mined): Promise<void> => {
    t.equal(await node.call('submitblock', block.hex), null, `block ${block.height}`);
    rewards.push({ at: block.height, coin: block.coinbase });
    for (const txid of block.txids) {
      wallet.coins.push(...(waiting.get(txid) ?? []));
      waiting.delete(txid);
    }
  };
  const send = async (coins: readonly Spendable[], into: readonly Kind[], feeSats: number): Promise<Spendable[]> => {
    const made = wallet.spend(coins, into, feeSats);
    t.equal(await node.call('sendrawtransaction', made.hex, 0), made.txidHex, `spend of ${coins.map((coin) => coin.kind)}`);
    waiting.set(made.txidHex, [...made.outputs]);
    for (const coin of coins) {
      spentKinds.add(coin.kind);
      // An output that an unconfirmed child spends must not become a coin of the miner when the parent is mined.
      for (const outputs of waiting.values()) if (outputs.includes(coin)) outputs.splice(outputs.indexOf(coin), 1);
    }
    return made.outputs;
  };
  /** The current template. Each next one comes from a long poll, which ends when another connection submits a block. */
  let template: Template = await node.call('getblocktemplate', rules);
  const mineNext = async (kind: Kind): Promise<void> => {
    const block = mine(template, kind, wallet.key());
    const next = node.call('getblocktemplate', { ...rules, longpollid: template.longpollid });
    await submit(block);
    template = (await next) as Template;
    t.equal(template.previousblockhash, block.hashHex, 'the long poll brings work on the new block');
    t.equal(template.default_witness_commitment, commitmentOf(template), 'commitment');
  };

  const spendMature = async (): Promise<void> => {
    const height: number = await node.call('getblockcount');
    const index = rewards.findIndex(({ at }) => height + 1 - at >= 100);
    if (index < 0) return;
    const [{ coin }] = rewards.splice(index, 1) as [{ at: number; coin: Spendable }];
    // Send a parent with two outputs of different kinds, and at once a child that spends its first output. Both must be
    // in the next template, in this order.
    const kind = kinds[height % kinds.length]!;
    const other = kinds[(height + 5) % kinds.length]!;
    const [first] = await send([coin], [kind === 'p2wsh-csv' ? 'p2tr-key' : kind, other], 10_000);
    if (kind !== 'p2pkh-cltv-p2sh') await send([first!], ['p2wpkh'], 50_000);
    const ready = wallet.coins.filter((spendable) => spendable.value > 100_000).slice(0, 3);
    if (ready.length === 3) {
      for (const spendable of ready) wallet.coins.splice(wallet.coins.indexOf(spendable), 1);
      await send(ready, ['p2tr-script'], 20_000);
    }
  };

  for (let i = 0; i < 150; i++) {
    await mineNext(kinds[i % kinds.length]!);
    if (i >= 100) {
      await spendMature();
      // Advance the clock, because a new template includes changes of the mempool only after five seconds.
      await node.call('setmocktime', template.curtime + 10 + i * 10);
      template = await node.call('getblocktemplate', rules);
      t.ok(template.transactions.length > 0, 'signed transactions in the template');
    }
  }

  t.comment('SIGKILL with a block just acknowledged');
  const before = await node.call('getbestblockhash');
  await node.kill();
  // The mock time continues from the last block's time, because the node refuses to start with a tip from the future.
  await node.up(`-mocktime=${template.curtime + 10}`);
  t.equal(await node.call('getbestblockhash'), before, 'the acknowledged tip is there after a kill');
  template = await node.call('getblocktemplate', rules);

  t.comment('a longer branch replaces the last three blocks');
  const forkHeight: number = (await node.call('getblockcount')) - 3;
  const forkHash: string = await node.call('getblockhash', forkHeight);
  const fork = await node.call('getblockheader', forkHash);
  let base: Template = { ...template, transactions: [], previousblockhash: forkHash, height: forkHeight + 1, coinbasevalue: 25_00000000 };
  base = { ...base, default_witness_commitment: commitmentOf(base), curtime: fork.time + 600 };
  for (let i = 0; i < 4; i++) {
    const block = mine(base, 'p2wpkh', wallet.key());
    const answer = await node.call('submitblock', block.hex);
    t.equal(answer, i < 3 ? 'inconclusive' : null, `branch block ${i}`);
    if (i < 3) t.not(await node.call('getbestblockhash'), block.hashHex);
    else t.equal(await node.call('getbestblockhash'), block.hashHex, 'the longer branch is the chain now');
    base = { ...base, previousblockhash: block.hashHex, height: base.height + 1, curtime: base.curtime + 1 };
    base.default_witness_commitment = commitmentOf(base);
  }
  // Transactions of the replaced blocks are in the mempool again, or their coins no longer exist. So the miner forgets
  // its coins and starts again from mature coinbases.
  wallet.coins.length = 0;
  waiting.clear();
  for (let i = rewards.length - 1; i >= 0; i--) if (rewards[i]!.at > forkHeight) rewards.splice(i, 1);
  const pool: string[] = await node.call('getrawmempool');
  t.ok(pool.length > 0, 'transactions of the replaced blocks are waiting again');
  await node.call('setmocktime', base.curtime + 600);
  template = await node.call('getblocktemplate', rules);
  t.equal(template.transactions.length, pool.length, 'and are offered for mining again');

  while ((await node.call('getblockcount')) < 250) {
    await mineNext(kinds[template.height % kinds.length]!);
    if (template.height % 3 === 0) {
      await spendMature();
      await node.call('setmocktime', template.curtime + 10);
      template = await node.call('getblocktemplate', rules);
    }
  }

  t.comment('SIGKILL while blocks are being submitted');
  const doomed = mine(template, 'p2pkh', wallet.key());
  const answer = node.call('submitblock', doomed.hex).catch(() => 'killed');
  await node.kill();
  const received = await answer;
  await node.up(`-mocktime=${template.curtime + 10}`);
  const tip = await node.call('getbestblockhash');
  t.ok(
    tip === doomed.hashHex || (tip === template.previousblockhash && received !== null),
    'the tip is the block or its parent; an acknowledged block is kept',
  );
  template = await node.call('getblocktemplate', rules);
  while ((await node.call('getblockcount')) < 300) {
    await mineNext(kinds[template.height % kinds.length]!);
    if (template.height % 5 === 0) {
      await spendMature();
      await node.call('setmocktime', template.curtime + 10);
      template = await node.call('getblocktemplate', rules);
    }
  }
  t.same([...spentKinds].sort(), [...kinds].sort(), 'every standard kind was spent');
  t.equal(await node.call('verifychain', 4, 0), true, 'the whole chain checks');
  // disk_size is an estimate of the database and changes when the database compacts its files, so the comparison leaves
  // it out.
  const coins = async () => ({ ...(await coinFigures(node)), disk_size: 0 });
  const stats = await coins();
  t.equal(stats.height, 300);
  t.same(await node.stop(), { code: 0, signal: null }, 'a clean stop');
  await node.up(`-mocktime=${template.curtime + 10}`);
  t.same(await coins(), stats, 'the coins are the same after a restart');
});
