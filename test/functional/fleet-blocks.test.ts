// Found blocks of a fleet: whatever goes away, they end in the best chain. Skipped where nats-server isn't installed.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { mineLight } from '../framework/light-miner.js';
import { until } from '../framework/until.js';

/** Whether a file below a folder has the header of a block in it, as hex. */
function holds(folder: string, header: string | Buffer): boolean {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.blk'))
    .some((name) => fs.readFileSync(path.join(folder, name)).includes(header));
}

t.test('a block that is found while the nodes are away', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const a = await fleetNode(broker, 'a');
  t.teardown(() => a.remove());
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(a));
  t.teardown(() => front.remove());
  await a.kill();
  const block = buildBlock(GENESIS, { time: 1_700_000_000 });
  // In a batch of its own, as some clients send every call.
  const batch = [{ id: 1, method: 'submitblock', params: [block.bytes.toString('hex')] }];
  const submitted = front.post(JSON.stringify(batch)).catch(() => {});
  const stored = `${broker.dir}/js`;
  await until('the stream has the block', () => holds(stored, block.bytes.toString('hex', 0, 80)));
  // The front dies too: what it has taken is not lost with it.
  await front.end();
  await submitted;
  await a.up();
  await until('the node was handed the block', async () => (await a.call('getblockcount')) === 1);
  t.equal(await a.call('getbestblockhash'), block.hashHex);
});

/** The workid of the template that a front itself has now. */
async function streamedWorkId(front: FrontProcess): Promise<string | null> {
  const headers = { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` };
  const reply = await fetch(`http://127.0.0.1:${front.port}/template/stream`, { headers });
  let text = '';
  for await (const bytes of reply.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (/^data: .*\n\n/m.test(text)) break;
  }
  const data = /^data: (.*)$/m.exec(text)?.[1];
  return data === undefined ? null : (JSON.parse(data) as { workid: string | null }).workid;
}

t.test('a block on a light template whose node has gone', noBroker || {}, async (t) => {
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
  // A node that dies before the fleet has its template took the transactions of its light form along.
  await until('the transaction is in it, and the front has the whole template', async () => {
    template = await light();
    return template.transactioncount === 1 && (await streamedWorkId(front)) === template.workid;
  });
  const { work, hash } = mineLight(template);
  await a.kill();
  // The node that gave the work holds nothing any more: what it is handed is the whole block.
  const submitted = front.call('submitblock', work, { workid: template.workid }).catch(() => {});
  await until('the stream has the block', () => holds(`${broker.dir}/js`, Buffer.from(work.slice(0, 160), 'hex')));
  await a.up();
  await until('the node was handed the block', async () => (await a.call('getbestblockhash')) === hash);
  t.ok((await a.call('getblock', hash)).tx.includes(txid), 'with its transaction');
  await submitted;
});
