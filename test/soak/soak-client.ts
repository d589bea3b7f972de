// How a soak talks to a node: bodies are large and many, so they are kept as they came and only looked at where needed.
import http from 'node:http';
import type { Daemon } from '../framework/daemon.js';

/** A reply that is text only if somebody asks. */
export interface RawReply {
  readonly status: number;
  readonly bytes: Buffer;
}

const ID = '"longpollid":"';

/** The longpollid of a template in a reply; null without one. It stands near the end, behind all transactions. */
export function idOf({ bytes }: RawReply): string | null {
  const at = bytes.lastIndexOf(ID);
  if (at < 0) return null;
  const id = bytes.toString('latin1', at + ID.length, bytes.indexOf('"', at + ID.length));
  return /^[0-9a-f]{64}\d+$/.test(id) ? id : null;
}

export class SoakClient {
  readonly #daemon: Daemon;
  readonly #kept = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  /**
   * For rare calls: a socket that was quiet for ten seconds is closed by the node, perhaps just when it is used again.
   */
  readonly #fresh = new http.Agent({ keepAlive: false });

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
  }

  /** One call, on a connection that is kept; the reply as it came. */
  async post(body: unknown): Promise<RawReply> {
    const json = JSON.stringify(body);
    return this.#request(json, this.#kept).catch((error: NodeJS.ErrnoException) => {
      // A kept socket may have been quiet for as long; asking twice for the same does no harm here.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
      return this.#request(json, this.#fresh);
    });
  }

  /** A call's result. @throws with the message of an error reply */
  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  async call(method: string, ...params: unknown[]): Promise<any> {
    const { bytes } = await this.#request(JSON.stringify({ id: 1, method, params }), this.#fresh);
    const { result, error } = JSON.parse(bytes.toString());
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Events of the template stream, whole templates, until the client ends. */
  stream(onTemplate: (id: string, json: string) => void, onError: (error: Error) => void): void {
    const request = http.get(
      { host: '127.0.0.1', port: this.#daemon.port, path: '/template/stream?full=1', agent: this.#kept, auth: this.#daemon.auth },
      (reply) => {
        let text = '';
        reply.setEncoding('latin1');
        reply.on('data', (chunk: string) => {
          text += chunk;
          for (let end = chunk.includes('\n\n') || text.length < 4 ? text.indexOf('\n\n') : -1; end >= 0; end = text.indexOf('\n\n')) {
            const event = text.slice(0, end);
            text = text.slice(end + 2);
            const match = /^id: (\S+)\nevent: template\ndata: /.exec(event);
            if (match !== null) onTemplate(match[1]!, event.slice(match[0].length));
          }
        });
        reply.on('error', onError);
        if (reply.statusCode !== 200) onError(new Error(`stream: HTTP ${reply.statusCode}`));
      },
    );
    request.on('error', onError);
  }

  /** Closes all connections. */
  end(): void {
    this.#kept.destroy();
    this.#fresh.destroy();
  }

  #request(body: string, agent: http.Agent): Promise<RawReply> {
    const { port, auth } = this.#daemon;
    return new Promise((resolve, reject) => {
      const headers = { 'content-length': Buffer.byteLength(body) };
      const request = http.request({ host: '127.0.0.1', port, method: 'POST', path: '/', agent, auth, headers }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}
