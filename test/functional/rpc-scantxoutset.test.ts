// Tests scantxoutset: scripts of every kind for one key, ranges, requests that are refused, and a scan that other calls
// watch and abort.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { type CallError, Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const hash160 = (bytes: Buffer): Buffer => createHash('ripemd160').update(sha256(bytes)).digest();
const fault = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CallError) => `${error.code} ${error.message}`,
  );

/** The public key of the private key 1. */
const KEY = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex');
const ID = hash160(KEY);
const P2PK = Buffer.concat([Buffer.from([33]), KEY, Buffer.from([0xac])]);
const P2PKH = Buffer.concat([Buffer.from('76a914', 'hex'), ID, Buffer.from('88ac', 'hex')]);
const P2WPKH = Buffer.concat([Buffer.from('0014', 'hex'), ID]);
const P2SH_P2WPKH = Buffer.concat([Buffer.from('a914', 'hex'), hash160(P2WPKH), Buffer.from([0x87])]);
const MULTI = Buffer.concat([Buffer.from([0x51, 33]), KEY, Buffer.from([0x51, 0xae])]);
const P2WSH_MULTI = Buffer.concat([Buffer.from('0020', 'hex'), sha256(MULTI)]);
const scripts = [P2PK, P2PKH, P2WPKH, P2SH_P2WPKH, P2WSH_MULTI];
const values = [100_000, 200_000, 400_000, 800_000, 1_600_000];
const origin = `[${ID.subarray(0, 4).toString('hex')}]${KEY.toString('hex')}`;

t.test('finds the coins of descriptors', async (t) => {
  const node = await Daemon.startFor(t, '-compat=default');
  const blocks: BuiltBlock[] = buildChain(GENESIS, 101);
  const coin = reward(blocks[0]!);
  const outs = [...scripts.map((script, i) => ({ value: values[i]!, script })), { value: 7, script: ANYONE }];
  blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], outs)] }));
  for (const block of blocks) await node.call('submitblock', block.bytes.toString('hex'));
  const txid = Buffer.from(blocks.at(-1)!.txids[1]!).reverse().toString('hex');
  const start = (...objects: unknown[]) => node.call('scantxoutset', 'start', objects);
  const txouts = (await node.call('gettxoutsetinfo', 'none')).txouts;

  const info = (text: string): Promise<string> => node.call('getdescriptorinfo', text).then((reply) => reply.descriptor);
  const all = await start(`combo(${KEY.toString('hex')})`);
  t.match(all, { success: true, txouts, height: 102, bestblock: blocks.at(-1)!.hashHex, total_amount: 0.015 });
  t.same(Object.keys(all), ['success', 'txouts', 'height', 'bestblock', 'unspents', 'total_amount']);
  const descriptors = [`pk(${origin})`, `pkh(${origin})`, `wpkh(${origin})`, `sh(wpkh(${origin}))`];
  t.same(
    all.unspents,
    await Promise.all(
      [0, 1, 2, 3].map(async (i) => ({
        txid,
        vout: i,
        scriptPubKey: scripts[i]!.toString('hex'),
        desc: await info(descriptors[i]!),
        amount: values[i]! / 1e8,
        height: 102,
        coinbase: false,
        blockhash: blocks.at(-1)!.hashHex,
        confirmations: 1,
      })),
    ),
    'in the order of the outputs, each with its descriptor',
  );
  t.same(
    (await start(`pkh(${KEY.toString('hex')})`)).unspents.map(({ vout }: { vout: number }) => vout),
    [1],
  );
  const multi = await start(`wsh(multi(1,${KEY.toString('hex')}))`);
  t.same(
    multi.unspents.map(({ desc }: { desc: string }) => desc),
    [await info(`wsh(multi(1,${origin}))`)],
  );
  const raw = await start(`raw(${P2SH_P2WPKH.toString('hex')})`, { desc: 'addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)' });
  t.same(
    raw.unspents.map(({ vout }: { vout: number }) => vout),
    [2, 3],
    'an address and a script, nothing known of either',
  );
  t.match(raw.unspents[0].desc, /^addr\(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080\)#/);
  t.match(await start(), { success: true, txouts, unspents: [], total_amount: 0 });

  // An extended key. The coin of its child 9 is found if the range includes 9, and otherwise not.
  const tpub = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
  const [child] = await node.call('deriveaddresses', await info(`wpkh(${tpub}/0/*)`), [9, 9]);
  await node.call('generatetoaddress', 1, child);
  t.equal((await start({ desc: `wpkh(${tpub}/0/*)`, range: 8 })).unspents.length, 0);
  const ranged = await start({ desc: `wpkh(${tpub}/0/*)`, range: [9, 12] });
  t.equal(ranged.unspents.length, 1);
  t.match(ranged.unspents[0].desc, /^wpkh\(\[[0-9a-f]{8}\/0\/9\]0[23][0-9a-f]{64}\)#[a-z0-9]{8}$/);
  t.equal((await start(`wpkh(${tpub}/0/*)`)).unspents.length, 1, '0 to 1000 unless told otherwise');

  t.equal(await node.call('scantxoutset', 'status'), null);
  t.equal(await node.call('scantxoutset', 'abort'), false);
  t.equal(await fault(node.call('scantxoutset', 'start')), '-1 scanobjects argument is required for the start action');
  t.equal(await fault(node.call('scantxoutset', 'begin')), "-8 Invalid action 'begin'");
  t.equal(
    await fault(node.call('scantxoutset', 'start', 'x')),
    '-3 Wrong type passed:\n{\n    "Position 2 (scanobjects)": "JSON value of type string is not of expected type array"\n}',
  );
  t.equal(await fault(start(7)), '-8 Scan object needs to be either a string or an object');
  t.equal(await fault(start({ desc: 5 })), '-3 JSON value of type number is not of expected type string');
  t.equal(await fault(start({ range: 5 })), '-8 Descriptor needs to be provided in scan object');
  t.equal(await fault(start({ desc: `wpkh(${tpub}/0/*)`, range: -1 })), '-8 End of range is too high');
  t.match(await fault(start('nonsense')), /^-5 /);
  t.equal(await fault(start(`wpkh(${tpub}/0'/*)`)), `-5 Cannot derive script without private keys: 'wpkh(${tpub}/0'/*)'`);
  t.equal(await node.call('scantxoutset', 'status'), null, 'a scan that was refused leaves nothing behind');
});

t.test('reports progress of a scan, aborts it, and answers other calls meanwhile', async (t) => {
  const node = await Daemon.startFor(t);
  const [first, next] = buildChain(GENESIS, 2);
  t.equal(await node.call('submitblock', first.bytes.toString('hex')), null);
  // The scripts of a million indices take longer to derive than this test.
  const tpub = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
  const object = [{ desc: `wpkh(${tpub}/0/*)`, range: 999_999 }];
  const start = () => node.call('scantxoutset', 'start', object);
  const scan = start();
  await until('the scan has begun', async () => (await node.call('scantxoutset', 'status')) !== null);
  t.same(await node.call('scantxoutset', 'status'), { progress: 0 });
  t.equal(await fault(start()), '-8 Scan already in progress, use action "abort" or "status"');
  t.equal(await node.call('submitblock', next.bytes.toString('hex')), null, 'blocks come in meanwhile');
  t.equal(await node.call('scantxoutset', 'abort'), true);
  t.match(await scan, { success: false, txouts: 0, unspents: [], height: 2 });
  t.equal(await node.call('scantxoutset', 'status'), null);
  t.match(await node.call('scantxoutset', 'start', ['raw(52)']), { success: true, txouts: 2, height: 2 });
  // A node that stops does not wait for a scan.
  void start().catch(() => {});
  await until('the scan has begun', async () => (await node.call('scantxoutset', 'status')) !== null);
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('writes all coins to a file (dumptxoutset)', async (t) => {
  const node = await Daemon.startFor(t);
  await node.call('generatetoaddress', 3, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  const file = path.join(fs.realpathSync(node.networkDir), 'coins.dat');
  const tip = (await node.call('getbestblockhash')) as string;
  t.match(await node.call('dumptxoutset', 'coins.dat'), { coins_written: 3, base_hash: tip, base_height: 3, path: file, nchaintx: 4 });
  const bytes = fs.readFileSync(file);
  t.equal(bytes.toString('hex', 0, 11), '7574786fff0200fabfb5da');
  t.equal(Buffer.from(bytes.subarray(11, 43)).reverse().toString('hex'), tip);
  t.equal(bytes.readUInt32LE(43), 3);
  await t.rejects(node.call('dumptxoutset', file), {
    code: -8,
    message: `${file} already exists. If you are sure this is what you want, move it out of the way first`,
  });
  await t.rejects(node.call('dumptxoutset', 'no/such/coins.dat'), {
    code: -8,
    message: /^Couldn't open file .*coins\.dat\.incomplete for writing\.$/,
  });
  t.ok(fs.readFileSync(file).equals(bytes), 'as it was');
});
