// Sends an HTTP request to a server on this machine, with node:http alone.
import http from 'node:http';
import https from 'node:https';

export interface HttpRequest {
  readonly port: number;
  readonly body?: string | Uint8Array;
  readonly method?: string;
  readonly path?: string;
  /** "user:password" */
  readonly auth?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: http.Agent | false | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Certificate of the server. With it the request uses TLS. */
  readonly ca?: Uint8Array | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request. Errors say whether the socket was used before (`reusedSocket`). */
export function httpRequest(asked: HttpRequest): Promise<HttpReply> {
  const { port, body, method = 'POST', path = '/', auth, headers, agent, signal, timeoutMs, ca } = asked;
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers },
      ...(auth === undefined ? {} : { auth }),
      ...(agent === undefined ? {} : { agent }),
      ...(signal ? { signal } : {}),
      ...(ca ? { ca } : {}),
    };
    const request = (ca ? https : http).request(options as https.RequestOptions, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks).toString() }));
    });
    if (timeoutMs !== undefined) request.setTimeout(timeoutMs, () => request.destroy(new Error('no reply in time')));
    request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })));
    request.end(body);
  });
}

/** Error reply of a call. */
export class CallError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the result of a call. @throws CallError for an error reply */
// biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
export function resultOf({ status, body }: Pick<HttpReply, 'status' | 'body'>): any {
  if (body === '') throw new CallError(-1, `HTTP ${status}`);
  const { result, error } = JSON.parse(body);
  if (error) throw new CallError(error.code, error.message);
  return result;
}
