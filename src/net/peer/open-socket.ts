// A TCP connection of our own.
import net from 'node:net';

/**
 * Connects. The socket is paused, and its errors end in `close`.
 * @param pending holds it until that has an end
 * @throws Error with a short reason
 */
export function openSocket(
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
  pending: Set<net.Socket>,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
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
