// Opens the listening sockets of a serving thread.
import net from 'node:net';
import type { Addresses } from '../../lib/supervised-thread.js';

/** Time without traffic after which the kernel checks that the other end is still there. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Listens at each address. Sockets have TCP_NODELAY and keep-alive.
 * @param port 0: the system chooses a port
 * @param onFault called for later errors of a listening socket, such as too many open files; the socket goes on listening
 * @throws the system's error when an address cannot be bound
 */
export async function listenAt(
  { host, port }: Addresses[number],
  onSocket: (socket: net.Socket) => void,
  onFault: (error: Error) => void,
): Promise<{ readonly server: net.Server; readonly port: number }> {
  const server = net.createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 4_096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', onFault);
  return { server, port: (server.address() as net.AddressInfo).port };
}
