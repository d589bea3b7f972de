// Messages of one client cost the node thread a bounded number of messages.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { ServeCounters } from '../../../src/sv2/serve/counters.js';
import { type ServeNews, startServe } from '../../../src/sv2/serve/start-serve.js';
import { constraintsPayload, Sv2Client } from '../../framework/sv2-client.js';

t.test('limits the messages to the node thread when a client floods the server', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-sv2-'));
  const received: ServeNews[] = [];
  const thread = await startServe(
    {
      binds: [{ host: '127.0.0.1', port: 0 }],
      perAddress: 64,
      authoritySecret: new Uint8Array(32).fill(1),
      solutionsDir: dir,
      maxWeight: 4_000_000,
      leastReserve: { weight: 4_000, sigops: 400 },
      counters: new ServeCounters().buffer,
      powLimit: 2n ** 255n,
    },
    (message) => received.push(message),
    () => {},
  );
  t.teardown(async () => {
    await thread.close();
    fs.rmSync(dir, { recursive: true });
  });
  const client = await Sv2Client.start(thread.addresses[0]!.port);
  t.teardown(() => client.close());
  client.socket.cork();
  for (let i = 0; i < 3000; i++) client.send(0x60, Buffer.alloc(4));
  for (let i = 0; i < 3000; i++) client.send(0x70, constraintsPayload(i % 2 === 0 ? 50_000 : 100, 4));
  client.request(1n);
  client.socket.uncork();
  await client.nextOf('data-error');
  await thread.queryThread('clients');
  const count = (kind: string): number => received.filter((message) => message.kind === kind).length;
  // Twenty lines in a second: what came within a minute and a half.
  t.ok(count('log') < 1800, `${count('log')} lines`);
  t.ok(count('needs') < 1000, `${count('needs')} times`);
});
