// Why an address cannot be listened on. uWebSockets.js says only that it cannot, so Node.js is asked.
import net from 'node:net';

/** Returns the reason, with the code of the system's error. */
export function bindFault(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'EADDRINUSE' ? 'another program listens there, perhaps another node (EADDRINUSE)' : (code ?? 'unknown error'));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('the address was taken a moment ago')));
  });
}
