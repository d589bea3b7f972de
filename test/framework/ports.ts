// Ports for daemons under test, of which no two tests get the same one, whichever process and checkout they run in.
import dgram from 'node:dgram';
import net from 'node:net';

/** Below the ports that systems give to outgoing connections, so that none of those takes one meanwhile. */
const FIRST = 10_000;
const COUNT = 3_000;

/**
 * Reserves a number by its UDP port, which no daemon uses: the system decides between processes, and frees it when this
 * one ends.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const lock = dgram.createSocket('udp4');
    lock.once('error', () => {
      lock.close();
      resolve(false);
    });
    lock.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      lock.unref();
      resolve(true);
    });
  });
}

/** Returns true if no program listens on the port. Other programs ignore the reservations. */
function isUnused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

let next = process.pid % COUNT;

/** A TCP port that is this process's until it ends. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    if ((await reserve(port)) && (await isUnused(port))) return port;
  }
  throw new Error(`all ports from ${FIRST} to ${FIRST + COUNT - 1} are taken`);
}
