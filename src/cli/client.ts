// Sends a request to the node and reads the reply, with the error messages of bitcoin-cli.
import http from 'node:http';
import https from 'node:https';
import { parseJson } from '../rpc/wire/json-parse.js';
import { type JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';

/** Error of the client: no request was sent, or it failed. */
export class CliError extends Error {}

/** Error that -rpcwait waits out: the node is starting (-28) or refuses the connection. */
export class NotYet extends CliError {}

/** Address and credentials of a node. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** `user:password`. */
  readonly auth: string;
  /** Message if the node refuses these credentials. */
  readonly refusal: string;
  readonly wallet: string | undefined;
  /** Timeout in milliseconds; 0: none. */
  readonly timeoutMs: number;
  readonly tls: boolean;
  /** Trusted certificates, PEM. */
  readonly ca?: readonly (Buffer | string)[];
}

interface Raw {
  readonly status: number;
  readonly body: Buffer;
}

function send(target: Target, body: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const options: https.RequestOptions = {
      host: target.host,
      port: target.port,
      method: 'POST',
      path: target.wallet === undefined ? '/' : `/wallet/${encodeURIComponent(target.wallet)}`,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
        authorization: `Basic ${Buffer.from(target.auth).toString('base64')}`,
      },
      ...(target.ca ? { ca: [...target.ca] } : {}),
      ...(target.timeoutMs > 0 ? { timeout: target.timeoutMs } : {}),
    };
    const request = (target.tls ? https : http).request(options, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks) }));
      reply.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new CliError('timeout reached: no reply in time')));
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error instanceof CliError) return reject(error);
      const server = `${target.host}:${target.port}`;
      const advice = error.code === undefined ? undefined : tlsAdvice(error.code);
      reject(
        advice === undefined
          ? new NotYet(
              `Could not connect to the server ${server}\n\nMake sure the aditd server is running and that you are connecting to the correct RPC port.`,
            )
          : new CliError(`Could not connect to the server ${server} (${error.code})\n\n${advice}`),
      );
    });
    request.end(body);
  });
}

/** Returns advice for a TLS error; undefined for any other error. */
function tlsAdvice(code: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate is not for this host. Make one whose subjectAltName holds the name or address that -rpcconnect gives.';
  if (/WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH/.test(code))
    return 'The server does not speak TLS on this port: leave out -rpctls and -rpctlsca.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return "The certificate is not trusted. Give the server's certificate or its authority's with -rpctlsca=FILE.";
  return /SSL|TLS/.test(code) ? 'TLS could not be agreed on.' : undefined;
}

/** Sends a request and parses the JSON of the reply. @throws CliError, NotYet */
export async function post(target: Target, body: string): Promise<JsonValue> {
  const raw = await send(target, body);
  if (raw.status === 401) throw new CliError(target.refusal);
  if (raw.status === 403)
    throw new CliError(
      'server returned HTTP error 403: the node refuses this address (-rpcallowip) or this call for this user (-rpcwhitelist; with it, -rpcwhitelistdefault=0 leaves users without a list free to call everything)',
    );
  if (raw.status === 503) throw new CliError(`Server response: ${raw.body.toString()}`);
  const failed = raw.status >= 400 && ![400, 404, 500].includes(raw.status);
  if (failed) throw new CliError(`server returned HTTP error ${raw.status}`);
  if (raw.body.length === 0) throw new CliError('no response from server');
  try {
    return parseJson(raw.body);
  } catch {
    throw new CliError("couldn't parse reply from server");
  }
}

/** Outcomes of a batch by position: the result (null if the call failed), and the error (null if it succeeded). */
export type BatchReply = readonly { readonly result: JsonValue; readonly error: JsonValue }[];

/** Sends several calls as one batch. */
export async function batch(target: Target, calls: readonly { method: string; params?: string }[]): Promise<BatchReply> {
  const body = `[${calls.map(({ method, params }, id) => `{"method":"${method}","params":${params ?? '[]'},"id":${id}}`).join(',')}]\n`;
  const reply = await post(target, body);
  if (!Array.isArray(reply)) {
    const error = reply instanceof JsonObject ? (reply.get('error') ?? null) : null;
    return calls.map(() => ({ result: null, error }));
  }
  return calls.map((_call, id) => {
    const one = reply.find((entry) => entry instanceof JsonObject && (entry.get('id') as JsonNumber | null)?.text === String(id));
    return one instanceof JsonObject
      ? { result: one.get('result') ?? null, error: one.get('error') ?? null }
      : { result: null, error: new JsonObject(['message'], ['no reply in the batch']) };
  });
}
