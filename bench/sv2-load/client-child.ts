// Many Stratum V2 clients, or as many plain sockets, that report when the first byte after a given moment reached each
// of them. They decrypt only after all have reported, so that their own work is not measured. Started by
// bench/sv2-fanout.ts.
import { once } from 'node:events';
import net from 'node:net';
import { Sv2Client } from '../../test/framework/sv2-client.js';

type Order =
  | { readonly kind: 'connect'; readonly port: number; readonly count: number; readonly plain: boolean }
  | { readonly kind: 'arm' };

interface Listener {
  hold(onFirst: () => void): void;
  release(): void;
}

const AT_ONCE = 20;
const listeners: Listener[] = [];

async function connectPlain(port: number): Promise<Listener> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let first: (() => void) | null = null;
  socket.on('data', () => {
    first?.();
    first = null;
  });
  return {
    hold: (onFirst) => {
      first = onFirst;
    },
    release: () => {},
  };
}

async function connectClient(port: number): Promise<Listener> {
  const client = await Sv2Client.start(port);
  await client.told(() => client.templates.size === 2);
  return client;
}

process.on('message', (order: Order) => {
  void handle(order).catch((error: Error) => process.send!({ kind: 'failed', message: error.message }));
});

async function handle(order: Order): Promise<void> {
  if (order.kind === 'connect') {
    const { port, count, plain } = order;
    while (listeners.length < count) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - listeners.length) }, () =>
        plain ? connectPlain(port) : connectClient(port),
      );
      listeners.push(...(await Promise.all(some)));
    }
    process.send!({ kind: 'parked' });
    return;
  }
  const atMs: number[] = [];
  for (const listener of listeners) {
    listener.hold(() => {
      atMs.push(performance.timeOrigin + performance.now());
      if (atMs.length < listeners.length) return;
      process.send!({ kind: 'woken', atMs, bytes: 0 });
      setImmediate(() => {
        for (const one of listeners) one.release();
      });
    });
  }
  process.send!({ kind: 'parked' });
}
process.send!({ kind: 'up' });
