// The listener of -rpclenientport comes back on its port when its thread ends.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { BroadcastChannel } from 'node:worker_threads';
import t from 'tap';
import type { HttpOptions } from '../../../src/http/options.js';
import { silentLogger } from '../../../src/log/logger.js';
import { openLenient } from '../../../src/node/rpc-server.js';
import { until } from '../../framework/until.js';

/** What ckpool sends, and the status it gets. */
async function ask(port: number): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.0\nContent-Length: 2\n\n{}');
  let reply = '';
  for await (const bytes of socket) reply += bytes;
  return reply.slice(0, 15);
}

t.test('clients are served again at the same port', async (t) => {
  const front = http.createServer((_, reply) => reply.end('{}'));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  t.teardown(() => front.close());
  const { port: frontPort } = front.address() as AddressInfo;
  const waits: (() => void)[] = [];
  const lines: string[] = [];
  let look = (): void => {};
  const say = (text: string): void => void lines.push(text);
  const options = {
    binds: [{ host: '127.0.0.1', port: 0 }],
    allow: [],
    serverTimeoutSeconds: 30,
    relayToken: '',
  } as unknown as HttpOptions;
  const fronts = { addresses: [{ host: '127.0.0.1', port: frontPort }] };
  const listener = await openLenient(
    0,
    options,
    fronts,
    { ...silentLogger, info: say, error: say },
    {
      entry: new URL('./mortal-lenient.js', import.meta.url),
      after: (_ms, run) => {
        waits.push(run);
        return () => waits.splice(0);
      },
      every: (run) => {
        look = run;
        return () => {};
      },
    },
  );
  const { port } = listener.addresses[0]!;
  const channel = new BroadcastChannel('adit-lenient');
  t.teardown(() => channel.close());
  for (const [life, how] of ['end', 'stall'].entries()) {
    t.equal(await ask(port), 'HTTP/1.1 200 OK');
    channel.postMessage(how);
    // Asked in vain, it is ended.
    await until('it waits for its next start', () => {
      if (how === 'stall') look();
      return waits.length > 0;
    });
    await t.rejects(ask(port), { code: 'ECONNREFUSED' });
    waits.shift()?.();
    await until('it is served again', () => lines.filter((line) => line.endsWith('served again')).length === life + 1);
  }
  t.equal(await ask(port), 'HTTP/1.1 200 OK');
  await listener.close();
  await t.rejects(ask(port), { code: 'ECONNREFUSED' });
  t.match(lines, [
    /on port 0$/,
    /ended with code 9\. It is started again\.$/,
    /served again$/,
    /does not answer, and is ended$/,
    /ended with code 1\. It is started again\.$/,
    /again$/,
  ]);
});
