// Mutated JSON-RPC bodies against the router of a front thread and that of the node thread: neither throws, every reply
// is well-formed, the server stays usable. The same 40,000 cases everywhere; RPC_FUZZ_CASES sets another number.

import t from 'tap';
import { chainParams } from '../../src/consensus/params/networks.js';
import { wholeBody } from '../../src/link/messages.js';
import { COMPATS } from '../../src/policy/compat.js';
import { METHODS } from '../../src/rpc/declare/methods.js';
import type { FrontContext } from '../../src/rpc/front/context.js';
import { RequestRouter } from '../../src/rpc/front/request-router.js';
import { buildChain, GENESIS } from '../framework/chain-builder.js';
import { crypto, openFixture } from '../framework/chain-fixture.js';
import { descriptorContext } from '../framework/descriptor-context.js';
import { mutate, Random } from '../framework/mutate.js';
import { openExecutor } from '../unit/rpc/executor-fixture.js';

const CASES = Number(process.env.RPC_FUZZ_CASES ?? 40_000);
const SEED = 0x5eed;
const STATUSES = [200, 204, 400, 403, 404, 500];

const random = new Random(SEED);
const blocks = buildChain(GENESIS, 4);
const HASHES = [...blocks.map(({ hashHex }) => hashHex), '00'.repeat(32)];
const ODD_VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1',
  '2',
  '1.5',
  '1e3',
  '-0',
  '99999999999999999999',
  '2147483648',
  '1e400',
  '""',
  '"x"',
  '"é"',
  '[]',
  '{}',
  '[[]]',
  '"00"',
  '"zz"',
  '{"a":1,"a":2}',
  '[{"txid":"00","vout":0}]',
  '{"mode":"proposal","data":"00"}',
  '{"rules":["segwit"],"longpollid":"zz"}',
  '"raw(51)"',
  '"all"',
  '["net"]',
  '{"data":"00"}',
  '[{"data":"6a"},{"data":"6a"}]',
  '"bcrt1q0e4kqma0lrn834j50juu9yjfzmsdshaethjd8g"',
  `"${'ab'.repeat(300)}"`,
];
const IDS = ['1', 'null', '"a"', '1.50', '[1,{"b":[]}]', '{"a":1,"a":2}', 'true', '"\\u0000"'];

const value = (): string => {
  switch (random.below(4)) {
    case 0:
      return `"${random.pick(HASHES)}"`;
    case 1:
      return `"${random.pick(blocks).bytes.toString('hex')}"`;
    default:
      return random.pick(ODD_VALUES);
  }
};

function request(): string {
  const spec = random.pick([...METHODS.values()]);
  const version = random.below(4) === 0 ? '"jsonrpc":"2.0",' : '';
  const id = random.below(5) === 0 ? '' : `"id":${random.pick(IDS)},`;
  const named = random.below(4) === 0;
  const count = random.below(spec.args.length + 2);
  const values = Array.from({ length: count }, value);
  const names = spec.args.flatMap(({ name }) => name.split('|'));
  const params = named
    ? `{${values.map((one) => `"${random.below(8) === 0 ? 'nope' : (names[random.below(names.length || 1)] ?? 'x')}":${one}`).join(',')}}`
    : `[${values.join(',')}]`;
  return `{${version}${id}"method":"${spec.name}","params":${params}}`;
}

function body(): Uint8Array {
  const kind = random.below(10);
  const text = kind === 0 ? `[${Array.from({ length: random.below(5) }, request).join(',')}]` : request();
  const bytes = new Uint8Array(Buffer.from(text));
  return kind < 5 ? bytes : mutate(bytes, random);
}

/** Returns the fault of a reply, or null. */
function fault(status: number, text: string): string | null {
  if (!STATUSES.includes(status)) return `status ${status}`;
  if (text === '') return status === 204 || status === 403 ? null : `empty body with ${status}`;
  if (!text.endsWith('\n') || text.endsWith('\n\n')) return 'newline';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  for (const one of Array.isArray(parsed) ? parsed : [parsed]) {
    if (typeof one !== 'object' || one === null) return 'no envelope';
    const { error } = one as { error?: { code: unknown; message: unknown } | null };
    if (error && (!Number.isInteger(error.code) || typeof error.message !== 'string')) return 'no error object';
    if (!('result' in one) && !error) return 'neither result nor error';
  }
  return null;
}

t.test(`answers ${CASES} random request bodies without an unexpected error`, async (t) => {
  const fixture = await openFixture();
  for (const block of blocks) await fixture.chain.commands.submitBlock(block.bytes);
  const { executor, events, stopping } = openExecutor(fixture);
  // Waits end at once and nothing is mined for long.
  stopping.abort();
  const context: FrontContext = {
    compat: COMPATS['0.21.1'],
    descriptors: descriptorContext('0.21', 'regtest'),
    params: chainParams('regtest'),
    hashes: crypto,
    snapshot: () => ({ height: 4, hashHex: HASHES[3], difficulty: 1 }),
    stateVersion: () => 0,
    blocksVersion: () => 0,
    nowSeconds: () => 5,
    startedSeconds: 1,
    wallets: true,
    warmup: () => null,
  };
  const front = new RequestRouter(context);
  const faults: string[] = [];
  const kinds = new Map<string, number>();
  for (let i = 0; i < CASES; i++) {
    const bytes = body();
    const note = (where: string, what: string | null) => {
      if (what !== null) faults.push(`case ${i}, ${where}: ${what}: ${Buffer.from(bytes).toString('utf8').slice(0, 200)}`);
    };
    try {
      const plan = front.plan(bytes, { user: 'u', uri: '/', allowed: i % 50 === 0 ? new Set(['help']) : null })!;
      kinds.set(plan.kind, (kinds.get(plan.kind) ?? 0) + 1);
      if (plan.kind === 'reply') note('front', fault(plan.status, String(plan.body)));
      if (plan.kind === 'template') note('template', fault(200, `${plan.prefix}{}${plan.suffix}`));
      const reply = await executor.executeBody(bytes, { user: 'u', uri: '/', signal: stopping.signal });
      note('node', fault(reply.status, Buffer.from(wholeBody(reply.body) as Uint8Array).toString()));
    } catch (error) {
      note('thrown', String(error));
    }
  }
  t.same(faults.slice(0, 10), []);
  const unforeseen = events.filter((event) => /Error/.test(event) && !/no (pool|templates) here/.test(event));
  t.same([...new Set(unforeseen)].slice(0, 10), [], 'no fault that a handler did not foresee');
  for (const kind of ['reply', 'node', 'template', 'forbidden']) t.ok((kinds.get(kind) ?? 0) > CASES / 2000, `${kind}: ${kinds.get(kind)}`);
  const last = await executor.executeBody(Buffer.from('{"id":1,"method":"getblockcount"}'), { user: '', uri: '/' });
  t.match(last.body, /^\{"result":\d+,"error":null,"id":1\}\n$/);
  await fixture.end();
});
