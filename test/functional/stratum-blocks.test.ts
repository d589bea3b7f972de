// Tests a miner on Stratum V1: jobs with transactions, a block that pays the miner's address, shares that are refused,
// and the job after a new block.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { StratumClient, shownPrevHash } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

const logOf = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

t.test('a miner mines blocks that pay its address', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(
    t,
    '-stratum',
    `-stratumport=${port}`,
    '-templatemode=live',
    '-longpolldelta=0.00000001',
    '-fallbackfee=0.0001',
  );
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress', '', 'bech32');
  await node.call('generatetoaddress', 101, address);
  const name = `${address}.rig1`;
  const miner = await StratumClient.start(port, name);
  t.teardown(() => miner.close());
  t.equal(shownPrevHash(miner.job!.prevHash), await node.call('getbestblockhash'));
  t.ok(miner.job!.clean);

  const txid = await node.call('sendtoaddress', address, 1);
  await miner.until(() => miner.job!.branch.length > 0);
  t.notOk(miner.job!.clean, 'a richer template of the same tip');
  const share = miner.mine();
  t.match(await miner.submit(name, share), { result: true, error: null });
  await miner.onTip(share.hashHex);
  t.ok(miner.job!.clean, 'the next job is for the next tip');
  await until('calls know the block', async () => (await node.call('getbestblockhash')) === share.hashHex);
  const block = await node.call('getblock', share.hashHex, 2);
  t.equal(block.tx[0].vout[0].scriptPubKey.address ?? block.tx[0].vout[0].scriptPubKey.addresses[0], address);
  t.equal(block.tx[1].txid, txid);

  t.match(await miner.submit(name, share), { error: [21] }, 'the same share is stale now');
  const { params } = miner.mine();
  t.match(await miner.submit(name, { params: ['ffffffff', ...params.slice(1)] }), { error: [21] });
  t.match(await miner.submit(name, { params: [params[0]!, '00', ...params.slice(2)] }), { error: [20] });

  // A share with a user name that the connection did not authorize is refused. As it is a block, the node accepts the
  // block nevertheless.
  const unnamed = miner.mine();
  t.match(await miner.submit('someone', unnamed), { error: [24] });
  await miner.onTip(unnamed.hashHex);
  // A block that does not come from this miner.
  const [other] = await node.call('generatetoaddress', 1, address);
  await miner.onTip(other);
  await until('the block is in the log', () => logOf(node).includes(`Stratum V1: block ${share.hashHex} is in the chain`));
  t.equal((await node.stop()).code, 0);
  await miner.ended();
});
