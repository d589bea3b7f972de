// Tests the calls that job declaration needs: transactions of the mempool by wtxid, pinned jobs and blocks, and data
// about the next block.
import t from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { serializeTx, shown, type Tx, txid } from '../framework/messages.js';

const START = 1_700_000_000;
const PAYEE = Buffer.from('51'.padStart(62, '61'), 'hex');
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const idOf = (tx: Tx): string => shown(txid(tx));
const hexOf = (tx: Tx): string => serializeTx(tx).toString('hex');

t.test('finds transactions by wtxid, keeps pinned ones, and handles the next block', async (t) => {
  const node = await Daemon.startFor(t, '-acceptnonstdtxn=1', '-blockreconstructionextratxn=0', `-mocktime=${START + 200}`);
  const chain: BuiltBlock[] = [buildBlock(GENESIS, { time: START })];
  while (chain.length < 110) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const block of chain) await node.call('submitblock', block.bytes.toString('hex'));
  const pay = (i: number, fee: number): Tx => {
    const coin = reward(chain[i]!);
    return spend([coin], [{ value: coin.value - fee, script: PAYEE }], { sequence: 0 });
  };
  const send = (tx: Tx) => node.call('sendrawtransaction', hexOf(tx), 0);
  // These transactions have no witness, so their wtxid equals their txid.
  const [a, b] = [pay(0, 5_000), pay(1, 5_000)];
  await send(a);
  await send(b);
  const unknown = 'cd'.repeat(32);
  t.same(await node.call('getrawtransactions', [idOf(b), unknown, idOf(a)]), { transactions: [hexOf(b), null, hexOf(a)] });
  t.same(await node.call('getrawtransactions', [idOf(a)], { job: 'j1', seconds: 60 }), { transactions: [hexOf(a)], pinned: 1 });
  // Replace both transactions. The pinned one is still found.
  await send(pay(0, 50_000));
  await send(pay(1, 50_000));
  t.same(await node.call('getrawtransactions', [idOf(a), idOf(b)]), { transactions: [hexOf(a), null] });
  const better = pay(1, 50_000);
  await node.call('generatetoaddress', 1, ADDRESS);
  t.same(
    await node.call('getrawtransactions', [idOf(better), idOf(a)]),
    { transactions: [hexOf(better), hexOf(a)] },
    'from the last block',
  );
  await node.call('generatetoaddress', 1, ADDRESS);
  t.same(await node.call('getrawtransactions', [idOf(a)]), { transactions: [null] }, 'two blocks later the pin is gone');
  await node.call('generatetoaddress', 2, ADDRESS);
  t.same(await node.call('getrawtransactions', [idOf(better)]), { transactions: [null] }, 'too deep');

  const many = Array.from({ length: 1_001 }, () => unknown);
  await t.rejects(node.call('getrawtransactions', many), { code: -8, message: 'wtxids lists more than 1000 transactions' });
  t.equal((await node.call('getrawtransactions', many.slice(1))).transactions.length, 1_000);
  await t.rejects(node.call('getrawtransactions', ['zz']), { code: -8 });
  await t.rejects(node.call('getrawtransactions', [], { job: '' }), { code: -8, message: 'job must be a name of 1 to 64 characters' });
  await t.rejects(node.call('getrawtransactions', [], { job: 'j', seconds: 3_601 }), {
    code: -8,
    message: 'seconds must be between 1 and 3600',
  });
  await t.rejects(node.call('getrawtransactions', [], {}), { code: -3 });

  await node.call('setmocktime', START + 100_000);
  const template = await node.call('getblocktemplate', { rules: ['segwit', 'consensuscleanup'] });
  const info = await node.call('gettemplateinfo');
  for (const member of ['previousblockhash', 'height', 'version', 'mintime', 'curtime', 'bits', 'target', 'sigoplimit', 'weightlimit']) {
    t.equal(info[member], template[member], member);
  }
  t.equal(info.coinbaselocktime, template.coinbaselocktime);
  t.equal(info.coinbasesequence, template.coinbasesequence);
  t.equal(info.subsidy, template.coinbasevalue, 'the mempool is empty');
});
