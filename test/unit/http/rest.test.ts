// Tests the REST interface through real fronts, over a chain in a temporary folder: bodies, headers, and that fronts
// read blocks themselves. The expected texts are Bitcoin Core's (rest.cpp).
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { RestFront, type RestReply } from '../../../src/http/front/rest.js';
import type { HttpOptions } from '../../../src/http/options.js';
import { wholeBody } from '../../../src/link/messages.js';
import { COMPATS, type CompatName } from '../../../src/policy/compat.js';
import { RPC_CODE, RpcError } from '../../../src/rpc/errors.js';
import { KnownReplies } from '../../../src/rpc/front/known-replies.js';
import { RestHandler } from '../../../src/rpc/node/rest.js';
import { encodeHole, UNFILLED } from '../../../src/rpc/reads/unfilled.js';
import { ANYONE, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { openFixture } from '../../framework/chain-fixture.js';
import { serializeTx } from '../../framework/messages.js';
import { until } from '../../framework/until.js';
import { openExecutor } from '../rpc/executor-fixture.js';
import { Client, FakeNode } from './support.js';

const UNKNOWN = 'ab'.repeat(32);
const KEPT = 'public, immutable, max-age=86400';
const FORMATS = 'output format not found (available: .bin, .hex, .json)';
const display = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');

/** The parts of a reply that these tests use. */
interface Got {
  status: number;
  type: string | undefined;
  cache: string | undefined;
  body: Buffer;
  text: string;
}

// A hundred blocks, and one with two transactions.
const blocks = buildChain(GENESIS, 101);
const fan = spend(
  [reward(blocks[0])],
  [1, 2].map((value) => ({ value: value * 100_000_000, script: ANYONE })),
);
const head = buildBlock(blocks[100], { txs: [fan], fees: 4_700_000_000 });

async function serve(t: Test, name: CompatName = '31', changes: Partial<HttpOptions> = {}, warmup: string | null = null) {
  const fixture = await openFixture();
  for (const block of [...blocks, head]) await fixture.chain.commands.submitBlock(block.bytes);
  const compat = COMPATS[name];
  const { context } = openExecutor(fixture, new Map(), compat);
  const uris: string[] = [];
  const sizes: number[] = [];
  const faults: unknown[] = [];
  const handler = new RestHandler(
    {
      ...context,
      txIndex: {
        synced: () => true,
        find: async () => undefined,
        locate: async (txid) => {
          const { tip } = fixture.chain.view;
          const { start, totalSize } = (await fixture.chain.blocks.readBlock(tip)).txs[1];
          return display(txid) === display(head.txids[1])
            ? { file: tip.file, pos: tip.blockPos, offset: start, size: totalSize }
            : undefined;
        },
        blockHashAt: async () => head.hash,
      },
      filterIndex: {
        state: { name: 'basic block filter index', synced: true, height: 102, waitUntilSynced: async () => true },
        find: async (hash) =>
          display(hash) === head.hashHex ? { filter: Buffer.from('0155', 'hex'), header: new Uint8Array(32).fill(7) } : undefined,
        search: () => async () => [],
        heads: async (hashes) =>
          hashes.map((hash) => (display(hash) === head.hashHex ? { header: new Uint8Array(32).fill(7) } : undefined)),
      },
    },
    { onFault: (_endpoint, error) => faults.push(error) },
  );
  const node = new FakeNode();
  await node.start(
    async (body, call) => {
      uris.push(call.uri);
      const reply = await handler.executeBody(body, call);
      sizes.push(wholeBody(reply.body).length);
      return reply;
    },
    { compat, rest: true, fronts: 1, ...changes },
    warmup,
  );
  t.teardown(async () => {
    await node.fronts.close();
    await fixture.end();
  });
  const send = async (text: string | Uint8Array): Promise<Got> => {
    const client = new Client(node.port);
    client.send(text);
    const { status, head, body } = await client.reply();
    client.destroy();
    const header = (wanted: string) => new RegExp(`\r\n${wanted}: ([^\r]+)`, 'i').exec(head)?.[1];
    return { status, type: header('content-type'), cache: header('cache-control'), body, text: body.toString() };
  };
  const get = (path: string): Promise<Got> => send(`GET /rest/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const post = (path: string, body: Uint8Array | string): Promise<Got> =>
    send(
      Buffer.concat([Buffer.from(`POST /rest/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`), Buffer.from(body)]),
    );
  return { fixture, node, uris, sizes, faults, send, get, post };
}

t.test('REST serves transactions, blocks and chain data in all formats', async (t) => {
  const { fixture, sizes, get } = await serve(t);
  const txid = display(head.txids[1]);
  const found = async (path: string, type: string, cache: string) => {
    const got = await get(path);
    t.same([got.status, got.type, got.cache], [200, type, cache], path);
    return got;
  };
  /** Requests the same data in all forms, and checks the bytes and their hex. Returns the object. */
  const forms = async (path: string, bytes: Uint8Array, cache = 'no-store', query = '', jsonCache = cache) => {
    const hex = Buffer.from(bytes).toString('hex');
    t.equal((await found(`${path}.bin${query}`, 'application/octet-stream', cache)).body.toString('hex'), hex, path);
    t.equal((await found(`${path}.hex${query}`, 'text/plain', cache)).text, `${hex}\n`, path);
    return JSON.parse((await found(`${path}.json${query}`, 'application/json', jsonCache)).text);
  };

  await t.test('serves transactions and blocks as bytes, hex, and JSON', async (t) => {
    t.match(await forms(`tx/${txid}`, serializeTx(fan)), { txid, blockhash: head.hashHex, hex: serializeTx(fan).toString('hex') });
    const whole = await forms(`block/${head.hashHex}`, head.bytes, KEPT, '', 'no-store');
    t.match(whole, { hash: head.hashHex, tx: [{ vin: [{ coinbase: /./ }] }, { fee: 47, vin: [{ prevout: { value: 50, height: 1 } }] }] });
    const short = await forms(`block/notxdetails/${head.hashHex}`, head.bytes, KEPT, '', 'no-store');
    t.same(short.tx, head.txids.map(display));
    await forms(`block/${blocks[0].hashHex}`, blocks[0].bytes, KEPT, '', 'no-store');
    t.equal((await get(`block/${head.hashHex.toUpperCase()}.bin`)).body.length, head.bytes.length);
  });

  await t.test('reads blocks on the front thread, which gets only their place from the node thread', async (t) => {
    sizes.length = 0;
    await get(`block/${head.hashHex}.bin`);
    await get(`block/${head.hashHex}.hex`);
    await get(`blockpart/${head.hashHex}.bin?offset=0&size=100`);
    t.ok(
      sizes.every((size) => size < 600),
      `${sizes}`,
    );
  });

  await t.test('serves parts of a block, and rejects invalid offsets and sizes', async (t) => {
    const part = (query: string, format = 'bin') => get(`blockpart/${head.hashHex}.${format}?${query}`);
    const size = head.bytes.length;
    const good = await part('offset=20&size=100');
    t.same([good.status, good.cache, good.body.toString('hex')], [200, KEPT, head.bytes.subarray(20, 120).toString('hex')]);
    t.equal((await part(`offset=${size - 5}&size=5`, 'hex')).text, `${head.bytes.subarray(size - 5).toString('hex')}\n`);
    for (const [query, text] of [
      ['', 'Block part offset missing or invalid'],
      ['offset=x&size=1', 'Block part offset missing or invalid'],
      ['offset=18446744073709551616&size=1', 'Block part offset missing or invalid'],
      ['%XY', 'Block part offset missing or invalid'],
      ['offset=1', 'Block part size missing or invalid'],
      ['offset=0&size=0', `Bad block part offset/size 0/0 for ${head.hashHex}`],
      [`offset=1&size=${size}`, `Bad block part offset/size 1/${size} for ${head.hashHex}`],
      ['offset=18446744073709551615&size=1', `Bad block part offset/size 18446744073709551615/1 for ${head.hashHex}`],
    ]) {
      const got = await part(query);
      t.same([got.status, got.cache, got.text], [400, 'no-store', `${text}\r\n`], query);
    }
    t.equal((await part('offset=0&size=1', 'json')).text, 'JSON output is not supported for this request type\r\n');
  });

  await t.test('serves headers, block hashes, and spent outputs', async (t) => {
    const headers = Buffer.concat([blocks[99], blocks[100], head].map(({ header }) => header));
    t.match(await forms(`headers/${blocks[99].hashHex}`, headers), [{ height: 100 }, { height: 101 }, { height: 102, confirmations: 1 }]);
    // More headers than the front writes itself, and fewer. Each must equal the reply of getblockheader.
    const { call } = openExecutor(fixture, new Map(), COMPATS[31]);
    const shown = await Promise.all(
      [GENESIS, ...blocks, head].map(async ({ hashHex }) => JSON.parse(JSON.stringify(await call('getblockheader', hashHex)))),
    );
    for (const [height, count] of [
      [0, 103],
      [0, 2],
      [9, 3],
      [60, 40],
    ])
      t.same(
        JSON.parse((await get(`headers/${shown[height].hash}.json?count=${count}`)).text),
        shown.slice(height, height + count),
        `${count} headers from height ${height}`,
      );
    await forms(`headers/2/${blocks[99].hashHex}`, headers.subarray(0, 160));
    await forms(`headers/${blocks[99].hashHex}`, headers.subarray(0, 80), 'no-store', '?a=%25&coun%74=1&count=3');
    t.same(await forms(`headers/${UNKNOWN}`, Buffer.alloc(0)), []);
    t.equal((await get('blockhashbyheight/102.bin')).body.toString('hex'), Buffer.from(head.hash).toString('hex'));
    t.equal((await get('blockhashbyheight/102.hex')).text, `${head.hashHex}\n`);
    t.equal((await get('blockhashbyheight/102.json')).text, `{"blockhash":"${head.hashHex}"}\n`);
    // Two transactions: the first spends nothing, the second one output of 50 coins with a script of one byte.
    const spent = Buffer.from('0200' + '01' + '00f2052a01000000' + '0151', 'hex');
    t.same(await forms(`spenttxouts/${head.hashHex}`, spent, KEPT), [
      [],
      [{ value: 50, scriptPubKey: { asm: '1', desc: 'raw(51)#8lvh9jxk', hex: '51', type: 'nonstandard' } }],
    ]);
    t.same(await forms(`spenttxouts/${fixture.chain.view.genesis.hashHex}`, Buffer.from('0100', 'hex'), KEPT), [[]]);
  });

  await t.test('serves block filters and filter headers', async (t) => {
    const filter = Buffer.concat([Buffer.from([0]), head.hash, Buffer.from('020155', 'hex')]);
    t.same(await forms(`blockfilter/basic/${head.hashHex}`, filter, KEPT), { filter: '0155' });
    t.same(await forms(`blockfilterheaders/basic/${head.hashHex}`, new Uint8Array(32).fill(7)), ['07'.repeat(32)]);
    t.same(await forms(`blockfilterheaders/basic/1/${head.hashHex}`, new Uint8Array(32).fill(7)), ['07'.repeat(32)]);
    const missing = await get(`blockfilter/basic/${blocks[1].hashHex}.json`);
    t.same([missing.status, missing.text], [404, 'Filter not found. This error is unexpected and indicates index corruption.\r\n']);
    t.equal((await get(`blockfilter/fancy/${head.hashHex}.json`)).text, 'Unknown filtertype fancy\r\n');
  });

  await t.test('serves chaininfo, mempool and deploymentinfo as the RPC methods return them', async (t) => {
    t.match(JSON.parse((await found('chaininfo.json', 'application/json', 'no-store')).text), { blocks: 102, warnings: [] });
    t.match(JSON.parse((await found('mempool/info.json', 'application/json', 'no-store')).text), { size: 0 });
    t.same(JSON.parse((await found('mempool/contents.json', 'application/json', 'no-store')).text), {});
    t.same(JSON.parse((await get('mempool/contents.json?verbose=false&mempool_sequence=true')).text), { txids: [], mempool_sequence: 9 });
    t.match(JSON.parse((await found('deploymentinfo.json', 'application/json', 'no-store')).text), { hash: head.hashHex });
    t.match(JSON.parse((await found(`deploymentinfo/${blocks[5].hashHex}.json`, 'application/json', KEPT)).text), { height: 6 });
  });
});

t.test('REST serves unspent outputs, and rejects malformed queries', async (t) => {
  const { faults, get, post } = await serve(t);
  const txid = display(head.txids[1]);
  const spent = display(blocks[0].txids[0]);
  const one = JSON.parse((await get(`getutxos/${txid}-1/${spent}-0/${txid}-0.json`)).text);
  t.match(one, { chainHeight: 102, chaintipHash: head.hashHex, bitmap: '101', utxos: [{ height: 102, value: 2 }, { value: 1 }] });
  t.same(JSON.parse((await get(`getutxos/checkmempool/${spent}-0.json`)).text).bitmap, '0');
  const tip = Buffer.concat([Buffer.from('66000000', 'hex'), head.hash]).toString('hex');
  const coin = '0000000066000000' + '00c2eb0b00000000' + '0151';
  const body = (flag: string, ...outpoints: [Uint8Array, number][]) =>
    Buffer.from(
      flag +
        outpoints.length.toString(16).padStart(2, '0') +
        outpoints.map(([id, index]) => `${Buffer.from(id).toString('hex') + index.toString(16).padStart(2, '0')}000000`).join(''),
      'hex',
    );
  // The body has the form of BIP-0064. Core reads it one byte too late.
  const asked = body('00', [blocks[0].txids[0], 0], [head.txids[1], 1]);
  t.equal((await post('getutxos.bin', asked)).body.toString('hex'), `${tip}010201${coin}`);
  t.equal((await post('getutxos.hex', asked.toString('hex').replace(/(..)/g, '$1 \n'))).text, `${tip}010201${coin}\n`);
  for (const [path, sent, text] of [
    ['getutxos.json', '', 'Error: empty request'],
    ['getutxos.bin', '', 'Error: empty request'],
    ['getutxos/checkmempool.json', '', 'Error: empty request'],
    ['getutxos.json', '{"checkmempool', 'Error: empty request'],
    ['getutxos.bin', '{"checkmempool', 'Parse error'],
    ['getutxos.bin', asked.subarray(0, 20), 'Parse error'],
    [`getutxos/${txid}-0.bin`, asked, 'Combination of URI scheme inputs and raw post data is not allowed'],
    [
      'getutxos.bin',
      body('01', ...Array.from({ length: 16 }, () => [head.txids[1], 0] as [Uint8Array, number])),
      'Error: max outpoints exceeded (max: 15, tried: 16)',
    ],
    [`getutxos/${Array.from({ length: 16 }, () => `${txid}-0`).join('/')}.json`, '', 'Error: max outpoints exceeded (max: 15, tried: 16)'],
    ...[`${txid}`, `${txid}-+1`, `${txid}--1`, `${txid}-0-0`, `${txid}-4294967296`, `${txid}aa-1`, 'aa-1'].map((path) => [
      `getutxos/${path}.json`,
      '',
      'Parse error',
    ]),
  ] as const) {
    const got = await post(path as string, sent as string);
    t.same([got.status, got.type, got.text], [400, 'text/plain', `${text}\r\n`], `${path}`);
  }
  t.equal((await post('getutxos.bin', Buffer.alloc(100_000))).status, 413, 'no list of fifteen is as long');
  t.same(faults, []);
});

t.test("REST rejects wrong requests with Core's statuses and texts", async (t) => {
  const { fixture, get, send, uris } = await serve(t);
  const faults: [path: string, status: number, text: string][] = [
    ['tx/abc.json', 400, 'Invalid hash: abc'],
    [`tx/${UNKNOWN}.json`, 404, `${UNKNOWN} not found`],
    [`tx/${display(head.txids[1])}`, 404, FORMATS],
    [`tx/${display(head.txids[1])}.foo`, 400, `Invalid hash: ${display(head.txids[1])}.foo`],
    [`block/${UNKNOWN}.bin`, 404, `${UNKNOWN} not found`],
    [`block/${head.hashHex}`, 404, FORMATS],
    [`blockpart/${UNKNOWN}.bin?offset=0&size=1`, 404, `${UNKNOWN} not found`],
    [`headers/${head.hashHex}%.json`, 400, `Invalid hash: ${head.hashHex}%`],
    ['headers/1/2/3.json', 400, 'Invalid URI format. Expected /rest/headers/<hash>.<ext>?count=<count>'],
    [`headers/${head.hashHex}`, 404, FORMATS],
    ...['5a', '-5', '0', '2001', '9'.repeat(35)].map((count): [string, number, string] => [
      `headers/${head.hashHex}.json?count=${count}`,
      400,
      `Header count is invalid or out of acceptable range (1-2000): ${count}`,
    ]),
    ['blockfilter/basic.json', 400, 'Invalid URI format. Expected /rest/blockfilter/<filtertype>/<blockhash>'],
    [
      'blockfilterheaders/basic.json',
      400,
      'Invalid URI format. Expected /rest/blockfilterheaders/<filtertype>/<blockhash>.<ext>?count=<count>',
    ],
    ['spenttxouts/a/b.json', 400, 'Invalid URI format. Expected /rest/spenttxouts/<hash>.<ext>'],
    ['chaininfo.bin', 404, 'output format not found (available: json)'],
    ['mempool/x.json', 400, 'Invalid URI format. Expected /rest/mempool/<info|contents>.json'],
    ['mempool/contents.json?verbose=1', 400, 'The "verbose" query parameter must be either "true" or "false".'],
    [
      'mempool/contents.json?mempool_sequence=true',
      400,
      'Verbose results cannot contain mempool sequence values. (hint: set "verbose=false")',
    ],
    ['deploymentinfo/abc.json', 400, 'Invalid hash: abc'],
    [`deploymentinfo/${UNKNOWN}.json`, 400, 'Block not found'],
    ['blockhashbyheight/abc.json', 400, 'Invalid height: abc'],
    ['blockhashbyheight/+1.json', 400, 'Invalid height: +1'],
    ['blockhashbyheight/-1.json', 400, 'Invalid height: -1'],
    ['blockhashbyheight/103.json', 404, 'Block height out of range'],
    ['blockhashbyheight/<"1.json', 400, 'Invalid height: 1'],
  ];
  for (const [path, status, text] of faults) {
    const got = await get(path);
    t.same([got.status, got.type, got.cache, got.text], [status, 'text/plain', 'no-store', `${text}\r\n`], path);
  }
  for (const path of ['', 'tx', 'nothing', '?x=1']) t.match(await get(path), { status: 404, cache: 'no-store', text: '' }, path);

  uris.length = 0;
  await get('tx/abc.json');
  t.same(uris, [], 'the front answers by itself');
  t.equal((await send(`DELETE /rest/chaininfo.json HTTP/1.1\r\nHost: x\r\n\r\n`)).status, 405);

  // A block of a side branch is stored, but it was never connected, so there is no undo data.
  const side = buildBlock(blocks[99], { tag: 5 });
  await fixture.chain.commands.submitBlock(side.bytes);
  t.equal((await get(`block/${side.hashHex}.bin`)).body.length, side.bytes.length);
  t.same(JSON.parse((await get(`headers/${side.hashHex}.json`)).text), [], 'not in the best chain');
  t.match(await get(`spenttxouts/${side.hashHex}.bin`), { status: 404, text: `${side.hashHex} undo not available\r\n` });
  await fixture.chain.commands.submitHeader(buildBlock(head, { tag: 6 }).header);
  const coming = buildBlock(head, { tag: 6 }).hashHex;
  t.match(await get(`block/${coming}.bin`), { status: 404, text: `${coming} not available (not fully downloaded)\r\n` });

  renameSync(join(fixture.dir, 'blk00000.dat'), join(fixture.dir, 'away'));
  for (const path of [`block/${blocks[3].hashHex}.bin`, `blockpart/${blocks[3].hashHex}.hex?offset=0&size=1`])
    t.match(await get(path), { status: 500, text: `I/O error reading ${blocks[3].hashHex}\r\n` });
  renameSync(join(fixture.dir, 'away'), join(fixture.dir, 'blk00000.dat'));
  renameSync(join(fixture.dir, 'rev00000.dat'), join(fixture.dir, 'away'));
  t.match(await get(`spenttxouts/${blocks[3].hashHex}.json`), { status: 404, text: `${blocks[3].hashHex} undo not available\r\n` });
  renameSync(join(fixture.dir, 'away'), join(fixture.dir, 'rev00000.dat'));
  t.equal((await get(`block/${blocks[3].hashHex}.bin`)).status, 200);
});

t.test('REST behaves as in 0.21.1 with -compat=0.21.1', async (t) => {
  const { get } = await serve(t, '0.21.1');
  t.match(await get(`headers/1/${head.hashHex}.json`), { status: 200, cache: undefined });
  t.match(await get(`headers/${head.hashHex}.json`), {
    status: 400,
    text: 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.\r\n',
  });
  t.match(await get(`headers/0/${head.hashHex}.json`), { status: 400, text: 'Header count out of range: 0\r\n' });
  for (const path of [`spenttxouts/${head.hashHex}.bin`, `blockpart/${head.hashHex}.bin?offset=0&size=1`, 'deploymentinfo.json'])
    t.match(await get(path), { status: 404, text: '', cache: undefined }, path);
  const { tx } = JSON.parse((await get(`block/${head.hashHex}.json`)).text);
  t.equal('fee' in tx[1] || 'prevout' in tx[1].vin[0], false);
});

t.test('REST is off by default, needs no credentials, and answers 503 until the start is complete', async (t) => {
  const off = new FakeNode();
  await off.start(() => ({ status: 200, body: '' }));
  t.teardown(() => off.fronts.close());
  const client = new Client(off.port);
  client.send('GET /rest/chaininfo.json HTTP/1.1\r\nHost: x\r\n\r\n');
  t.equal((await client.reply()).status, 404);
  client.destroy();

  const { node, get } = await serve(t, 'default', {}, 'Loading block index...');
  t.match(await get('chaininfo.json'), { status: 503, text: 'Service temporarily unavailable: Loading block index...\r\n' });
  node.fronts.setWarmup(null);
  t.match(await get('chaininfo.json'), { status: 200 });
  node.fronts.stopAccepting();
  t.match(await get(`block/${head.hashHex}.bin`).catch(() => ({ status: 503 })), { status: 503 });
});

t.test('REST sends a long block in slices, and only headers to HEAD', async (t) => {
  const { fixture, node, get } = await serve(t);
  // A block of about 900 kB. It is sent in slices, and its hex is made in several event-loop ticks.
  const long = buildBlock(head, { outs: [{ value: 0, script: Buffer.alloc(900_000, 0x6a) }] });
  t.equal((await fixture.chain.commands.submitBlock(long.bytes)).kind, 'accepted');
  const both = await Promise.all([get(`block/${long.hashHex}.bin`), get(`block/${long.hashHex}.hex`)]);
  t.ok(both[0].body.equals(long.bytes));
  t.ok(both[1].text === `${long.bytes.toString('hex')}\n`);
  t.equal(both[1].cache, KEPT);
  // The client would take a body after the head of a reply to HEAD for the next reply.
  for (const format of ['bin', 'hex']) {
    const client = new Client(node.port);
    client.send(`HEAD /rest/block/${long.hashHex}.${format} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    await client.ended();
    t.ok(client.receivedBytes > 100 && client.receivedBytes < 1000, `HEAD, ${format}: ${client.receivedBytes} bytes`);
  }
});

t.test('a job about spent outputs that fails is an internal error, unless there is no undo data', async (t) => {
  const hole = { job: '{}', seconds: 0 };
  for (const [error, status, text] of [
    [new RpcError(RPC_CODE.MISC_ERROR, 'Internal error'), 500, 'Internal error'],
    [new RpcError(RPC_CODE.MISC_ERROR, 'blk00000.dat: EIO: i/o error, read'), 500, 'blk00000.dat: EIO: i/o error, read'],
    [new RpcError(RPC_CODE.MISC_ERROR, "Can't read undo data from disk"), 404, `${UNKNOWN} undo not available`],
  ] as const) {
    const sent: RestReply[] = [];
    const front = new RestFront({
      compat: COMPATS['31'],
      link: {
        call: (_: unknown, done: (status: number, body: string) => void) => {
          done(UNFILLED, encodeHole({ idText: '', hasId: false, version: 1, method: '' }, hole as never, 0));
          return 1;
        },
      } as never,
      warmup: () => null,
      known: new KnownReplies({
        snapshot: () => ({ height: 0, hashHex: UNKNOWN, difficulty: 1 }),
        stateVersion: () => 0,
        blocksVersion: () => 0,
      }),
      count: () => {},
      readBody: () => {},
      send: (_, reply) => sent.push(reply),
      refuse: () => {},
      read: async () => error,
    });
    front.handleRequest({ uri: `/rest/spenttxouts/${UNKNOWN}.bin`, disconnected: false } as never);
    await until('the reply', () => sent.length > 0);
    t.match(sent[0], { status, body: [Buffer.from(`${text}\r\n`)] });
  }
});

t.test('REST repeats a reply without the node thread until blocks change', async (t) => {
  const { node, uris, get, post } = await serve(t);
  node.state.noteBlockChange();
  const paths = [
    `block/${head.hashHex}.bin`,
    `block/${head.hashHex}.json`,
    `headers/${blocks[99].hashHex}.json`,
    `headers/${blocks[99].hashHex}.bin`,
    `tx/${display(head.txids[1])}.json`,
    'blockhashbyheight/7.json',
  ];
  for (const path of paths) {
    uris.length = 0;
    const replies: string[] = [];
    // A reply is cached when its request comes the second time.
    for (let i = 0; i < 4; i++) {
      const { status, type, cache, body } = await get(path);
      replies.push(JSON.stringify([status, type, cache, body.toString('hex')]));
      // Changes of the mempool and the clock do not matter.
      node.state.noteChange();
    }
    t.same([new Set(replies).size, uris.length], [1, 2], path);
    node.state.noteBlockChange();
    t.equal((await get(path)).status, 200);
    t.equal(uris.length, 3, `${path}: blocks have changed`);
  }
  uris.length = 0;
  for (let i = 0; i < 3; i++) {
    t.equal((await get(`block/${UNKNOWN}.bin`)).status, 404);
    t.equal((await post('getutxos.bin', Buffer.from('00'.repeat(2), 'hex'))).status, 200);
  }
  t.equal(uris.length, 6, 'errors, and requests with a body, reach the node thread');
});
