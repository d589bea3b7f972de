// Client of SOCKS5 (RFC 1928, RFC 1929). The proxy gets a name or address and does everything else.
import type { Socket } from 'node:net';
import { readBytes } from './socket-reader.js';

const VERSION = 5;
const NO_AUTH = 0;
const PASSWORD = 2;
const CONNECT = 1;
const DOMAIN = 3;
/** Length of the address in a reply by its type. A domain is preceded by its length. */
const addressBytes: Record<number, number> = { 1: 4, 4: 16 };
const faults: Record<number, string> = {
  1: 'general failure',
  2: 'connection not allowed',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'protocol error',
  8: 'address type not supported',
};

/**
 * Asks the proxy at the other end of a new socket to connect to a target.
 * @param credentials user and password in one; Tor uses different circuits for different ones; null: none
 * @throws Error with a short reason; the socket is then destroyed
 */
export async function connectThroughSocks(
  socket: Socket,
  target: { readonly host: string; readonly port: number },
  credentials: string | null,
  timeoutMs: number,
): Promise<void> {
  const host = Buffer.from(target.host, 'utf8');
  if (host.length > 255) throw new Error('proxy: name too long');
  const timer = setTimeout(() => socket.destroy(new Error('timed out')), timeoutMs * 4);
  const read = (length: number): Promise<Uint8Array> => readBytes(socket, length, 'proxy');
  try {
    socket.write(credentials === null ? Uint8Array.of(VERSION, 1, NO_AUTH) : Uint8Array.of(VERSION, 2, NO_AUTH, PASSWORD));
    const [version, method] = await read(2);
    if (version !== VERSION) throw new Error('proxy: not SOCKS5');
    if (method === PASSWORD && credentials !== null) {
      const text = Buffer.from(credentials, 'latin1').subarray(0, 255);
      socket.write(Buffer.concat([Uint8Array.of(1, text.length), text, Uint8Array.of(text.length), text]));
      const [, status] = await read(2);
      if (status !== 0) throw new Error('proxy: authentication failed');
    } else if (method !== NO_AUTH) throw new Error('proxy: no common method');
    const port = Uint8Array.of(target.port >> 8, target.port & 0xff);
    socket.write(Buffer.concat([Uint8Array.of(VERSION, CONNECT, 0, DOMAIN, host.length), host, port]));
    const [, status = 1, , type = 0] = await read(4);
    if (status !== 0) throw new Error(`proxy: ${faults[status] ?? `error ${status}`}`);
    const length = addressBytes[type] ?? (type === DOMAIN ? ((await read(1))[0] as number) : undefined);
    if (length === undefined) throw new Error('proxy: malformed reply');
    await read(length + 2);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
