// One keep-alive connection to a daemon. The daemon distributes connections to its front threads in a cycle, so a few
// of them reach every front. The same front answers all calls of a connection.
import http from 'node:http';
import { CallError, type Daemon } from './daemon.js';

/** A socket of its own, used for one request after the other. */
export class Connection {
  readonly #daemon: Daemon;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
  }

  /** Sends a body and returns the reply. */
  post(body: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
    const send = () => this.#daemon.post(body, { agent: this.#agent, ...(signal ? { signal } : {}) });
    // A front closes idle sockets after ten seconds, on a busy machine possibly at the moment when this connection is
    // used again. Then send the body again, on a new socket.
    return send().catch((error: NodeJS.ErrnoException & { reusedSocket?: boolean }) => {
      if (error.code === 'ECONNRESET' && error.reusedSocket === true) return send();
      throw error;
    });
  }

  /** Returns the result of a call. @throws CallError */
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

/** Opens this number of connections. Each has answered a call, so the daemon has accepted them in this order. */
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
