// Runs all attacks at once for a short time: the node continues within its limits and serves honest peers. The long
// form (test/hostile) runs each attack alone and measures it.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { testKey } from '../framework/keys.js';
import { compactSize, hash256 } from '../framework/messages.js';
import { mine, type Template } from '../framework/miner.js';
import { P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { runHostile } from '../hostile/hostile-run.js';

/** Memory of a node of this size, and the limits of traffic in either direction, including work that has started. */
const MOST_BYTES = 1_000 * 2 ** 20;

t.test('stays responsive under attack', async (t) => {
  const report = await runHostile({
    seconds: rounds(4, 11),
    short: true,
    blocks: 2_200,
    lanesAlone: 0,
    lanesTogether: 3,
    connections: 1_000,
  });
  t.strictSame(report.faults, [], 'every block and transaction of the honest arrived, in both directions');
  t.strictSame(report.logErrors, []);
  t.ok(report.blocks >= 4, `${report.blocks} blocks`);
  t.ok(report.transactions >= 2, `${report.transactions} transactions`);
  t.ok(report.logLines < 20_000, `${report.logLines} lines in the log`);
  if (Number.isFinite(report.mostMemory)) t.ok(report.mostMemory < MOST_BYTES, `${Math.round(report.mostMemory / 2 ** 20)} MB`);
  const together = report.phases.find(({ name }) => name === 'all at once');
  t.ok((together?.seen.templates.length ?? 0) > 0, 'templates were given');
  const counts = Object.values(together?.counts ?? {});
  t.ok(counts.length > 20, `${counts.length} attacks`);
  t.strictSame(
    counts.filter(({ connected }) => connected === 0),
    [],
    'each of them came through',
  );
});

/** Compact blocks of version 2, when asked for. */
const SENDCMPCT = Buffer.from('000200000000000000', 'hex');

t.test('rejects bad headers before it reads what follows', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-port=${port}`, '-bind=127.0.0.1');
  await node.call('generatetoaddress', 1, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  const template = (await node.call('getblocktemplate', { rules: ['segwit'] })) as Template;
  const block = Buffer.from(mine(template, 'p2wpkh', testKey(1)).hex, 'hex');
  const header = block.subarray(0, 80);
  const compact = (of: Buffer): Buffer =>
    Buffer.concat([of, Buffer.alloc(8), compactSize(1), Buffer.alloc(6, 1), compactSize(1), compactSize(0), block.subarray(81)]);

  const peer = await P2pClient.connect(port);
  t.teardown(() => peer.close());
  peer.send('sendcmpct', SENDCMPCT);
  peer.send('headers', Buffer.concat([compactSize(1), header, Buffer.alloc(1)]));
  await peer.next('getdata');
  for (let i = 0; i < 5; i++) peer.send('cmpctblock', compact(header));
  await peer.sync();
  t.equal(peer.received.filter(({ command }) => command === 'getblocktxn').length, 1, 'asked once, however often it comes');

  // The message has no proof of work, so its invalid rest is never parsed.
  const unsolved = Buffer.from(header);
  do unsolved.writeUInt32LE(unsolved.readUInt32LE(76) + 1, 76);
  while ((hash256(unsolved)[31] as number) < 0x80);
  for (const [command, payload] of [
    ['block', Buffer.concat([unsolved, Buffer.alloc(1_000, 0xff)])],
    ['cmpctblock', Buffer.concat([unsolved, Buffer.alloc(1_000, 0xff)])],
  ] as const) {
    const other = await P2pClient.connect(port);
    other.send('sendcmpct', SENDCMPCT);
    other.send(command, payload);
    t.equal(await other.ended(), true, command);
  }
  t.equal(await node.call('getblockcount'), 1);
});
