// Tests a payment that became void because a conflicting transaction was confirmed: also after a reorganisation that
// confirms the conflicting transaction one block higher, and after restarts.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';

t.test('keeps a conflicted payment conflicted', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=5');
  await node.call('createwallet', 'w', false, false, null, false, false, true);
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 2, address);
  const other = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
  await node.call('generatetoaddress', 101, other);
  const [x, y] = await node.call('listunspent');
  const pay = async (coins: { txid: string; vout: number }[], amount: number): Promise<string> => {
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout, sequence: 0xfffffffd }));
    const raw = await node.call('createrawtransaction', inputs, [{ [address]: amount }]);
    return node.call('sendrawtransaction', (await node.call('signrawtransactionwithwallet', raw)).hex);
  };
  // There are two coins of 50. The first transaction spends both; the second replaces it and spends only the first
  // coin.
  const dead = await pay([x, y], 99.999);
  const rival = await pay([x], 49.99);
  const [block] = await node.call('generatetoaddress', 1, other);
  const balance = 99.99;
  const look = async (confirmations: number, why: string): Promise<void> => {
    t.equal((await node.call('getbalances')).mine.trusted, balance, why);
    t.equal((await node.call('gettransaction', dead)).confirmations, confirmations, why);
    const unspent = (await node.call('listunspent')).map(({ txid }: { txid: string }) => txid);
    t.same(unspent.sort(), [y.txid, rival].sort(), why);
    await t.rejects(node.call('bumpfee', dead), { message: /:0 is already spent$/ }, why);
    await t.rejects(node.call('bumpfee', dead, null), { message: /:0 is already spent$/ }, 'null means no options');
  };
  await look(-1, 'a block has its rival');

  await node.call('invalidateblock', block);
  await node.call('generateblock', other, []);
  await node.call('generateblock', other, [rival]);
  await look(-1, 'and another one after a reorganisation');
  await node.call('generatetoaddress', 1, other);
  await look(-2, 'that is counted');
  await node.kill();
  await node.up();
  await look(-2, 'after a sudden end');
  await node.call('unloadwallet', 'w');
  await node.call('loadwallet', 'w');
  await look(-2, 'after a load');
});
