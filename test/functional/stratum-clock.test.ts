// Tests miners while the clock of the node is changed: jobs have times that the node accepts; difficulty, statistics
// and connections stay as they are.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const NAME = `${ADDRESS}.rig`;
const NOW = 1_800_000_000;
const DAY = 86_400;

t.test('a miner continues when the clock is set forward and back', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-mocktime=${NOW}`, '-stratum', `-stratumport=${port}`);
  await node.call('generatetoaddress', 12, ADDRESS);
  const miner = await StratumClient.start(port, NAME);
  t.teardown(() => miner.close());
  const { difficulty } = miner;
  const time = (): number => Number.parseInt(miner.job!.time, 16);
  /** Mines a block, and returns its time. */
  const blockTime = async (): Promise<number> => {
    const share = miner.mine();
    t.match(await miner.submit(NAME, share), { error: null });
    await miner.onTip(share.hashHex);
    return (await node.call('getblockheader', share.hashHex)).time;
  };
  const range = (seconds: number, from: number) => t.ok(seconds >= from && seconds < from + 600, `${seconds} is about ${from}`);
  range(await blockTime(), NOW);

  await node.call('setmocktime', NOW + DAY);
  await miner.until(() => time() >= NOW + DAY);
  // A block with the time of the present job would now be too far in the future.
  await node.call('setmocktime', NOW + 60);
  await miner.until(() => time() < NOW + 7_200);
  range(await blockTime(), NOW + 60);

  const { list } = await node.call('getstratuminfo');
  t.match(list, [{ worker: 'rig', shares: { accepted: 2 }, blocks: 2, connections: 1 }]);
  t.ok(Math.abs(list[0].lastshare * 1000 - Date.now()) < 3_600_000, 'statistics have the time of the machine');
  t.ok(Number.isFinite(list[0].hashrate1m) && list[0].hashrate1m > 0);
  t.equal(miner.difficulty, difficulty);

  // When the clock is a day behind the chain, the node makes no jobs.
  await node.call('setmocktime', NOW - DAY);
  await until('the connection is closed', () => miner.closed);
  await node.call('setmocktime', NOW + 120);
  const again = await StratumClient.start(port, NAME);
  t.teardown(() => again.close());
  t.match(await again.submit(NAME, again.mine()), { error: null });
  t.match(await node.call('getstratuminfo'), { list: [{ shares: { accepted: 3 }, blocks: 3 }] });
});
