// Tests Stratum V2 with real processes: a client sets up a connection, receives templates, requests their transactions
// and mines on them. A template that was prepared for the next block ("future template") becomes usable by
// SetNewPrevHash alone, and only for the block it was prepared for.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon, freePort } from '../framework/daemon.js';
import { serializeTx, shown, type Tx } from '../framework/messages.js';
import { constraintsPayload, Sv2Client, setupPayload, solve } from '../framework/sv2-client.js';
import { until } from '../framework/until.js';

const START = 1_700_000_000;
const BLOCKS = 120;
const PAYEE = Buffer.from(`0014${'22'.repeat(20)}`, 'hex');

interface Bench {
  readonly node: Daemon;
  readonly port: number;
  readonly chain: BuiltBlock[];
}

/** Starts a node that serves Stratum V2, on a chain whose coins need no signature. */
async function bench(t: Test, ...options: string[]): Promise<Bench> {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-sv2', `-sv2port=${port}`, '-sv2interval=1', '-acceptnonstdtxn=1', '-fronts=1', ...options);
  const chain = [buildBlock(GENESIS, { time: START })];
  while (chain.length < BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const block of chain) if ((await node.call('submitblock', block.bytes.toString('hex'))) !== null) t.fail('a block was refused');
  return { node, port, chain };
}

const payment = (block: BuiltBlock, fee: number): Tx => spend([reward(block)], [{ value: reward(block).value - fee, script: PAYEE }]);
const send = (node: Daemon, tx: Tx): Promise<string> => node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
const solutionFiles = (node: Daemon): string[] => fs.readdirSync(path.join(node.networkDir, 'sv2-solutions'));
const logOf = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
const tipOf = (node: Daemon): Promise<string> => node.call('getbestblockhash');

for (const mode of ['core', 'live']) {
  t.test(`templates and solutions, mode ${mode}`, async (t) => {
    const { node, port, chain } = await bench(t, `-templatemode=${mode}`);
    const info = await node.call('getsv2info');
    t.match(info.authoritykey, /^9[1-9A-HJ-NP-Za-km-z]{50}$/, 'the key has the form that pools paste');
    t.match(logOf(node), `Template Provider authority key: ${info.authoritykey}`);
    t.equal(fs.statSync(path.join(node.networkDir, 'sv2_authority_key')).mode & 0o777, 0o600, 'its file is the operator’s alone');
    await send(node, payment(chain[0]!, 5000));

    const client = await Sv2Client.start(port, info.authoritykey);
    t.teardown(() => client.close());
    const first = await client.nextOf('template');
    const prevHash = await client.nextOf('prevhash');
    t.equal(first.future, true);
    t.equal(prevHash.id, first.id, 'the pair is adjacent');
    t.equal(shown(prevHash.prevHash), chain.at(-1)!.hashHex);
    t.equal(first.value, 50 * 100_000_000 + 5000, 'subsidy and fees');
    t.equal(first.path.length, 1, 'one transaction beside the coinbase');
    t.equal(first.prefix.toString('hex'), '0179', 'the height alone');
    t.equal(first.locktime, BLOCKS, 'BIP-0054: height - 1');
    t.equal(first.sequence, 0xfffffffe);
    t.equal(prevHash.target.toString('hex'), `${'00'.repeat(29)}ffff7f`, 'the target of the bits, little-endian');
    const staged = await client.nextOf('template');
    t.equal(staged.future, true, 'and one for the next height');
    t.equal(staged.path.length, 0);
    t.equal(staged.locktime, BLOCKS + 1);

    client.request(first.id);
    const data = await client.nextOf('data');
    t.same(
      data.transactions.map((bytes) => bytes.toString('hex')),
      [serializeTx(payment(chain[0]!, 5000)).toString('hex')],
    );
    t.equal(data.excess.length, 0);
    client.request(1n);
    t.same(await client.nextOf('data-error'), { kind: 'data-error', id: 1n, code: 'template-id-not-found' });

    // More fees make the node send another template for the same tip.
    await send(node, payment(chain[1]!, 70_000));
    const richer = await client.nextOf('template');
    t.equal(richer.future, false);
    t.equal(richer.value, 50 * 100_000_000 + 75_000);

    const solution = solve(richer, prevHash);
    client.submit(solution);
    const activated = await client.nextOf('prevhash');
    t.equal(activated.id, staged.id, 'SetNewPrevHash puts the staged template to use');
    t.equal(shown(activated.prevHash), solution.hashHex);
    await until('the block is the tip', async () => (await tipOf(node)) === solution.hashHex);
    t.equal((await node.call('getblock', solution.hashHex)).nTx, 3);
    await until('a block of the chain is kept by the chain alone', () => solutionFiles(node).length === 0);

    // The next block is mined on the prepared template itself.
    const second = solve(staged, activated);
    client.submit(second);
    await client.onTip(second.hashHex);
    await until('that block is the tip', async () => (await tipOf(node)) === second.hashHex);

    // A solution for the previous tip is submitted too. Its block is not in the best chain, so the node keeps it in a
    // file.
    const late = solve(staged, activated);
    client.submit(late);
    await until('the late one is judged', async () => (await node.call('getsv2info')).solutions.lost === 1);
    await until('its file is kept', () => solutionFiles(node).includes(`${late.hashHex}.lost`));
    await until('no other is', () => solutionFiles(node).length === 1);
    t.match(logOf(node), `block ${late.hashHex}, on the tip before,`);
    const after = await node.call('getsv2info');
    t.match(after.solutions, { received: 3, accepted: 2, lost: 1, invalid: 0, unknown: 0, bad: 0 });
    t.match(after.clients, [{ vendor: 'test', outputsize: 100, outputsigops: 4, solutions: 3 }]);
    t.same(client.wrongs, []);
    await node.stop();
    t.equal(node.exit?.code, 0);
  });
}

t.test('discards prepared templates after a reorganisation', async (t) => {
  const { node, port, chain } = await bench(t);
  const client = await Sv2Client.start(port);
  t.teardown(() => client.close());
  await client.told(() => [...client.templates.values()].some(({ locktime }) => locktime === BLOCKS + 1));
  const staged = [...client.templates.values()].find(({ locktime }) => locktime === BLOCKS + 1)!;
  // A branch of two blocks replaces the tip. The new tip has the height for which the template was prepared, but
  // another hash.
  const fork = chain.at(-2)!;
  const rival = buildBlock(fork, { time: START + 5000 });
  const longer = buildBlock(rival, { time: START + 5001 });
  await node.call('submitblock', rival.bytes.toString('hex'));
  await node.call('submitblock', longer.bytes.toString('hex'));
  await client.onTip(longer.hashHex);
  t.not(client.prevHash!.id, staged.id, 'a template of its own');
  t.equal(client.template!.locktime, BLOCKS + 1);
  const solution = solve(client.template!, client.prevHash!);
  client.submit(solution);
  await client.onTip(solution.hashHex);
  await until('the block is the tip', async () => (await tipOf(node)) === solution.hashHex);
  await node.call('invalidateblock', solution.hashHex);
  await client.onTip(longer.hashHex);
  await node.call('reconsiderblock', solution.hashHex);
  await client.onTip(solution.hashHex);
  t.same(client.wrongs, []);
});

t.test('respects the coinbase constraints of each client', async (t) => {
  const { node, port } = await bench(t);
  const client = await Sv2Client.start(port);
  t.teardown(() => client.close());
  await client.nextOf('prevhash');
  const before = client.template!;
  client.send(0x70, constraintsPayload(60_000, 2000));
  await client.nextOf('prevhash');
  t.ok(client.template!.id > before.id, 'a new pair at once');
  client.request(before.id);
  t.match(await client.nextOf('data-error'), { id: before.id, code: 'stale-template-id' });
  client.send(0x70, constraintsPayload(1_000_000, 4));
  await client.ended();
  await until('the log says why', () => logOf(node).includes('no block has space for 1000000 bytes and 4 sigops of outputs'));
  t.same(client.wrongs, []);

  const refused = await Sv2Client.open(port);
  refused.send(0x00, setupPayload({ protocol: 0 }));
  t.same(await refused.next(), { kind: 'setup-error', flags: 0, code: 'unsupported-protocol' });
  await refused.ended();
  const versions = await Sv2Client.open(port);
  versions.send(0x00, setupPayload({ min: 3, max: 9 }));
  t.same(await versions.next(), { kind: 'setup-error', flags: 0, code: 'protocol-version-mismatch' });
  await versions.ended();

  const polite = await Sv2Client.open(port);
  t.teardown(() => polite.close());
  polite.send(0x00, setupPayload({ flags: 0xffffffff }));
  t.match(await polite.next(), { kind: 'setup-success', version: 2, flags: 0 });
  polite.send(0x00, Buffer.from([9, 0, 2, 0, 2, 0, 4, 0]), 1);
  t.same(await polite.next(), { kind: 'extensions-error', request: 9, unsupported: [2, 4], required: 0 });
  polite.send(0x55, Buffer.from('what is not known'), 0);
  polite.send(0x00, Buffer.from('of another extension'), 0x4abc);
  polite.send(0x70, constraintsPayload(0, 0));
  await polite.nextOf('prevhash');
  t.pass('what is to be ignored is ignored');
});
