// Implements adit-cli: calls a running node and prints the reply as bitcoin-cli does. Strings are printed raw, null as
// nothing, everything else indented. An error goes to stderr, with its code as exit status. The types of arguments come
// from the declarations of the methods.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { Args, ConfigError, chainFolders, locate, versionText } from '../config/index.js';
import { METHODS } from '../rpc/declare/methods.js';
import { encodeJson, encodeString } from '../rpc/wire/json-write.js';
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { convertArguments } from './arguments.js';
import { CliError, NotYet, post, type Target } from './client.js';
import { cliFlags, cliHelp } from './flags.js';
import { generateSteps } from './generate.js';
import { getInfo } from './get-info.js';
import { netInfo } from './net-info.js';
import { newRpcAuth } from './new-rpcauth.js';

/** Splits a text into its first line and the rest. */
function firstLine(text: string): { line: string; rest: string } {
  const end = text.indexOf('\n');
  return end < 0 ? { line: text, rest: '' } : { line: text.slice(0, end), rest: text.slice(end + 1) };
}

/** Reads a line from the terminal without showing it. */
function passwordLine(prompt: string): Promise<string> {
  const { stdin } = process;
  process.stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (): void => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      process.stderr.write('\n');
    };
    const onData = (chunk: string): void => {
      for (const c of chunk) {
        if (c === '\r' || c === '\n') {
          done();
          resolve(line);
          return;
        }
        if (c === '\u0003') {
          done();
          reject(new Error('interrupted'));
          return;
        }
        if (c === '\u007f') line = line.slice(0, -1);
        else line += c;
      }
    };
    stdin.on('data', onData);
  });
}

/** Returns indented JSON without a line feed at the end. */
export function prettyJson(value: JsonValue, depth = 1): string {
  const inner = '  '.repeat(depth);
  const outer = '  '.repeat(depth - 1);
  if (value === null) return 'null';
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof JsonObject) {
    const members = value.keys.map((key, index) => `${inner}${encodeString(key)}: ${prettyJson(value.values[index]!, depth + 1)}`);
    return members.length === 0 ? `{\n${outer}}` : `{\n${members.join(',\n')}\n${outer}}`;
  }
  return value.length === 0 ? `[\n${outer}]` : `[\n${value.map((item) => inner + prettyJson(item, depth + 1)).join(',\n')}\n${outer}]`;
}

const rpcPorts = { main: 8332, test: 18332, testnet4: 48332, signet: 38332, regtest: 18443 } as const;

/** Default of maxtries of -generate. */
const defaultMaxTries = 1_000_000;

/** Returns the options of other networks whose nodes left a cookie in the data folder. */
function otherCookies(baseDir: string, chosen: string): string[] {
  return Object.entries(chainFolders)
    .filter(([chain, folder]) => chain !== chosen && fs.existsSync(path.join(baseDir, folder, '.cookie')))
    .map(([chain]) => (chain === 'main' ? '-chain=main' : chain === 'test' ? '-testnet' : `-${chain}`));
}

function credentials(args: Args, { baseDir, chain, netDir }: ReturnType<typeof locate>, password: string | undefined): string {
  // An empty -rpcpassword counts as missing, as in the daemon. The cookie is used then.
  if (password !== undefined && password !== '') return `${args.text('rpcuser') ?? ''}:${password}`;
  const file = path.resolve(netDir, args.text('rpccookiefile') || '.cookie');
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      throw new CliError(
        `The authentication cookie ${file} could not be read (${code}). Run adit-cli as the user that the node runs as, or start the node with -rpccookieperms=group.`,
      );
    }
    const conf = confFile(args, baseDir);
    const others = otherCookies(baseDir, chain);
    const hint = others.length === 0 ? '' : ` A node of another network seems to be running. Add ${others.join(' or ')}.`;
    throw new NotYet(
      `Could not locate RPC credentials. No authentication cookie could be found, and RPC password is not set.  See -rpcpassword and -stdinrpcpass.  Configuration file: (${conf})\nThe cookie would be ${file}.${hint}`,
    );
  }
}

const confFile = (args: Args, baseDir: string): string => path.resolve(baseDir, args.text('conf') ?? 'bitcoin.conf');

/** Returns host and port of -rpcconnect and -rpcport. The port of -rpcport wins over one in -rpcconnect. */
function address(args: Args, chain: keyof typeof rpcPorts): { host: string; port: number } {
  const connect = args.text('rpcconnect') ?? '127.0.0.1';
  const split = /^(?:\[([^\]]+)\]|([^:]+))(?::(.*))?$/.exec(connect);
  const given = split?.[3];
  if (given !== undefined && !(/^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65535))
    throw new CliError(`Invalid port provided in -rpcconnect: ${connect}`);
  const port = args.isSet('rpcport') ? args.strictInt('rpcport', 0, 1, 65535) : Number(given ?? rpcPorts[chain]);
  return { host: split?.[1] ?? split?.[2] ?? connect, port };
}

/** Returns the trusted certificate file: -rpctlsca, else -rpctlscert (as in the node's bitcoin.conf); undefined without either. */
function trustedFile(args: Args, baseDir: string): string | undefined {
  const ca = args.text('rpctlsca');
  if (ca !== undefined) return path.resolve(ca);
  const cert = args.text('rpctlscert');
  return cert === undefined ? undefined : path.resolve(baseDir, cert);
}

function readCertificate(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new CliError(`Cannot read the certificate ${file}: ${(error as Error).message}`);
  }
}

function targetOf(args: Args, password: string | undefined): Target {
  const place = locate(args, false);
  const { baseDir, chain } = place;
  const trusted = trustedFile(args, baseDir);
  const wrong =
    password === undefined || password === ''
      ? 'Cookie file credentials were invalid and no rpcpassword was specified.'
      : 'Incorrect rpcuser or rpcpassword were specified.';
  return {
    ...address(args, chain),
    auth: credentials(args, place, password),
    refusal: `Authorization failed: ${wrong} Configuration file: (${confFile(args, baseDir)})`,
    wallet: args.text('rpcwallet'),
    timeoutMs: args.int('rpcclienttimeout', 900) * 1000,
    tls: args.bool('rpctls', false) || trusted !== undefined,
    // A node's certificate may be self-signed, or signed by a public authority.
    ...(trusted === undefined ? {} : { ca: [readCertificate(trusted), ...rootCertificates] }),
  };
}

/** Prints an error on stderr. @returns exit status @throws NotYet for -28 while waiting */
function reportError(error: JsonValue, waiting: boolean): number {
  if (!(error instanceof JsonObject)) {
    process.stderr.write(`error: ${encodeJson(error)}\n`);
    return 1;
  }
  const given = error.get('code');
  const code = given instanceof JsonNumber ? Number(given.text) : 0;
  const message = error.get('message');
  if (code === -28 && waiting) throw new NotYet(String(message));
  if (given instanceof JsonNumber) process.stderr.write(`error code: ${given.text}\n`);
  if (typeof message === 'string') process.stderr.write(`error message:\n${message}\n`);
  if (code === -19) process.stderr.write('Try adding "-rpcwallet=<filename>" option to adit-cli command line.\n');
  return Math.abs(code) & 255;
}

function print(result: JsonValue | undefined): void {
  if (typeof result === 'string') process.stdout.write(`${result}\n`);
  else if (result !== null && result !== undefined) process.stdout.write(`${prettyJson(result)}\n`);
}

/** Tries once to run the command. @returns exit status */
async function attempt(args: Args, words: readonly string[], password: string | undefined, waiting: boolean): Promise<number> {
  const target = targetOf(args, password);
  if (args.bool('getinfo', false)) {
    const outcome = await getInfo(target);
    if ('error' in outcome) return reportError(outcome.error, waiting);
    print(outcome.result);
    return 0;
  }
  if (args.isSet('netinfo')) {
    const outcome = await netInfo(target, words);
    if ('error' in outcome) return reportError(outcome.error, waiting);
    process.stdout.write(outcome.text);
    return 0;
  }
  if (args.bool('generate', false)) {
    const outcome = await generateSteps(target, words, defaultMaxTries);
    if ('error' in outcome) return reportError(outcome.error, waiting);
    print(outcome.result);
    return 0;
  }
  const [method, ...rest] = words as [string, ...string[]];
  const params = convertArguments(METHODS.get(method), rest, args.bool('named', false));
  const reply = await post(target, `{"method":${encodeJson(method)},"params":${encodeJson(params)},"id":1}\n`);
  if (!(reply instanceof JsonObject)) throw new CliError('expected reply to have result, error and id properties');
  const error = reply.get('error') ?? null;
  if (error !== null) return reportError(error, waiting);
  print(reply.get('result'));
  return 0;
}

/** Runs the client. @returns its exit status */
export async function runCli(argv: readonly string[]): Promise<number> {
  // Options come before the method. Everything after it belongs to the method, even if it starts with a dash.
  let first = argv.findIndex((arg) => !arg.startsWith('-') || arg === '-');
  if (first < 0) first = argv.length;
  const args = new Args(cliFlags, 'adit-cli');
  args.parseCommandLine(argv.slice(0, first));
  if (args.bool('version', false)) {
    process.stdout.write(`adit RPC client version ${versionText()}\n`);
    return 0;
  }
  const words = argv.slice(first);
  if (argv.length === 0 || ['?', 'h', 'help'].some((name) => args.isSet(name))) {
    process.stdout.write(cliHelp());
    if (argv.length > 0) return 0;
    process.stderr.write('Error: too few parameters\n');
    return 1;
  }
  const alone = ['getinfo', 'netinfo', 'generate'].filter((name) => args.bool(name, false));
  if (alone.length > 1) throw new CliError('Only one of -getinfo, -netinfo, -generate can be given');
  if (alone[0] === 'getinfo' && words.length > 0) throw new CliError('-getinfo takes no arguments');
  if (alone[0] === 'generate' && args.bool('named', false)) throw new CliError('-generate takes no named arguments');
  const newUser = args.text('newrpcauth');
  if (newUser !== undefined) {
    const made = newRpcAuth(newUser);
    if (made === undefined) throw new CliError('-newrpcauth=<user> takes a name without colon, dollar sign and white space');
    process.stdout.write(
      `For bitcoin.conf of the node:\nrpcauth=${made.line}\nFor the client, user ${newUser}, password:\n${made.password}\n`,
    );
    return 0;
  }
  let password = args.text('rpcpassword');
  const lines = args.bool('stdin', false) || args.bool('stdinrpcpass', false) || args.bool('stdinwalletpassphrase', false);
  let input = lines && !process.stdin.isTTY ? fs.readFileSync(0, 'utf8') : '';
  const secret = async (prompt: string): Promise<string> => {
    if (process.stdin.isTTY) return passwordLine(prompt);
    const { line, rest } = firstLine(input);
    input = rest;
    return line;
  };
  if (args.bool('stdinrpcpass', false)) password = await secret('RPC password> ');
  if (args.bool('stdinwalletpassphrase', false)) {
    if (!words[0]?.startsWith('walletpassphrase'))
      throw new CliError('-stdinwalletpassphrase is only applicable for walletpassphrase(change)');
    words.splice(1, 0, await secret('Wallet passphrase> '));
  }
  if (args.bool('stdin', false)) {
    const more = process.stdin.isTTY ? fs.readFileSync(0, 'utf8') : input;
    const list = more.split('\n');
    if (list[list.length - 1] === '') list.pop();
    words.push(...list);
  }
  if (words.length === 0 && alone.length === 0) throw new CliError('too few parameters (need at least command)');

  const waiting = args.bool('rpcwait', false);
  const timeoutMs = args.int('rpcwaittimeout', 0) * 1000;
  const deadline = timeoutMs > 0 ? Date.now() + timeoutMs : Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await attempt(args, words, password, waiting);
    } catch (error) {
      if (!(error instanceof NotYet) || !waiting) throw error;
      if (Date.now() >= deadline) throw new CliError(`timeout on transient error: ${error.message}`);
      await sleep(1000);
    }
  }
}

export function cliErrorText(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CliError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
