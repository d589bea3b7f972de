// Tests wallet calls that the node thread passes on: replies equal those of the wallet thread byte for byte, and
// secrets are passed as bytes.
import t from 'tap';
import { CallLinks } from '../../../src/link/call-links.js';
import { CallQuota } from '../../../src/link/call-quota.js';
import { FrontCounters } from '../../../src/link/front-counters.js';
import { FrontLink } from '../../../src/link/front-link.js';
import { newLink } from '../../../src/link/link.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { ActiveCommands, CallExecutor, type RpcCaller } from '../../../src/rpc/call-executor.js';
import type { Parameters } from '../../../src/rpc/declare/parameters.js';
import type { RunTable } from '../../../src/rpc/dispatch.js';
import { RpcError } from '../../../src/rpc/errors.js';
import { PASSED_RUNS, passingOn } from '../../../src/rpc/node/pass-on.js';
import { Amount, RawBytes } from '../../../src/rpc/wire/values.js';
import { HandClock } from '../../framework/pool-under-test.js';

const WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';

function threads(bounds = { calls: 100, bytes: 1 << 20 }) {
  const seen: string[] = [];
  const signals: AbortSignal[] = [];
  const runs: RunTable<object> = {
    getbalance: ({ args }: Parameters, _ctx, { path, user }) => {
      seen.push(`getbalance ${JSON.stringify(args)} ${path} ${user}`);
      return new Amount(150_000_000);
    },
    listtransactions: () => new RawBytes([Buffer.from('[{"a":'), Buffer.from('"é"}]')]),
    getwalletinfo: () => Promise.reject(new RpcError(-18, 'Not "there"')),
    walletpassphrase: ({ args }: Parameters, _ctx, call) => {
      const text = Buffer.from(call.taken?.passphrase(call.index ?? 0, 0) ?? []).toString();
      seen.push(`walletpassphrase ${JSON.stringify(args[0])} ${text}`);
      return null;
    },
    importprivkey: ({ args }: Parameters, _ctx, call) => {
      const key = call.taken?.keys.get(args[0] as string);
      seen.push(`importprivkey ${args[0] === WIF} ${Buffer.from(key ?? []).toString() === WIF}`);
      throw new RpcError(-5, `Bad ${String(args[0])}`);
    },
    rescanblockchain: (_, _ctx, { signal }) => {
      signals.push(signal!);
      return new Promise(() => {});
    },
  };
  const context = { compat: COMPATS['0.21.1'], clock: new HandClock() };
  const deps = { wallets: true, active: new ActiveCommands(), warmup: () => null };
  const faults: unknown[] = [];
  const walletExecutor = new CallExecutor(context, { ...deps, runs, onFault: (_method, error) => faults.push(error) });
  const ends = newLink();
  const links = new CallLinks({
    execute: (body, call, hooks) => walletExecutor.executeBody(body, call, hooks),
    askTemplate: async () => ({ code: -1, text: 'none' }),
    onNews: () => {},
    onFault: (_what, error) => faults.push(error),
  });
  links.add(0, ends.thread);
  const link = new FrontLink(ends.front, new CallQuota(bounds, new FrontCounters()), () => {});
  const node = new CallExecutor({ ...context, passOn: passingOn({ link }) }, { ...deps, runs: { ...PASSED_RUNS, uptime: () => 5 } });
  const reply = async (body: string, call: Partial<RpcCaller> = {}) => {
    const { status, body: bytes } = await node.executeBody(Buffer.from(body), { user: 'u', uri: '/wallet/w', ...call });
    return { status, body: Buffer.from(bytes as string).toString() };
  };
  const own = async (body: string) => {
    const { status, body: bytes } = await walletExecutor.executeBody(Buffer.from(body), { user: 'u', uri: '/wallet/w' });
    return { status, body: Buffer.from(bytes as string).toString() };
  };
  const close = () => {
    link.close();
    links.remove(0);
  };
  return { reply, own, seen, signals, faults, links, close };
}

t.test("returns the replies of the wallets' thread unchanged", async (t) => {
  const { reply, own, seen, faults, close } = threads();
  t.teardown(close);
  const bodies = [
    '{"method":"getbalance","params":["*",1.50,false],"id":"x"}',
    '{"method":"getbalance","params":{"minconf":3}}',
    '{"method":"listtransactions","id":1}',
    '{"method":"getwalletinfo","id":2}',
    '{"method":"getbalance","params":[1,2,3,4,5,6],"id":3}',
    '[{"method":"getbalance","id":4},{"method":"getwalletinfo","id":5},{"method":"listtransactions"}]',
  ];
  for (const body of bodies) t.same(await reply(body), await own(body), body);
  t.ok(seen.includes('getbalance ["*",{"text":"1.50"},false] /wallet/w u'), 'numbers keep their text');
  t.equal(
    (await reply('[{"method":"uptime","id":1},{"method":"getbalance","id":2}]')).body,
    ['[{"result":5,"error":null,"id":1},{"result":1.50000000,"error":null,"id":2}]\n'].join(''),
  );
  t.same(faults, []);
});

t.test("passes secrets as bytes to the wallets' thread, each with its own request", async (t) => {
  const { reply, seen, close } = threads();
  t.teardown(close);
  const unlock = (text: string) => `{"method":"walletpassphrase","params":["${text}",5]}`;
  await reply(`[{"method":"uptime"},${unlock('one')},${unlock('tw\\u00f6')},{"method":"getbalance"}]`);
  t.same(seen.splice(0).slice(0, 2), ['walletpassphrase "" one', 'walletpassphrase "" twö']);
  const { body } = await reply(`[{"method":"uptime"},{"method":"importprivkey","params":["${WIF}"]}]`);
  t.same(seen, ['importprivkey false true'], 'the key is passed separately from the arguments');
  t.notMatch(body, '~key', 'the placeholder is not shown');
  t.match(body, '"code":-5');
});

t.test('aborts for a lost client and rejects calls when the queue is full or the thread has ended', async (t) => {
  const { reply, signals, links, close } = threads({ calls: 1, bytes: 1000 });
  t.teardown(close);
  const gone = new AbortController();
  void reply('{"method":"rescanblockchain"}', { signal: gone.signal });
  while (signals.length === 0) await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  while (!signals[0]!.aborted) await new Promise((resolve) => setImmediate(resolve));
  const balance = '{"method":"getbalance"}';
  const large = `{"method":"getbalance","params":["${'x'.repeat(1000)}"]}`;
  t.match(await reply(large), { status: 500, body: /Work queue depth exceeded/ });
  const first = reply(balance);
  links.remove(0);
  t.match(await first, { status: 500, body: /The thread that runs this call has ended/ });
  t.match(await reply(balance), { status: 500, body: /The thread that runs this call has ended/ });
});
