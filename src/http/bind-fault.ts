// Finds out why a front could not listen on an address.
import net from 'node:net';

/** Tries to listen on the address again, and returns the reason of the failure with the system's error code. */
export function bindFault(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'EADDRINUSE' ? 'another program, perhaps another node, uses this port (EADDRINUSE)' : (code ?? 'unknown error'));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('the port was in use, but is free again')));
  });
}
