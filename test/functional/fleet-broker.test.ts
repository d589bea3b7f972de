// Tests a fleet whose broker (nats-server) refuses the connection or loses what it stored. Skipped if nats-server is
// not installed.
import fs from 'node:fs';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import type { Daemon } from '../framework/daemon.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { freePort } from '../framework/ports.js';
import { figure, scrape } from '../framework/scrape.js';
import { until } from '../framework/until.js';

const logOf = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
const streamsOf = async (broker: Broker): Promise<string[]> => {
  const nc = await connect({ servers: broker.url });
  try {
    const names: string[] = [];
    for await (const name of (await jetstreamManager(nc)).streams.names()) names.push(name);
    return names.sort();
  } finally {
    await nc.close();
  }
};

t.test('recreates the store when the broker has lost it, and reads found blocks of the new stream', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const node = await fleetNode(broker, 'a');
  t.teardown(() => node.remove());
  const both = ['KV_adit-regtest', 'adit-regtest-found'];
  const hasStore = () => until('the broker has the store', async () => (await streamsOf(broker)).join() === both.join());
  await hasStore();
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(node));
  t.teardown(() => front.remove());
  // This block gives the first stream a sequence number. The new stream starts again from the beginning, so its numbers
  // are smaller than those the node has already seen.
  const first = buildBlock(GENESIS, { time: 1_700_000_000 });
  t.equal(await front.call('submitblock', first.bytes.toString('hex')), null);

  await broker.end();
  fs.rmSync(path.join(broker.dir, 'js'), { recursive: true });
  fs.rmSync(path.join(broker.dir, 'nats.log'));
  await broker.up();
  await hasStore();
  t.match(logOf(node), /fleet: lost the connection to the broker/);
  await front.answers();

  // While the node is down, the block can only reach it later through the stream.
  await node.kill();
  const second = buildBlock(first, { time: 1_700_000_001 });
  const submitted = front.call('submitblock', second.bytes.toString('hex')).catch(() => {});
  await until('the new stream has the block', async () => (await streamsOf(broker)).length > 0 && front.output.includes('submitblock'));
  await node.up();
  await until('the node has the block', async () => (await node.call('getblockcount')) === 2);
  await submitted;
  t.notMatch(front.output, /could not be stored in the broker's stream/);
});

t.test('logs why there is no connection, and serves metrics meanwhile', noBroker || {}, async (t) => {
  const broker = await Broker.start('authorization { user: u, password: right }');
  t.teardown(() => broker.remove());
  const wrong = broker.url.replace('nats://', 'nats://u:wrong@');
  const metrics = await freePort();
  const key = `-fleetnode=a:${'1'.repeat(64)}`;
  const front = await FrontProcess.begin(`-fleet=${wrong}`, key, `-metricsport=${metrics}`);
  t.teardown(() => front.remove());
  await until('the front says why', () => front.output.includes('no connection to the broker'));
  t.match(front.output, /fleet: no connection to the broker 127\.0\.0\.1:\d+ yet: it refuses the user, the password or the credentials/);
  t.notMatch(front.output, /wrong/, 'the password is not in the log');
  const page = await scrape(metrics);
  t.equal(figure(page, 'adit_fleet_broker_connected'), 0);
  t.equal(figure(page, 'adit_fleet_switches_total'), 0);
  await front.end('SIGTERM');
  t.notMatch(front.output, /did not end in time/);
});
