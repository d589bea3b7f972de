// Tests two nodes and a Stratum V2 client over many blocks: blocks of the client and of the other node,
// reorganisations, restarts and SIGKILLs. At the end both nodes have the same tip, and every block of the client that
// was once in the chain is known. SV2_BLOCKS and SV2_SEED change the number of blocks and the random choices.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { shown } from '../framework/messages.js';
import { freePort } from '../framework/ports.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { Sv2Client, solve } from '../framework/sv2-client.js';
import { until } from '../framework/until.js';

const BLOCKS = Number(process.env.SV2_BLOCKS ?? 24);
const THEIRS = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';

t.test('serves Stratum V2 clients through blocks of another node', async (t) => {
  const random = pseudoRandom(Number(process.env.SV2_SEED ?? 7));
  const [port, peerPort] = [await freePort(), await freePort()];
  const lean = ['-disablewallet', '-fronts=1', '-par=1'];
  const node = await Daemon.startFor(t, '-sv2', `-sv2port=${port}`, `-port=${peerPort}`, '-bind=127.0.0.1', '-templatemode=live', ...lean);
  const other = await Daemon.startFor(t, `-connect=127.0.0.1:${peerPort}`, '-listen=0', ...lean);
  const best = (daemon: Daemon): Promise<string> => daemon.call('getbestblockhash');
  const together = async (): Promise<void> => {
    await until('the nodes are connected', async () => {
      if ((await other.call('getconnectioncount')) > 0) return true;
      await other.call('addnode', `127.0.0.1:${peerPort}`, 'onetry').catch(() => {});
      return (await other.call('getconnectioncount')) > 0;
    });
    await until('both are on one tip', async () => (await best(node)) === (await best(other)));
  };
  await other.call('generatetoaddress', 20, THEIRS);
  await together();
  const authority = (await node.call('getsv2info')).authoritykey;
  let client = await Sv2Client.start(port, authority);
  t.teardown(() => client.close());
  const mined = new Set<string>();
  const wrongs: string[] = [];
  const counts: Record<string, number> = {};
  const restart = async (how: 'stop' | 'kill'): Promise<void> => {
    wrongs.push(...client.wrongs);
    await node[how]();
    client.close();
    await node.up();
    t.equal((await node.call('getsv2info')).authoritykey, authority, 'the authority stays the same');
    client = await Sv2Client.start(port, authority);
    await together();
  };
  const mine = async (): Promise<void> => {
    await until('the client works on the best block', async () => {
      const tip = await best(node);
      return client.prevHash !== null && shown(client.prevHash.prevHash) === tip;
    });
    const solution = solve(client.template!, client.prevHash!);
    client.submit(solution);
    await client.onTip(solution.hashHex);
    // Stratum V2 clients receive a tip a moment before calls return it. Without this wait, together() might compare the
    // nodes while both still return the block before.
    await until('calls tell of the block', async () => (await best(node)) === solution.hashHex);
    mined.add(solution.hashHex);
  };
  for (let block = 0; block < BLOCKS; block++) {
    const dice = random();
    const step = dice < 0.45 ? 'mine' : dice < 0.7 ? 'other' : dice < 0.85 ? 'reorganise' : dice < 0.93 ? 'kill' : 'stop';
    counts[step] = (counts[step] ?? 0) + 1;
    if (step === 'mine') await mine();
    else if (step === 'other') {
      const [hash] = await other.call('generatetoaddress', 1, THEIRS);
      await client.onTip(hash);
    } else if (step === 'reorganise') {
      // Invalidate the tip, let the client mine two blocks on the block below, and then reconsider the old tip.
      await together();
      const old = await best(node);
      await node.call('invalidateblock', old);
      await mine();
      await mine();
      await node.call('reconsiderblock', old);
    } else await restart(step);
    await together();
  }
  await restart('kill');
  wrongs.push(...client.wrongs);
  t.same(wrongs, [], 'no client would have stumbled');
  for (const hash of mined) t.ok(await node.call('getblockheader', hash), 'every block of the client is there');
  t.ok(mined.size > BLOCKS / 4, `${mined.size} blocks of the client, ${JSON.stringify(counts)}`);
  t.equal((await node.stop()).code, 0);
});
