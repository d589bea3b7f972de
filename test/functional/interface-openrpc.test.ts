// rpc.discover of a running node, and real results against the result schemas that it hands out.
import http from 'node:http';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';

interface Schema {
  type?: string | string[];
  pattern?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | Schema[];
  anyOf?: Schema[];
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** Differences between a result and its schema, members that the schema doesn't know among them. */
function differences(schema: Schema, value: unknown, at: string): string[] {
  if (schema.anyOf) {
    const tried = schema.anyOf.map((one) => differences(one, value, at));
    return tried.some((list) => list.length === 0) ? [] : tried.sort((a, b) => a.length - b.length)[0]!;
  }
  if (schema.type !== undefined && ![schema.type].flat().includes(typeOf(value))) return [`${at}: ${typeOf(value)}, not ${schema.type}`];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value as string)) return [`${at}: ${value}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.flatMap((one, i) => (items === undefined ? [] : differences(Array.isArray(items) ? items[i]! : items, one, `${at}[]`)));
  }
  if (typeOf(value) !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, one]) => {
    const member = schema.properties?.[key] ?? schema.additionalProperties;
    if (member === undefined && schema.properties) return [`${at}.${key}: unknown`];
    return typeof member === 'object' ? differences(member, one, `${at}.${key}`) : [];
  });
}

// Real processes, on a machine that may have other work.
t.test('results have the shape that is promised', async (t) => {
  const metrics = await freePort();
  const node = await Daemon.start(`-metricsport=${metrics}`);
  t.teardown(() => node.remove());
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const [hash] = await node.call('generatetoaddress', 3, address);
  const block = await node.call('getblock', hash, 2);
  const txid = block.tx[0].txid;
  const document = await node.call('rpc.discover');
  const served: { status?: number | undefined; body: string } = await new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port: metrics, path: '/openrpc.json', agent: false }, (reply) => {
        let body = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        reply.on('end', () => resolve({ status: reply.statusCode, body }));
      })
      .on('error', reject);
  });
  t.equal(served.status, 200);
  t.same(JSON.parse(served.body), document, 'the metrics port has the same one');

  const calls: [string, ...unknown[]][] = [
    ['getblockcount'],
    ['getbestblockhash'],
    ['getdifficulty'],
    ['getblockchaininfo'],
    ['getblockhash', 1],
    ['getblockheader', hash],
    ['getblockheader', hash, false],
    ['getblock', hash, 0],
    ['getblock', hash, 1],
    ['getblock', hash, 2],
    ['getblockstats', 1],
    ['getblocktemplate', { rules: ['segwit'] }],
    ['getchaintips'],
    ['getchaintxstats'],
    ['getconnectioncount'],
    ['getmemoryinfo'],
    ['getmempoolinfo'],
    ['getmininginfo'],
    ['getnettotals'],
    ['getnetworkhashps'],
    ['getnetworkinfo'],
    ['getpeerinfo'],
    ['getrawmempool'],
    ['getrawmempool', true],
    ['getrpcinfo'],
    ['gettxout', txid, 0],
    ['gettxoutsetinfo'],
    ['logging'],
    ['uptime'],
    ['validateaddress', address],
    ['decoderawtransaction', block.tx[0].hex],
    ['decodescript', '51'],
    ['createrawtransaction', [], [{ data: '00' }]],
    ['testmempoolaccept', [block.tx[0].hex]],
    ['verifychain'],
    ['help'],
    ['generatetoaddress', 1, address],
    ['rpc.discover'],
  ];
  for (const [name, ...params] of calls) {
    const method = document.methods.find((one: { name: string }) => one.name === name);
    t.same(differences(method.result.schema, await node.call(name, ...params), name), [], `${name} ${JSON.stringify(params).slice(0, 60)}`);
  }
});
