// Tests gettemplateverdict with a real process: verdicts about transactions that the mempool refused or removed, that
// are in the template, and that are confirmed.
import t from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { serializeTx, shown, type Tx, txid } from '../framework/messages.js';

const START = 1_700_000_000;
const PAYEE = Buffer.from(`0014${'11'.repeat(20)}`, 'hex');
const idOf = (tx: Tx): string => shown(txid(tx));

t.test('reports why a transaction is in the template or not', async (t) => {
  const node = await Daemon.startFor(t, '-compat=0.21.1', '-acceptnonstdtxn=1', '-blockmintxfee=0.00002');
  const chain: BuiltBlock[] = [buildBlock(GENESIS, { time: START })];
  while (chain.length < 110) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const block of chain) await node.call('submitblock', block.bytes.toString('hex'));
  await node.call('setmocktime', START + 1000);
  const pay = (i: number, fee: number, sequence = 0xffffffff): Tx => {
    const coin = reward(chain[i]!);
    const tx = spend([coin], [{ value: coin.value - fee, script: PAYEE }]);
    tx.ins[0]!.sequence = sequence;
    return tx;
  };
  const send = (tx: Tx) => node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
  const verdict = (tx: Tx) => node.call('gettemplateverdict', idOf(tx));

  const paid = pay(0, 5_000, 0);
  t.same(await verdict(paid), { verdict: 'unknown' });
  await send(paid);
  t.same(await verdict(paid), { verdict: 'no-template' }, 'mode core has none before the first is asked for');
  const template = await node.call('getblocktemplate', { rules: ['segwit'] });
  t.match(await verdict(paid), {
    verdict: 'included',
    position: 1,
    template: { longpollid: template.longpollid, height: 111, transactions: 1 },
  });
  const low = pay(1, 100);
  await send(low);
  t.match(await verdict(low), { verdict: 'pending', reason: 'newer' });
  await node.call('setmocktime', START + 1010);
  await node.call('getblocktemplate', { rules: ['segwit'] });
  const filtered = await verdict(low);
  t.match(filtered, { verdict: 'filtered', reason: 'blockmintxfee', package: { txids: [idOf(low)], fee: 100 } });
  t.ok(Math.abs(filtered.package.feerate - (4_000 * 100) / filtered.package.weight) < 1e-9);

  // Two transactions that conflict with the mempool: the first with a transaction that does not signal replacement, the
  // second with one that does, but its fee is too small.
  const rival = pay(1, 50_000);
  await t.rejects(send(rival), { message: 'txn-mempool-conflict' });
  t.match(await verdict(rival), { verdict: 'conflict', reason: 'txn-mempool-conflict', conflicts: [idOf(low)] });
  const cheap = pay(0, 5_001, 0);
  await t.rejects(send(cheap), { message: /insufficient fee/ });
  t.match(await verdict(cheap), { verdict: 'conflict', reason: 'insufficient fee', conflicts: [idOf(paid)] });
  const better = pay(0, 50_000, 0);
  await send(better);
  t.match(await verdict(paid), { verdict: 'included' }, 'the template that is handed out has it still');
  await node.call('setmocktime', START + 1020);
  await node.call('getblocktemplate', { rules: ['segwit'] });
  t.match(await verdict(paid), { verdict: 'left', reason: 'replaced', replacedby: idOf(better), time: START + 1010 });
  t.match(await verdict(better), { verdict: 'included' });
  const orphan = spend([{ txid: Buffer.alloc(32, 7), index: 0, value: 10 }], [{ value: 1, script: PAYEE }]);
  await t.rejects(send(orphan), { message: 'bad-txns-inputs-missingorspent' });
  t.match(await verdict(orphan), { verdict: 'refused', reason: 'bad-txns-inputs-missingorspent' });
  const looked = pay(2, 5_000);
  await node.call('testmempoolaccept', [serializeTx(pay(1, 70_000)).toString('hex')]);
  t.match(await verdict(pay(1, 70_000)), { verdict: 'unknown' }, 'a question is no refusal');
  await send(looked);
  await node.call('generatetoaddress', 1, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  t.match(await verdict(better), { verdict: 'confirmed' });
  await t.rejects(node.call('gettemplateverdict', '00'), { code: -8, message: "txid must be of length 64 (not 2, for '00')" });
  await t.rejects(node.call('gettemplateverdict', 7), { code: -1 });
});
