// adit-cli: asks a running node one thing and prints the answer, as bitcoin-cli does: strings raw, null as nothing, everything else
// indented; an error on stderr with its code as exit status. The types of arguments come from the methods' declarations.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Args } from '../config/args.js';
import { locate } from '../config/load.js';
import { version } from '../config/version.js';
import { METHODS } from '../rpc/declare/methods.js';
import { parseJson } from '../rpc/wire/json-parse.js';
import { encodeJson } from '../rpc/wire/json-write.js';
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { convertArguments } from './arguments.js';
import { cliFlags, cliHelp } from './flags.js';
import { prettyJson } from './pretty.js';

const rpcPorts = { main: 8332, test: 18332, testnet4: 48332, signet: 38332, regtest: 18443 } as const;

/** Nothing was asked of a node, or it could not be asked. */
class CliError extends Error {}

interface Target {
  host: string;
  port: number;
  auth: string;
  wallet: string | undefined;
  timeoutMs: number;
}

interface Raw {
  status: number;
  body: Buffer;
}

/** -28 and refused connections: what -rpcwait waits out. */
class NotYet extends CliError {}

function credentials(args: Args, netDir: string): string {
  if (args.text('rpcpassword') !== undefined) return `${args.text('rpcuser') ?? ''}:${args.text('rpcpassword')}`;
  const file = path.resolve(netDir, args.text('rpccookiefile') ?? '.cookie');
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    throw new NotYet(
      `Could not locate RPC credentials. No authentication cookie could be found, and RPC password is not set.  See -rpcpassword and -stdinrpcpass.  Configuration file: (${path.resolve(args.text('datadir') ?? '', args.text('conf') ?? 'bitcoin.conf')})`,
    );
  }
}

function post(target: Target, body: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
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
        ...(target.timeoutMs > 0 ? { timeout: target.timeoutMs } : {}),
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks) }));
        reply.on('error', reject);
      },
    );
    request.on('timeout', () => request.destroy(new CliError('timeout on transient error: no reply in time')));
    request.on('error', (error) =>
      reject(
        error instanceof CliError
          ? error
          : new NotYet(
              `Could not connect to the server ${target.host}:${target.port}\n\nMake sure the aditd server is running and that you are connecting to the correct RPC port.`,
            ),
      ),
    );
    request.end(body);
  });
}

/** One question and its answer's exit status. */
async function ask(args: Args, words: readonly string[]): Promise<number> {
  const { chain, netDir } = locate(args, false);
  const connect = args.text('rpcconnect') ?? '127.0.0.1';
  const split = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(connect);
  const target: Target = {
    host: split?.[1] ?? split?.[2] ?? connect,
    port: args.isSet('rpcport') ? args.strictInt('rpcport', 0, 1, 65535) : Number(split?.[3] ?? rpcPorts[chain]),
    auth: credentials(args, netDir),
    wallet: args.text('rpcwallet'),
    timeoutMs: args.int('rpcclienttimeout', 900) * 1000,
  };
  const [method, ...rest] = words as [string, ...string[]];
  const params = convertArguments(METHODS.get(method), rest, args.bool('named', false));
  const raw = await post(target, `{"method":${encodeJson(method)},"params":${encodeJson(params)},"id":1}\n`);
  if (raw.status === 401) throw new CliError('Authorization failed: Incorrect rpcuser or rpcpassword');
  if (raw.body.length === 0) throw new CliError(raw.status >= 400 ? `server returned HTTP error ${raw.status}` : 'no response from server');
  let reply: JsonValue;
  try {
    reply = parseJson(raw.body);
  } catch {
    throw new CliError(raw.status >= 400 ? `server returned HTTP error ${raw.status}` : "couldn't parse reply from server");
  }
  if (!(reply instanceof JsonObject)) throw new CliError('expected reply to have result, error and id properties');
  const error = reply.get('error');
  if (error instanceof JsonObject) {
    const codeValue = error.get('code');
    const code = codeValue instanceof JsonNumber ? Number(codeValue.text) : -1;
    const message = error.get('message');
    if (code === -28 && args.bool('rpcwait', false)) throw new NotYet(String(message));
    process.stderr.write(`error code: ${code}\nerror message:\n${typeof message === 'string' ? message : ''}\n`);
    if (code === -19) process.stderr.write('Try adding "-rpcwallet=<filename>" option to adit-cli command line.\n');
    return Math.abs(code) & 255;
  }
  const result = reply.get('result');
  if (typeof result === 'string') process.stdout.write(`${result}\n`);
  else if (result !== null && result !== undefined) process.stdout.write(`${prettyJson(result)}\n`);
  return 0;
}

/** Runs the client. @returns its exit status */
export async function runCli(argv: readonly string[]): Promise<number> {
  // Options come before the method; what follows is the method's own, even when it starts with a dash.
  let first = argv.findIndex((arg) => !arg.startsWith('-') || arg === '-');
  if (first < 0) first = argv.length;
  const args = new Args(cliFlags, 'adit-cli');
  args.parseCommandLine(argv.slice(0, first));
  if (args.bool('version', false)) {
    process.stdout.write(`adit RPC client version ${version}\n`);
    return 0;
  }
  const words = argv.slice(first);
  if (args.bool('?', false) || args.bool('help', false) || args.bool('h', false)) {
    process.stdout.write(cliHelp());
    return 0;
  }
  if (args.bool('stdin', false)) {
    const lines = fs.readFileSync(0, 'utf8').split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    words.push(...lines);
  }
  if (words.length === 0) throw new CliError('too few parameters (need at least command)');
  for (;;) {
    try {
      return await ask(args, words);
    } catch (error) {
      if (!(error instanceof NotYet) || !args.bool('rpcwait', false)) throw error;
      await sleep(1000);
    }
  }
}

/** The text of an error for the operator. */
export function cliErrorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
