// Tests found blocks of a fleet: whichever process ends, they reach the best chain. Skipped if nats-server is not
// installed.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { mineLight } from '../framework/light-miner.js';
import { readStream } from '../framework/template-stream.js';
import { until } from '../framework/until.js';

/** Returns true if a file below a folder contains the header of a block, as hex. */
function holds(folder: string, header: string | Buffer): boolean {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.blk'))
    .some((name) => fs.readFileSync(path.join(folder, name)).includes(header));
}

t.test('delivers a block that was found while the nodes were down', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const a = await fleetNode(broker, 'a');
  t.teardown(() => a.remove());
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(a));
  t.teardown(() => front.remove());
  await a.kill();
  const block = buildBlock(GENESIS, { time: 1_700_000_000 });
  // Send the call in a batch, as some clients send every call.
  const batch = [{ id: 1, method: 'submitblock', params: [block.bytes.toString('hex')] }];
  const submitted = front.post(JSON.stringify(batch)).catch(() => {});
  const stored = `${broker.dir}/js`;
  await until('the stream has the block', () => holds(stored, block.bytes.toString('hex', 0, 80)));
  // End the front too: a block that it has accepted must not be lost.
  await front.end();
  await submitted;
  await a.up();
  await until('the node was handed the block', async () => (await a.call('getblockcount')) === 1);
  t.equal(await a.call('getbestblockhash'), block.hashHex);
});

t.test('delivers a block on a light template whose node is gone', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const a = await fleetNode(broker, 'a', '-fallbackfee=0.0001');
  t.teardown(() => a.remove());
  await a.call('createwallet', 'w');
  const address = await a.call('getnewaddress');
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(a));
  t.teardown(() => front.remove());
  await front.call('generatetoaddress', 103, address);
  const txid = await front.call('sendtoaddress', address, 1);
  const light = () => front.call('getblocktemplate', { rules: ['segwit'], capabilities: ['light'] });
  let template = await light();
  // The front passes a light template on before it has its transactions: until then, only the node knows them.
  const workIdHere = async (): Promise<string | null> => {
    const [event] = await readStream({ port: front.port, auth: 'u:p' }, '/template/stream', (events) => events.length > 0);
    return event!.data.workid;
  };
  await until('the transaction is in it, and the front has the whole template', async () => {
    template = await light();
    return template.transactioncount === 1 && (await workIdHere()) === template.workid;
  });
  const { work, hash } = mineLight(template);
  await a.kill();
  // The node that made the work has lost it, so the front must send the whole block.
  const submitted = front.call('submitblock', work, { workid: template.workid }).catch(() => {});
  await until('the stream has the block', () => holds(`${broker.dir}/js`, Buffer.from(work.slice(0, 160), 'hex')));
  await a.up();
  await until('the node was handed the block', async () => (await a.call('getbestblockhash')) === hash);
  t.ok((await a.call('getblock', hash)).tx.includes(txid), 'with its transaction');
  await submitted;
});
