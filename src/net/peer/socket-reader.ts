// Reads from a paused socket exactly what is requested. The rest stays for the socket's next reader.
import type { Socket } from 'node:net';

/**
 * Reads a number of bytes.
 * @param from name of the other end, for the error if the connection ends early
 */
export function readBytes(socket: Socket, length: number, from: string): Promise<Uint8Array> {
  return whenReadable(socket, from, () => {
    const bytes = socket.read(length) as Buffer | null;
    return bytes === null ? null : new Uint8Array(bytes);
  });
}

/**
 * Reads a line as latin1, without its end.
 * @param most longest line in bytes; a longer one is an error
 */
export function readLine(socket: Socket, most: number, from: string): Promise<string> {
  let line = '';
  return whenReadable(socket, from, () => {
    for (let bytes = socket.read() as Buffer | null; bytes !== null; bytes = socket.read() as Buffer | null) {
      const end = bytes.indexOf('\n');
      line += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
      if (line.length > most) throw new Error(`${from}: too long a line`);
      if (end < 0) continue;
      if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1));
      return line;
    }
    return null;
  });
}

/** Resolves with the first result of `attempt` that is not null. Rejects with its error, or when the connection ends. */
function whenReadable<T>(socket: Socket, from: string, attempt: () => T | null): Promise<T> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      try {
        const found = attempt();
        if (found === null) return;
        stop();
        resolve(found);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const ended = (): void => {
      stop();
      reject(new Error(`${from}: ${socket.errored?.message ?? 'closed the connection'}`));
    };
    const stop = (): void => {
      socket.off('readable', check);
      socket.off('close', ended);
    };
    if (socket.destroyed) {
      ended();
      return;
    }
    socket.on('close', ended);
    socket.on('readable', check);
    check();
  });
}
