// Reserves ports for daemons under test. No two tests get the same port, even from different processes and checkouts.
import dgram from 'node:dgram';
import net from 'node:net';

/**
 * First port. Ports of this range are below those that systems use for outgoing connections, so no outgoing connection
 * takes one.
 */
const FIRST = 10_000;
const COUNT = 3_000;

/**
 * Reserves a port number by binding the UDP port of that number, which no daemon uses. The system prevents two
 * processes from doing so, and releases the port when the process ends.
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

/** Returns a TCP port that is reserved until this process ends. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    if ((await reserve(port)) && (await isUnused(port))) return port;
  }
  throw new Error(`all ports from ${FIRST} to ${FIRST + COUNT - 1} are taken`);
}
