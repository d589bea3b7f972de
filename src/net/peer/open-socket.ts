// Opens an outbound connection over TCP or to a Unix socket.
import net from 'node:net';
import type { ProxyPlace } from '../options.js';

/**
 * Connects. The socket is returned paused; later errors lead to `close`.
 * @param pending contains the socket until the attempt has ended
 * @throws Error with a short reason
 */
export function openSocket(place: ProxyPlace, timeoutMs: number, pending: Set<net.Socket>): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect('path' in place ? { path: place.path } : { host: place.host, port: place.port });
    pending.add(socket);
    const timer = setTimeout(() => socket.destroy(new Error('timed out')), timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      pending.delete(socket);
    };
    socket.once('error', (error) => {
      end();
      reject(error);
    });
    socket.once('close', () => {
      end();
      reject(new Error('closed'));
    });
    socket.once('connect', () => {
      end();
      socket.removeAllListeners('error');
      socket.removeAllListeners('close');
      socket.on('error', () => {});
      socket.pause();
      resolve(socket);
    });
  });
}
