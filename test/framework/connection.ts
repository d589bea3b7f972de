// One keep-alive connection to a daemon. The daemon deals connections out to its front threads in turn, so a handful of
// them reaches every front; a call on one of them is always answered by the same front.
import http from 'node:http';
import { CallError, type Daemon } from './daemon.js';

/** A socket of its own, used for one request after the other. */
export class Connection {
  readonly #daemon: Daemon;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
  }

  /** The reply as it came. */
  post(body: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
    const send = () => this.#daemon.post(body, { agent: this.#agent, ...(signal ? { signal } : {}) });
    // A front closes sockets that were quiet for ten seconds, on a busy machine just when one is used again: once more,
    // on a new one.
    return send().catch((error: NodeJS.ErrnoException & { reusedSocket?: boolean }) => {
      if (error.code === 'ECONNRESET' && error.reusedSocket === true) return send();
      throw error;
    });
  }

  /** A call's result. @throws CallError */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    const reply = await this.post(JSON.stringify({ id: 1, method, params }));
    if (reply.body === '') throw new CallError(-1, `HTTP ${reply.status}`);
    const parsed = JSON.parse(reply.body);
    if (parsed.error) throw new CallError(parsed.error.code, parsed.error.message);
    return parsed.result;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** So many connections, each proven open, in the order in which the daemon took them. */
export async function connect(daemon: Daemon, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const connection = new Connection(daemon);
    await connection.call('getblockcount');
    connections.push(connection);
  }
  return connections;
}

export function closeAll(connections: readonly Connection[]): void {
  for (const connection of connections) connection.close();
}
