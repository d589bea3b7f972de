// Tests methods of the node thread over a real chain in memory: blocks, statistics, coins, proofs, tips, waits,
// generate calls, control. Mempool, network and log are small replacements; recorded conversations cover the rest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import { getrawaddrman } from '../../../src/rpc/methods/hidden/getrawaddrman.js';
import { blockFromBytes, submit } from '../../../src/rpc/node/submit.js';
import { addressOf } from '../../../src/rpc/render/script.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto, IN_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { serializeTx } from '../../framework/messages.js';
import { runMethod } from '../../framework/run-method.js';
import { turnsDuring } from '../../framework/turns.js';
import { fileSuite, readJson } from '../../framework/vector-suite.js';
import { openExecutor } from './executor-fixture.js';

const HASH = /^[0-9a-f]{64}$/;

fileSuite('chains/regtest-getblockstats.json', async (t) => {
  const { blocks, stats } = readJson<{ blocks: string[]; stats: Record<string, unknown>[] }>('chains/regtest-getblockstats.json');
  const fixture = await openFixture();
  const { call, fault } = openExecutor(fixture);
  for (const block of blocks) await fixture.chain.commands.submitBlock(Buffer.from(block, 'hex'));
  t.equal(fixture.chain.view.tip.height, blocks.length - 1);
  for (const expected of stats) {
    // The file is from a newer release than these replies: it has two more figures and adds 40 bytes for an output, not
    // 41.
    const { utxo_increase_actual: _a, utxo_size_inc_actual: _b, ...rest } = expected;
    const wanted = { ...rest, utxo_size_inc: Number(expected.utxo_size_inc) + Number(expected.outs) - Number(expected.ins) };
    t.same(await call('getblockstats', expected.height), wanted, `height ${expected.height}`);
    t.same(await call('getblockstats', expected.blockhash), wanted);
    t.same(await call('getblockstats', expected.height, ['maxfee', 'avgfee']), { avgfee: expected.avgfee, maxfee: expected.maxfee });
  }
  t.equal(await fault('getblockstats', 0), "-1 Can't read undo data from disk");
  const newest = openExecutor(fixture, new Map(), COMPATS['31']);
  t.match(await newest.call('getblockstats', 0), { txs: 1, outs: 1, subsidy: 5_000_000_000, totalfee: 0 }, 'since release 22');
  t.equal(await fault('getblockstats', -1), '-8 Target block height -1 is negative');
  t.equal(await fault('getblockstats', 1000), `-8 Target block height 1000 after current tip ${blocks.length - 1}`);
  t.equal(await fault('getblockstats', 1, ['nope']), '-8 Invalid selected statistic nope');
  t.equal(await fault('getblockstats', 'ab'.repeat(32)), '-5 Block not found');
  await fixture.end();
});

/** Submits a block as a client does, and returns the result. */
const submitted = (ctx: NodeContext, bytes: Uint8Array) => submit(ctx, blockFromBytes(ctx, bytes), 'a client');

t.test('block, coin and chain calls answer over a chain of 102 blocks', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const { call, fault, stopping } = openExecutor(fixture);
  const blocks = buildChain(GENESIS, 101);
  const fan = spend(
    [reward(blocks[0])],
    Array.from({ length: 6 }, () => ({ value: 100_000_000, script: ANYONE })),
  );
  const head = buildBlock(blocks[100], { txs: [fan], fees: 5_000_000_000 - 600_000_000, tag: 1 });
  for (const block of [...blocks, head]) t.equal((await chain.commands.submitBlock(block.bytes)).kind, 'accepted');

  t.test('getblock and related calls describe blocks', async (t) => {
    t.equal(await call('getblockhash', 102), head.hashHex);
    t.equal(await fault('getblockhash', 103), '-8 Block height out of range');
    t.equal(await call('getblock', head.hashHex, 0), head.bytes.toString('hex'));
    const one = (await call('getblock', head.hashHex)) as Record<string, unknown>;
    t.match(one, { hash: head.hashHex, confirmations: 1, height: 102, nTx: 2, previousblockhash: blocks[100].hashHex, weight: one.weight });
    t.same(Object.keys(one), [
      ...'hash confirmations strippedsize size weight height version versionHex merkleroot tx time mediantime'.split(' '),
      ...'nonce bits difficulty chainwork nTx previousblockhash'.split(' '),
    ]);
    const two = (await call('getblock', head.hashHex, 2)) as { tx: { txid: string; hex: string; vout: { value: number }[] }[] };
    t.same(
      two.tx.map((tx) => tx.txid),
      one.tx as string[],
    );
    t.equal(two.tx[1].hex, serializeTx(fan).toString('hex'));
    t.equal(two.tx[1].vout[5].value, 1);
    t.equal(await call('getblockheader', head.hashHex, false), head.header.toString('hex'));
    t.match(await call('getblockheader', blocks[0].hashHex), { confirmations: 102, nextblockhash: blocks[1].hashHex });
    t.match(await call('getchaintxstats', 100), {
      window_block_count: 100,
      window_tx_count: 101,
      txcount: 104,
      window_final_block_height: 102,
    });
    t.match(await call('getchaintxstats'), { window_block_count: 101 });
    t.equal(await fault('getchaintxstats', 102), "-8 Invalid block count: should be between 0 and the block's height - 1");
  });

  t.test('getblock and getrawtransaction show fees and spent outputs from later releases on', async (t) => {
    const newer = openExecutor(fixture, new Map(), COMPATS['31']);
    interface Shown {
      tx: { fee?: number; vin: { prevout?: object }[] }[];
    }
    const verbose = async (executor: typeof newer, verbosity: number) =>
      ((await executor.call('getblock', head.hashHex, verbosity)) as Shown).tx;
    const fees = (txs: Shown['tx']) => txs.map(({ fee }) => fee);
    t.same(fees(await verbose(newer, 2)), [undefined, 44]);
    const three = await verbose(newer, 3);
    t.same(fees(three), [undefined, 44]);
    t.equal(three[0].vin[0].prevout, undefined);
    t.same(three[1].vin[0].prevout, {
      generated: true,
      height: 1,
      value: 50,
      scriptPubKey: { asm: '1', desc: 'raw(51)#8lvh9jxk', hex: '51', type: 'nonstandard' },
    });
    t.same(Object.keys(three[1]), [...['txid', 'hash', 'version', 'size', 'vsize', 'weight', 'locktime', 'vin', 'vout', 'fee', 'hex']]);
    for (const old of [2, 3]) t.equal(JSON.stringify(await verbose({ ...newer, call }, old)).includes('"fee"'), false);
    const txid = Buffer.from(head.txids[1]).reverse().toString('hex');
    const alone = await newer.call('getrawtransaction', txid, 2, head.hashHex);
    t.match(alone, { fee: 44, vin: [{ prevout: { height: 1, value: 50 } }], in_active_chain: true });
    t.equal(JSON.stringify(await newer.call('getrawtransaction', txid, 1, head.hashHex)).includes('prevout'), false);
    const coinbase = Buffer.from(head.txids[0]).reverse().toString('hex');
    t.equal('fee' in ((await newer.call('getrawtransaction', coinbase, 2, head.hashHex)) as object), false);
  });

  t.test('gettxout, gettxoutsetinfo and proofs of transactions agree with the chain', async (t) => {
    const txid = Buffer.from(head.txids[1]).reverse().toString('hex');
    t.match(await call('gettxout', txid, 5), {
      bestblock: head.hashHex,
      confirmations: 1,
      value: 1,
      scriptPubKey: { asm: '1', hex: '51', type: 'nonstandard' },
      coinbase: false,
    });
    t.equal(await call('gettxout', txid, 6), null);
    t.equal(await call('gettxout', txid, -1), null);
    const info = (await call('gettxoutsetinfo')) as Record<string, unknown>;
    t.match(info, { height: 102, bestblock: head.hashHex, transactions: 102, txouts: 107, hash_serialized_2: HASH, total_amount: 5100 });
    t.equal('hash_serialized_2' in ((await call('gettxoutsetinfo', 'none')) as object), false);
    t.equal(await fault('gettxoutsetinfo', 'md5'), '-8 md5 is not a valid hash_type');
    t.match(await call('gettxoutsetinfo', 'muhash'), { height: 102, muhash: /^[0-9a-f]{64}$/, hash_serialized_2: undefined });
    t.equal(await fault('gettxoutsetinfo', 'none', 1), '-8 Querying specific block heights requires coinstatsindex');
    t.same(await call('getindexinfo'), {});
    t.equal(await fault('getblockfilter', head.hashHex), '-1 Index is not enabled for filtertype basic');
    t.equal(await fault('getblockfilter', head.hashHex, 'fancy'), '-5 Unknown filtertype');
    const proof = (await call('gettxoutproof', [txid])) as string;
    t.equal(await call('gettxoutproof', [txid], head.hashHex), proof);
    t.same(await call('verifytxoutproof', proof), [txid]);
    const broken = Buffer.from(proof, 'hex');
    broken[100] ^= 1;
    t.same(await call('verifytxoutproof', broken.toString('hex')), []);
    t.equal(await fault('verifytxoutproof', proof.slice(0, 170)), '-1 CDataStream::read(): end of data: iostream error');
    t.equal(await fault('verifytxoutproof', 'zz'), "-8 proof must be hexadecimal string (not 'zz')");
    t.same(await call('getaddrmaninfo'), {
      ipv4: { new: 3, tried: 1, total: 4 },
      onion: { new: 0, tried: 2, total: 2 },
      all_networks: { new: 3, tried: 3, total: 6 },
    });
    t.equal(await fault('gettxoutproof', []), '-5 Transaction not yet in block');
    t.equal(await fault('gettxoutproof', [txid, txid]), `-8 Invalid parameter, duplicated txid: ${txid}`);
    t.equal(await fault('gettxoutproof', [txid], blocks[3].hashHex), '-5 Not all transactions found in specified or retrieved block');
    t.match(await call('getrawtransaction', txid, true, head.hashHex), {
      in_active_chain: true,
      txid,
      confirmations: 1,
      blockhash: head.hashHex,
    });
    t.equal(await call('getrawtransaction', txid, 0, head.hashHex), serializeTx(fan).toString('hex'));
    t.match(await fault('getrawtransaction', txid), /^-5 No such mempool transaction\. Use -txindex or provide a block hash/);
    t.equal(
      await fault('getrawtransaction', txid, false, blocks[1].hashHex),
      '-5 No such transaction found in the provided block. Use gettransaction for wallet transactions.',
    );
  });

  t.test('submitblock, invalidateblock and getchaintips handle side branches', async (t) => {
    const side = buildBlock(blocks[99], { tag: 7 });
    t.equal(await call('submitblock', side.bytes.toString('hex')), 'inconclusive');
    t.equal(await call('submitblock', side.bytes.toString('hex')), 'duplicate');
    t.equal(await call('submitblock', head.bytes.toString('hex')), 'duplicate');
    t.equal(await submitted(openExecutor(fixture).context, head.bytes), 'duplicate');
    const mutated = Uint8Array.from(head.bytes);
    mutated[mutated.length - 1] ^= 1;
    t.equal(await submitted(openExecutor(fixture).context, mutated), 'duplicate');
    const newest = openExecutor(fixture, new Map(), COMPATS['31']).context;
    t.equal(await submitted(newest, mutated), 'bad-txnmrklroot', 'release 29 looks at the copy');
    t.equal(await submitted(newest, head.bytes), 'duplicate');
    t.same(await call('getchaintips'), [
      { height: 102, hash: head.hashHex, branchlen: 0, status: 'active' },
      { height: 101, hash: side.hashHex, branchlen: 1, status: 'valid-headers' },
    ]);
    t.equal(await call('invalidateblock', blocks[100].hashHex), null);
    t.equal(chain.view.tip.hashHex, side.hashHex);
    t.match(await call('getchaintips'), [{ status: 'invalid', branchlen: 2 }, { status: 'active' }]);
    t.equal(await call('submitblock', head.bytes.toString('hex')), 'duplicate-invalid');
    t.equal(await submitted(openExecutor(fixture, new Map(), COMPATS['31']).context, head.bytes), 'duplicate-invalid');
    t.equal(await call('reconsiderblock', blocks[100].hashHex), null);
    t.equal(chain.view.tip.hashHex, head.hashHex);
    t.match(await call('getchaintips'), [{ status: 'active' }, { status: 'valid-fork' }]);
    t.equal(await call('preciousblock', head.hashHex), null);
    t.equal(await call('verifychain', 4, 0), true);
    t.equal(await fault('preciousblock', 'ab'.repeat(32)), '-5 Block not found');
    t.equal(await fault('submitblock', 'zz'), '-22 Block decode failed');
    t.equal(await fault('submitblock', head.header.toString('hex')), '-22 Block decode failed');
    t.equal(await fault('submitheader', '00'), '-22 Block header decode failed');
    t.equal(await call('submitheader', head.bytes.toString('hex')), null);
    t.equal(await fault('submitheader', '00'.repeat(80)), `-25 Must submit previous header (${'0'.repeat(64)}) first`);
    t.equal(await call('getblocktemplate', { mode: 'proposal', data: side.bytes.toString('hex') }), 'duplicate');
    t.same(await call('getblocktemplate', { rules: ['segwit'] }), { rules: 1 });
  });

  t.test('waitfornewblock, waitforblock and waitforblockheight end with block, timeout or node', async (t) => {
    const next = buildBlock(head, { tag: 3 });
    const waits = [
      call('waitfornewblock'),
      call('waitforblock', next.hashHex, 60_000),
      call('waitforblockheight', 103),
      call('waitforblock', 'ab'.repeat(32), 20),
    ];
    t.same(await call('waitforblockheight', 102), { hash: head.hashHex, height: 102 });
    t.same(await waits[3], { hash: head.hashHex, height: 102 }, 'a timeout returns the tip at that moment');
    await call('submitblock', next.bytes.toString('hex'));
    for (const wait of waits.slice(0, 3)) t.same(await wait, { hash: next.hashHex, height: 103 });
    const newer = openExecutor(fixture, new Map(), COMPATS['31']);
    t.same(await newer.call('waitfornewblock', 0, head.hashHex), { hash: next.hashHex, height: 103 }, 'the caller knew another tip');
    t.same(await newer.call('waitfornewblock', 1, next.hashHex), { hash: next.hashHex, height: 103 });
    for (const [method, ...args] of [['waitfornewblock'], ['waitforblock', next.hashHex], ['waitforblockheight', 1]] as const) {
      t.equal(await newer.fault(method, ...args, -1), '-1 Negative timeout');
    }
    const last = call('waitfornewblock');
    setTimeout(() => stopping.abort(), 5);
    t.same(await last, { hash: next.hashHex, height: 103 }, 'the end of the node ends a wait');
  });
  t.teardown(() => fixture.end());
});

t.test('generate calls mine blocks and reject invalid addresses and transactions', async (t) => {
  const fixture = await openFixture();
  const { chain } = fixture;
  const built = new Map<string, BuiltBlock>();
  const { call, fault } = openExecutor(fixture, built);
  // The simulated block builder needs its own record of each new tip.
  chain.events.tip.add((tip, { connected }) => {
    const block = connected.at(-1);
    if (!block) return;
    const parent = built.get(block.node.prev?.hashHex ?? '') ?? GENESIS;
    built.set(tip.hashHex, {
      ...parent,
      hash: Buffer.from(tip.hash),
      hashHex: tip.hashHex,
      prev: parent,
      height: tip.height,
      time: tip.time,
      txids: block.block.txs.map((tx) => Buffer.from(tx.txid)),
      txs: [],
    });
  });
  const key = '030433ce013e9991ce1d3c5e6cee6311fbb7eb708d544383946b2bf8ab87fadb87';
  const script = Buffer.concat([Buffer.from([0, 20]), crypto.hash160(Buffer.from(key, 'hex'))]);
  const address = addressOf(script, { params: chain.view.params, hashes: crypto });
  const hashes = (await call('generatetoaddress', 2, address)) as string[];
  t.equal(hashes.length, 2);
  t.equal(chain.view.tip.hashHex, hashes[1]);
  const block = await chain.blocks.readBlock(chain.view.tip);
  t.equal(Buffer.from(block.txs[0].scriptSig(0)).toString('hex'), '520101', 'height and the first extra nonce');
  t.equal(Buffer.from(block.txs[0].outputScript(0)).toString('hex'), script.toString('hex'));
  t.same(await call('generatetoaddress', 0, address), []);
  t.same(await call('generatetoaddress', -1, address), []);
  t.same(await call('generatetoaddress', 1, address, 0), []);
  t.equal(((await call('generatetoaddress', 1, address, -5)) as string[]).length, 1, 'a negative limit is none');
  t.equal(await fault('generatetoaddress', 1, 'x'), '-5 Error: Invalid address');
  t.equal(((await call('generatetodescriptor', 1, `wpkh(${key})`)) as string[]).length, 1);
  t.equal(await fault('generatetodescriptor', 1, 'foo(51)'), '-5 foo(51) is not a valid descriptor function');
  t.equal(
    await fault('generatetodescriptor', 1, 'raw(51)#abcdefgh'),
    "-5 Provided checksum 'abcdefgh' does not match computed checksum '8lvh9jxk'",
  );
  t.match(await call('generateblock', `combo(${key})`, []), { hash: HASH });
  t.equal(
    Buffer.from((await chain.blocks.readBlock(chain.view.tip)).txs[0].outputScript(0)).toString('hex'),
    script.toString('hex'),
    'the third of four scripts',
  );
  await call('generatetodescriptor', 1, 'raw(51)');
  const paid = built.get(chain.view.tip.hashHex);
  await call('generatetodescriptor', 100, 'raw(51)');
  const money = { txid: paid?.txids[0] ?? Buffer.alloc(32), index: 0, value: 5_000_000_000 };
  const raw = serializeTx(spend([money], [{ value: 4_000_000_000, script: ANYONE }])).toString('hex');
  const made = (await call('generateblock', 'raw(51)', [raw])) as { hash: string };
  const mined = await chain.blocks.readBlock(chain.view.tip);
  t.equal(chain.view.tip.hashHex, made.hash);
  t.equal(Buffer.from(mined.txs[1].bytes).toString('hex'), raw);
  t.equal(mined.txs[0].outputValue(0), 5_000_000_000, 'fees are not claimed');
  t.equal(await fault('generateblock', 'raw(51)', [raw]), '-25 TestBlockValidity failed: bad-txns-BIP30');
  t.equal(await fault('generateblock', 'raw(51)', ['ab'.repeat(32)]), `-5 Transaction ${'ab'.repeat(32)} not in mempool.`);
  t.equal(
    await fault('generateblock', 'raw(51)', ['zz']),
    '-22 Transaction decode failed for zz. Make sure the tx has at least one input.',
  );
  t.equal(await fault('generateblock', 'nope', []), '-5 Error: Invalid address or descriptor');
  t.equal(await fault('generate'), '-32601 generate\nhas been replaced by the -generate cli option. Refer to -help for more information.');
  t.equal(await fault('generate', 1), '-1 generate\nhas been replaced by the -generate cli option. Refer to -help for more information.');
  await fixture.end();
});

t.test('calls of releases after 0.21 answer as Core 31 does', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const outputs = [0, 1].map((vout) => ({ txid: 'ab'.repeat(32), vout }));
  const tx = parseTx(
    new Uint8Array(serializeTx(spend([{ txid: Buffer.alloc(32, 0xab), index: 1, value: 1 }], [{ value: 1, script: ANYONE }]))),
    crypto,
  );
  const txid = Buffer.from(tx.txid).reverse().toString('hex');
  let synced = true;
  const spenderIndex = {
    synced: () => synced,
    find: async (outpoint: Uint8Array) => (outpoint[32] === 1 ? { tx, blockHash: new Uint8Array(32).fill(7) } : undefined),
  };
  const indexed = openExecutor(fixture, new Map(), COMPATS['31'], { spenderIndex });
  const found = { ...outputs[1], spendingtxid: txid, blockhash: '07'.repeat(32) };
  t.same(await indexed.call('gettxspendingprevout', outputs), [outputs[0], found], 'the index counts unless the call says otherwise');
  t.same(await indexed.call('gettxspendingprevout', outputs, { mempool_only: true }), outputs);
  t.match(await indexed.call('gettxspendingprevout', outputs, { return_spending_tx: true }), [
    outputs[0],
    { ...found, spendingtx: Buffer.from(tx.bytes).toString('hex') },
  ]);
  synced = false;
  const unavailable = '-1 Mempool lacks a relevant spend, and txospenderindex is unavailable.';
  t.equal(await indexed.fault('gettxspendingprevout', outputs), unavailable);
  const unindexed = openExecutor(fixture, new Map(), COMPATS['31']);
  t.same(await unindexed.call('gettxspendingprevout', outputs), outputs);
  t.equal(await unindexed.fault('gettxspendingprevout', outputs, { mempool_only: false }), unavailable);

  t.equal(
    await unindexed.fault('generate'),
    '-32601 generate\n\nhas been replaced by the -generate cli option. Refer to -help for more information.\n',
  );
  t.equal(await unindexed.fault('scantxoutset', 'start', null), '-1 scanobjects argument is required for the start action');
  const unsent = (await unindexed.call('generateblock', 'raw(51)', [], false)) as { hash: string; hex: string };
  t.equal(fixture.chain.view.tip.height, 0, 'a block with submit=false is not connected');
  t.equal(await unindexed.call('submitheader', unsent.hex.slice(0, 160)), null);
  const headerOnly = '-1 Block not available (not fully downloaded)';
  t.equal(await unindexed.fault('getblock', unsent.hash), headerOnly);
  t.equal(await unindexed.fault('getblockstats', unsent.hash), headerOnly);
  t.equal(await unindexed.fault('gettxoutproof', ['ab'.repeat(32)], unsent.hash), headerOnly);
  t.match(await unindexed.fault('getblock', unsent.hash, 'x'), /^-3 JSON value of type string is not of expected type number/);
  t.ok(Number(await unindexed.call('uptime')) < 100_000, 'since the process began, whatever the clock says');

  const map = Uint8Array.of(1, 2, 3);
  const { call, fault, events } = openExecutor(fixture, new Map(), COMPATS['31'], { folder: fixture.dir, readAsmap: async () => map });
  const states = (await call('getchainstates')) as { headers: number; chainstates: object[] };
  t.match(states, { headers: 1, chainstates: [{ blocks: 0, bestblockhash: GENESIS.hashHex, bits: '207fffff', validated: true }] });
  t.same(Object.keys(states.chainstates[0]), [
    ...['blocks', 'bestblockhash', 'bits', 'target', 'difficulty', 'verificationprogress'],
    ...['coins_db_cache_bytes', 'coins_tip_cache_bytes', 'validated'],
  ]);
  t.same(await call('getrawaddrman'), {
    new: {
      '3/7': {
        address: '8.8.8.8',
        port: 8333,
        services: 9,
        time: 1_700_000_000,
        network: 'ipv4',
        source: '1.1.1.1',
        source_network: 'ipv4',
      },
    },
    tried: {
      '1/2': {
        ...{ address: '9.9.9.9', mapped_as: 19281, port: 8333, services: 9, time: 1_700_000_000, network: 'ipv4' },
        ...{ source: '1.1.1.1', source_network: 'ipv4', source_mapped_as: 19281 },
      },
    },
  });
  const exported = join(fixture.dir, 'map.dat');
  t.same(await call('exportasmap', 'map.dat'), {
    path: exported,
    bytes_written: 3,
    file_hash: '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81',
  });
  t.equal(readFileSync(exported).toString('hex'), '010203');
  t.equal(await fault('exportasmap', 'no/such/map.dat'), `-1 Failed to open asmap file: ${join(fixture.dir, 'no/such/map.dat')}`);
  const bare = openExecutor(fixture, new Map(), COMPATS['31']);
  t.equal(await bare.fault('exportasmap', 'map.dat'), '-1 No embedded ASMap data available');

  t.same(await call('savemempool'), { filename: '/mempool.dat' });
  t.equal(await openExecutor(fixture).call('savemempool'), null);
  const downloading = await openFixture({ maxTipAge: IN_DOWNLOAD });
  t.teardown(() => downloading.end());
  const early = openExecutor(downloading, new Map(), COMPATS['31']);
  t.equal(await early.fault('importmempool', 'good.dat'), '-10 Can only import the mempool after the block download and sync is done.');
  t.same(await call('importmempool', 'good.dat'), {});
  t.same(await call('importmempool', 'good.dat', { use_current_time: false, apply_fee_delta_priority: true }), {});
  t.equal(await fault('importmempool', 'bad.dat'), '-1 Unable to import mempool file, see debug log for details.');
  t.same(
    events.filter((event) => event.startsWith('import')),
    [
      'import {"currentTime":true,"feeDeltas":false,"unbroadcast":false}',
      'import {"currentTime":false,"feeDeltas":true,"unbroadcast":false}',
      'import {"currentTime":true,"feeDeltas":false,"unbroadcast":false}',
    ],
  );
  const shown = async (...args: unknown[]) =>
    ((await call('getopenrpcinfo', ...args)) as { methods: { name: string }[] }).methods.map(({ name }) => name);
  t.ok((await shown()).includes('getblock') && !(await shown()).includes('getrawaddrman'));
  t.ok((await shown(true)).includes('getrawaddrman'));
});

t.test('control and network calls check their arguments and report the state', async (t) => {
  const fixture = await openFixture();
  const { call, fault, events } = openExecutor(fixture);
  t.equal(await call('setmocktime', 1600000000), null);
  t.equal(await fault('setmocktime', -1), '-8 Mocktime can not be negative: -1.');
  t.equal(await fault('setmocktime', 9_223_372_037), '-8 Mocktime must be in the range [0, 9223372036], not 9223372037.');
  const later = openExecutor(fixture, new Map(), COMPATS['31']);
  for (const seconds of [-1, 2 ** 32]) {
    t.equal(await later.fault('setmocktime', seconds), `-8 Mocktime must be in the range [0, 4294967295], not ${seconds}.`);
  }
  t.equal(await fault('setmocktime', '1'), '-3 Expected type number, got string');
  t.equal(await call('mockscheduler', 3600), null);
  t.equal(await fault('mockscheduler', 3601), '-1 delta_time must be between 1 and 3600 seconds (1 hr)');
  t.equal(await call('stop', 7), 'Bitcoin Core stopping');
  t.equal(await call('prioritisetransaction', 'ab'.repeat(32), null, -5), true);
  t.same(events, ['time 1600000000', 'scheduler 3600', 'stop 7', 'prioritise abab -5']);
  t.equal(
    await fault('prioritisetransaction', 'ab'.repeat(32), 1, 5),
    '-8 Priority is no longer supported, dummy argument to prioritisetransaction must be 0.',
  );
  t.equal(await fault('prioritisetransaction', 'ab'.repeat(32), 1, 1.5), '-1 JSON integer out of range', 'the delta is read first');
  // Core accepts all 64-bit integers. Adit also refuses those that a number cannot represent exactly.
  for (const delta of [2 ** 52 + 1, -(2 ** 52) - 1, 9_000_000_000_000_000_000])
    t.equal(await fault('prioritisetransaction', 'ab'.repeat(32), null, delta), '-1 JSON integer out of range', `${delta}`);
  t.same(await call('logging'), { net: false, rpc: false });
  t.same(await call('logging', ['all'], ['net']), { net: false, rpc: true });
  t.equal(await fault('logging', ['net', 'foo']), '-8 unknown logging category foo');
  t.same(await call('logging', ['none']), { net: true, rpc: true }, 'categories before the unknown one stay set');
  t.match(await call('getrpcinfo'), { active_commands: [{ method: 'getrpcinfo', duration: Number }], logpath: '/tmp/debug.log' });
  t.match(await call('getnetworkinfo'), {
    version: 210100,
    localservices: '0000000000000409',
    connections: 3,
    connections_in: 1,
    relayfee: 0.00001,
    localaddresses: [{ address: '8.8.4.4', port: 18444, score: 4 }],
  });
  t.equal(await call('getconnectioncount'), 3);
  t.same(await call('getpeerinfo'), []);
  const newer = openExecutor(fixture, new Map(), COMPATS['31']);
  for (const command of ['add', 'remove', 'onetry'])
    t.equal(await newer.fault('addnode', ' ', command), '-8 Error: Node address cannot be empty');
  t.equal(await call('addnode', 'a:1', 'add'), null);
  t.equal(await fault('addnode', 'a:1', 'add'), '-23 Error: Node already added');
  t.equal(await fault('addnode', 'b:1', 'remove'), '-24 Error: Node could not be removed. It has not been added previously.');
  t.match(await fault('addnode', 'b:1', 'take'), /^-1 addnode "node" "command"/);
  t.same(await call('getaddednodeinfo', 'a:1'), [{ addednode: 'a:1', connected: false, addresses: [] }]);
  t.equal(await fault('getaddednodeinfo', 'c'), '-24 Error: Node has not been added.');
  t.equal(await call('disconnectnode', '1.2.3.4:5'), null);
  t.equal(await call('disconnectnode', '', 7), null);
  t.equal(await fault('disconnectnode', '', 8), '-29 Node not found in connected nodes');
  t.equal(await fault('disconnectnode', 'x', 7), '-32602 Only one of address and nodeid should be provided.');
  t.equal(await call('setban', '10.0.0.0/8', 'add', 50), null);
  t.equal(await fault('setban', '10.0.0.0/8', 'add'), '-23 Error: IP/Subnet already banned');
  t.equal(await fault('setban', 'x', 'add'), '-30 Error: Invalid IP/Subnet');
  t.same(await call('listbanned'), [{ address: '10.0.0.0/8', banned_until: 1_050, ban_created: 1_000 }]);
  t.equal(await call('setban', '10.0.0.0/8', 'remove'), null);
  t.match(await fault('setban', '10.0.0.0/8', 'remove'), /^-30 Error: Unban failed/);
  t.match(await call('getnettotals'), { totalbytesrecv: 5, totalbytessent: 6, timemillis: 1234 });
  t.match(await call('getmemoryinfo'), { locked: { used: 0 } });
  t.equal(await fault('getmemoryinfo', 'x'), '-8 unknown mode x');
  t.equal(await call('syncwithvalidationinterfacequeue'), null);
  t.match(await call('getmininginfo'), { blocks: 0, currentblockweight: 4000, networkhashps: 0, chain: 'regtest' });
  t.match(await call('getmempoolinfo'), { loaded: true, mempoolminfee: 0.00002, minrelaytxfee: 0.00001 });
  t.same(await call('getrawmempool', false, true), { txids: [], mempool_sequence: 9 });
  t.equal(await fault('getrawmempool', true, true), '-8 Verbose results cannot contain mempool sequence values.');
  t.equal(await fault('getmempoolentry', 'ab'.repeat(32)), '-5 Transaction not in mempool');
  t.match(await call('getblockchaininfo'), {
    chain: 'regtest',
    blocks: 0,
    softforks: { segwit: { active: true, height: 0 }, taproot: { active: true } },
  });
  t.equal(await call('getblockcount'), 0, 'front methods run here too');
  t.match(await fault('sendrawtransaction', '00'), /^-22 TX decode failed\. Make sure/);
  t.equal(await fault('sendrawtransaction', 5), '-3 Expected type string, got number');
  t.equal(await fault('testmempoolaccept', ['00', '00']), '-8 Array must contain exactly one raw transaction for now');
  t.same(events.slice(4), []);
  await fixture.end();
});

t.test('getrawaddrman yields to other work while it lists many addresses', async (t) => {
  const source = { address: '1.1.1.1', network: 'ipv4', system: 0 };
  const known = { address: '8.8.8.8', network: 'ipv4', system: 0, port: 8333, services: 9, time: 1, source };
  const tables = { new: Array.from({ length: 1000 }, (_, i) => [`0/${i}`, known] as const), tried: [] };
  const ctx = { network: { control: { addressTables: () => tables } } } as unknown as NodeContext;
  let shown = '';
  const turns = await turnsDuring(async () => {
    shown = encodeJson(await runMethod(getrawaddrman, ctx, [], { user: '', path: '/' }));
  });
  const reply = JSON.parse(shown) as { new: Record<string, object>; tried: object };
  t.equal(Object.keys(reply.new).length, 1000);
  t.same(reply.tried, {});
  t.ok(turns > 400, `a thousand addresses take ${turns} turns`);
});

t.test('utxoupdatepsbt and descriptorprocesspsbt yield to other work while they read a PSBT', async (t) => {
  const fixture = await openFixture();
  const { call } = openExecutor(fixture, new Map(), COMPATS['31']);
  const fields = (type: number): Buffer => Buffer.concat(Array.from({ length: 300 }, (_, i) => Buffer.of(3, type, i >> 8, i & 255, 0)));
  const tx = `0200000001${'11'.repeat(32)}00000000000000000001${'00'.repeat(8)}0151${'00'.repeat(4)}`;
  const unsigned = Buffer.from(`70736274ff0100${(tx.length / 2).toString(16)}${tx}`, 'hex');
  // Unknown fields, which return as they came.
  const psbt = Buffer.concat([unsigned, Buffer.of(0), fields(0x60), Buffer.of(0), fields(0x61), Buffer.of(0)]).toString('base64');
  for (const [method, ...more] of [['utxoupdatepsbt'], ['descriptorprocesspsbt', []]] as const) {
    const turns = await turnsDuring(async () => t.ok(JSON.stringify(await call(method, psbt, ...more)).includes(psbt)));
    t.ok(turns > 250, `${method} takes ${turns} turns for 600 fields`);
  }
  await fixture.end();
});

t.test('reports the version of the Core release that it follows to clients', async (t) => {
  const fixture = await openFixture();
  for (const [compat, version] of [
    ['0.21.1', 210_100],
    ['31', 319_900],
    ['default', 319_900],
  ] as const) {
    const { call } = openExecutor(fixture, new Map(), COMPATS[compat]);
    const isOwn = compat === 'default';
    t.match(await call('getnetworkinfo'), { version });
    t.equal(await call('stop'), isOwn ? 'adit stopping' : 'Bitcoin Core stopping', compat);
    const own = isOwn ? { adit_version: '9.8.7', adit_commit: 'abcdef' } : {};
    t.same({ ...((await call('getrpcinfo')) as object), active_commands: [] }, { active_commands: [], logpath: '/tmp/debug.log', ...own });
  }
  await fixture.end();
});
