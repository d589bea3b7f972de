// Tests the rights in a fleet whose fronts and nodes have their own accounts at the broker: fronts can call only as
// their account, a list of methods limits an account, and only messages of pinned nodes are accepted. Skipped if
// nats-server is not installed.
import fs from 'node:fs';
import path from 'node:path';
import { connect } from '@nats-io/transport-node';
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { Broker, FrontProcess, followOption, noBroker } from '../framework/fleet.js';
import { freePort } from '../framework/ports.js';
import { figure, scrape } from '../framework/scrape.js';
import { until } from '../framework/until.js';

const RULES = { rules: ['segwit'] };

/** One account of fronts: what nodes give it, and its own imports of that. */
const given = (account: string): { exports: string; imports: string } => {
  const service = [`adit.regtest.call.*.${account}`, `adit.regtest.found.${account}`, '$JS.API.DIRECT.GET.KV_adit-regtest.>'];
  const stream = ['adit.regtest.fact.>', '$KV.adit-regtest.>'];
  const exports = [
    ...service.map((subject) => `{ service: "${subject}", response_type: stream, accounts: [${account}] }`),
    ...stream.map((subject) => `{ stream: "${subject}", accounts: [${account}] }`),
  ];
  const imports = [
    ...service.map((subject) => `{ service: { account: nodes, subject: "${subject}" } }`),
    ...stream.map((subject) => `{ stream: { account: nodes, subject: "${subject}" } }`),
  ];
  return { exports: exports.join('\n'), imports: imports.join('\n') };
};

const [pool, guests] = [given('pool'), given('guests')];
// Subjects that an export lists once, and that both accounts may use.
const shared = /^\{ (?:stream|service): "(?:adit\.regtest\.fact|\$)[^\n]*$/gm;
const configuration = `
accounts {
  nodes: {
    jetstream: enabled
    users: [{ user: node, password: n }]
    exports: [
      ${pool.exports.replaceAll('accounts: [pool]', 'accounts: [pool, guests]')}
      ${guests.exports.replaceAll(shared, '')}
    ]
  }
  pool: { users: [{ user: pool, password: p }], imports: [${pool.imports}] }
  guests: { users: [{ user: guest, password: g }], imports: [${guests.imports}] }
}`;

const as = (broker: Broker, user: string): string => broker.url.replace('nats://', `nats://${user}@`);

t.test('enforces the rights of broker accounts', noBroker || {}, async (t) => {
  const broker = await Broker.start(configuration);
  t.teardown(() => broker.remove());
  const node = await Daemon.startFor(
    t,
    `-fleet=${as(broker, 'node:n')}`,
    '-fleetname=a',
    '-fleetaccount=pool',
    '-fleetaccount=guests:getblockcount,getblocktemplate',
    '-templatemode=live',
    '-fallbackfee=0.0001',
  );
  const follow = followOption(node);
  const front = await FrontProcess.start(`-fleet=${as(broker, 'pool:p')}`, '-fleetaccount=pool', follow);
  t.teardown(() => front.remove());
  const block = buildBlock(GENESIS, { time: 1_700_000_000 });
  t.equal(await front.call('submitblock', block.bytes.toString('hex')), null, 'an account with everything');
  t.equal((await front.call('getblockchaininfo')).blocks, 1);
  await until('the found block is stored across accounts', () =>
    fs
      .readdirSync(path.join(broker.dir, 'js'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.blk'))
      .some((name) => fs.readFileSync(path.join(broker.dir, 'js', name)).includes(block.bytes.toString('hex', 0, 80))),
  );
  t.notMatch(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), /node:n@/, 'the password is not in the log');

  // A template that went out before a front came is in the store, for every account that may read it.
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 102, address);
  await node.call('sendtoaddress', address, 1);
  await until('the transaction is in the template', async () => (await front.call('getblocktemplate', RULES)).transactions.length === 1);
  const metrics = await freePort();
  const late = await FrontProcess.start(`-fleet=${as(broker, 'pool:p')}`, '-fleetaccount=pool', follow, `-metricsport=${metrics}`);
  t.teardown(() => late.remove());
  t.equal((await late.call('getblocktemplate', RULES)).transactions.length, 1);
  t.equal(figure(await scrape(metrics), 'adit_fleet_templates_total{by="store"}'), 1, 'it came from the store');
  const tip = await node.call('getbestblockhash');

  const guest = await FrontProcess.start(`-fleet=${as(broker, 'guest:g')}`, '-fleetaccount=guests', follow);
  t.teardown(() => guest.remove());
  t.equal((await guest.call('getblocktemplate', RULES)).previousblockhash, tip, 'work for everyone');
  t.equal((await guest.post('{"method":"getmempoolinfo","params":[]}')).status, 403, 'but no other call');
  t.equal((await guest.post('[{"method":"getblockcount"},{"method":"stop","params":[]}]')).status, 403, 'nor one beside an allowed one');

  // A front that claims another account reaches no node, because the broker derives the subject from the real account.
  const liar = await FrontProcess.begin(`-fleet=${as(broker, 'guest:g')}`, '-fleetaccount=pool', follow);
  t.teardown(() => liar.remove());
  await until('it is connected', () => liar.output.includes('connected to the broker'));

  // Messages that another client publishes in a node's name are not accepted.
  const forger = await connect({ servers: broker.url, user: 'pool', pass: 'p' });
  t.teardown(() => forger.close());
  const received: Uint8Array[] = [];
  forger.subscribe('adit.regtest.fact.a', { callback: (error, message) => void (error === null && received.push(message.data.slice())) });
  await until('facts pass', () => received.length > 1);
  const [first] = received as [Uint8Array];
  const changed = first.slice();
  changed[changed.length - 20] = (changed[changed.length - 20] as number) ^ 1;
  const [next] = await front.call('generatetoaddress', 1, address);
  for (const bytes of [changed, first, new Uint8Array(100)]) forger.publish('adit.regtest.fact.a', bytes);
  await forger.flush();
  t.equal(await front.call('getbestblockhash'), next, 'neither a forged fact nor an old one moves a front');
  t.equal((await front.call('getblocktemplate', RULES)).previousblockhash, next);
  await t.rejects(liar.call('getblockcount'), { code: -28 }, 'who has no right to its account never gets to follow');
});
