// Creates an onion service for this node over Tor's control port (Tor's control-spec.txt), and asks for the address of
// Tor's SOCKS proxy (Core's torcontrol.cpp).
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { replaceFileSync } from '../../lib/durable-file.js';
import type { Logger } from '../../log/logger.js';
import type { Endpoint } from '../peer/peer-connection.js';
import { Retry } from '../retry.js';
import { keyValues } from '../wire/key-values.js';
import { type NetAddress, parseHost, splitHostPort } from '../wire/net-address.js';

/** Address of Tor's control port and the service to create. */
export interface TorControlOptions {
  readonly control: { readonly host: string; readonly port: number };
  /** Password of -torpassword; empty: none. */
  readonly password: string;
  /** File with the service's private key, so that its address stays the same. */
  readonly keyFile: string;
  /** Port of the onion address. */
  readonly servicePort: number;
  /** Address to which Tor forwards connections, host:port. */
  readonly target: string;
}

export interface TorControlEvents {
  /** Called when the service was created; null when it was lost. */
  service(address: NetAddress | null): void;
  /** Called with the address of Tor's SOCKS proxy. */
  proxy(proxy: Endpoint): void;
}

/** Reply of Tor: its code, and its lines without the code. */
interface TorReply {
  readonly code: number;
  readonly lines: readonly string[];
}

const OK = 250;
/** Codes for an unknown command, and for unknown arguments. */
const UNRECOGNIZED = 510;
const SYNTAX = 512;
/** Longest line and most lines that are accepted from Tor (Core's MAX_LINE_LENGTH and MAX_LINE_COUNT). */
const MAX_LINE = 100_000;
const MAX_LINES = 1_000;
const COOKIE_BYTES = 32;
const NONCE_BYTES = 32;
const SERVER_KEY = 'Tor safe cookie authentication server-to-controller hash';
const CLIENT_KEY = 'Tor safe cookie authentication controller-to-server hash';
const ANSWER_MS = 60_000;
const SOCKS_PORT = 9050;
const SOCKS_LISTENERS = 'net/listeners/socks=';

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** Connection to the control port. Replies arrive in the order of the commands. */
class TorConnection {
  readonly #socket: net.Socket;
  readonly #waiting: { resolve(reply: TorReply): void; reject(error: Error): void }[] = [];
  #text = '';
  #lines: string[] = [];
  /** True inside the data of a reply line that began with `code+`. The data end with a line of one dot. */
  #inData = false;
  #ended: Error | null = null;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.#takeText(String(text)));
    socket.on('error', (error) => this.#rejectAll(error));
    socket.on('close', () => this.#rejectAll(new Error('Tor closed the connection')));
  }

  /** Sends a command. Rejects when the connection ends, or after a minute without a reply. */
  sendCommand(command: string): Promise<TorReply> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#socket.destroy(new Error('Tor does not answer')), ANSWER_MS);
      const done = (): void => clearTimeout(timer);
      this.#waiting.push({
        resolve: (reply) => {
          done();
          resolve(reply);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#socket.write(`${command}\r\n`);
    });
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.once('close', () => resolve());
    });
  }

  #takeText(text: string): void {
    this.#text += text;
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n')) {
      if (at > MAX_LINE || this.#lines.length === MAX_LINES) break;
      const line = this.#text.slice(0, at).replace(/\r$/, '');
      this.#text = this.#text.slice(at + 1);
      if (this.#inData) {
        if (line === '.') this.#inData = false;
        else this.#lines.push(line);
        continue;
      }
      this.#lines.push(line.slice(4));
      this.#inData = line[3] === '+';
      const code = Number(line.slice(0, 3));
      // '-' and '+' mean that more lines follow. Codes from 600 on are events, which were not requested.
      if (line[3] === ' ') {
        const lines = this.#lines;
        this.#lines = [];
        if (code < 600) this.#waiting.shift()?.resolve({ code, lines });
      }
    }
    if (this.#text.length > MAX_LINE || this.#text.includes('\n')) this.#socket.destroy(new Error('a reply of Tor is too long'));
  }

  #rejectAll(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}

export class TorControl {
  readonly #options: TorControlOptions;
  readonly #events: TorControlEvents;
  readonly #log: Logger;
  readonly #retry = new Retry((worked) => this.#runConnection(worked));
  #socket: net.Socket | null = null;

  constructor(options: TorControlOptions, events: TorControlEvents, log: Logger) {
    this.#options = options;
    this.#events = events;
    this.#log = log;
  }

  /** Connects, and connects again whenever the connection ends. */
  start(): void {
    this.#retry.start();
  }

  /** Disconnects. Tor then removes the service. */
  stop(): void {
    this.#retry.stop();
    this.#socket?.destroy();
  }

  /** Runs one connection until it ends. */
  async #runConnection(worked: () => void): Promise<void> {
    const socket = net.connect(this.#options.control);
    this.#socket = socket;
    const connection = new TorConnection(socket);
    let announced = false;
    try {
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      this.#log.debug('tor', 'Successfully connected!');
      const address = await this.#setUp(connection);
      worked();
      announced = address !== null;
      if (announced) this.#events.service(address);
      // If Tor refused, wait for a new connection: it would refuse again until it is restarted.
      await connection.closed;
    } catch (error) {
      this.#log.debug('tor', `Not connected to Tor control port ${this.#controlAddress()}: ${(error as Error).message}`);
    } finally {
      socket.destroy();
      if (announced && !this.#retry.stopped) this.#events.service(null);
    }
  }

  #controlAddress(): string {
    const { host, port } = this.#options.control;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** @returns the service's address; null if Tor refused, with the reason in the log */
  async #setUp(tor: TorConnection): Promise<NetAddress | null> {
    const refusal = await this.#authenticate(tor);
    if (refusal !== null) {
      this.#log.warn(`tor: ${refusal}`);
      return null;
    }
    this.#events.proxy(socksAddress(await tor.sendCommand('GETINFO net/listeners/socks')));
    return this.#addService(tor);
  }

  /** @returns the reason of a failure; null on success */
  async #authenticate(tor: TorConnection): Promise<string | null> {
    const info = await tor.sendCommand('PROTOCOLINFO 1');
    if (info.code !== OK) return 'Requesting protocol info failed';
    let methods: string[] = [];
    let cookieFile = '';
    for (const line of info.lines) {
      const word = line.split(' ', 1)[0];
      if (word !== 'AUTH') continue;
      const values = keyValues(line.slice(word.length + 1));
      methods = (values.get('METHODS') ?? '').split(',');
      cookieFile = values.get('COOKIEFILE') ?? '';
    }
    const { password } = this.#options;
    if (password !== '') {
      if (!methods.includes('HASHEDPASSWORD'))
        return 'Password provided with -torpassword, but HASHEDPASSWORD authentication is not available';
      return this.#answer(await tor.sendCommand(`AUTHENTICATE ${quoted(password)}`));
    }
    if (methods.includes('NULL')) return this.#answer(await tor.sendCommand('AUTHENTICATE'));
    if (methods.includes('SAFECOOKIE')) return this.#proveCookie(tor, cookieFile);
    if (methods.includes('HASHEDPASSWORD')) {
      return 'The only supported authentication mechanism left is password, but no password provided with -torpassword';
    }
    return 'No supported authentication method';
  }

  #answer({ code }: TorReply): string | null {
    return code === OK ? null : 'Authentication failed';
  }

  /** Proves knowledge of the cookie file without sending its content (SAFECOOKIE). */
  async #proveCookie(tor: TorConnection, file: string): Promise<string | null> {
    let cookie: Buffer;
    try {
      cookie = readCookie(file);
    } catch (error) {
      return `Authentication cookie ${file} could not be opened (check permissions): ${(error as Error).message}`;
    }
    if (cookie.length !== COOKIE_BYTES)
      return `Authentication cookie ${file} is not exactly ${COOKIE_BYTES} bytes, as is required by the spec`;
    const nonce = randomBytes(NONCE_BYTES);
    const challenge = await tor.sendCommand(`AUTHCHALLENGE SAFECOOKIE ${nonce.toString('hex')}`);
    if (challenge.code !== OK) return 'SAFECOOKIE authentication challenge failed';
    const values = keyValues((challenge.lines[0] ?? '').replace(/^AUTHCHALLENGE /, ''));
    const serverHash = Buffer.from(values.get('SERVERHASH') ?? '', 'hex');
    const serverNonce = Buffer.from(values.get('SERVERNONCE') ?? '', 'hex');
    const mac = (key: string): Buffer => createHmac('sha256', key).update(cookie).update(nonce).update(serverNonce).digest();
    const expected = mac(SERVER_KEY);
    const proof = mac(CLIENT_KEY).toString('hex');
    cookie.fill(0);
    if (serverNonce.length !== NONCE_BYTES) return 'Malformed AUTHCHALLENGE reply';
    if (serverHash.length !== expected.length || !timingSafeEqual(serverHash, expected)) {
      return 'The server at the Tor control port does not know the authentication cookie';
    }
    return this.#answer(await tor.sendCommand(`AUTHENTICATE ${proof}`));
  }

  async #addService(tor: TorConnection): Promise<NetAddress | null> {
    const { keyFile, servicePort, target } = this.#options;
    let key = 'NEW:ED25519-V3';
    if (fs.existsSync(keyFile)) key = fs.readFileSync(keyFile, 'latin1').trim();
    const addOnion = (more: string): Promise<TorReply> => tor.sendCommand(`ADD_ONION ${key}${more} Port=${servicePort},${target}`);
    // With a Tor that supports it, clients must do proof of work when the service is flooded.
    let reply = await addOnion(' PoWDefensesEnabled=1');
    if (reply.code === SYNTAX) reply = await addOnion('');
    if (reply.code !== OK) {
      const why = reply.code === UNRECOGNIZED ? 'unrecognized command (You probably should upgrade Tor)' : `error code ${reply.code}`;
      this.#log.warn(`tor: Add onion failed; ${why}`);
      return null;
    }
    const values = new Map(reply.lines.flatMap((line) => [...keyValues(line)]));
    const address = parseHost(`${values.get('ServiceID') ?? ''}.onion`, servicePort);
    if (address === null) {
      this.#log.warn('tor: Error parsing ADD_ONION parameters');
      return null;
    }
    const made = values.get('PrivateKey');
    if (made !== undefined) {
      try {
        fs.mkdirSync(path.dirname(keyFile), { recursive: true, mode: 0o700 });
        replaceFileSync(keyFile, made);
        this.#log.debug('tor', `Cached service private key to ${keyFile}`);
      } catch (error) {
        this.#log.warn(`tor: Error writing service private key to ${keyFile}: ${(error as Error).message}`);
      }
    }
    this.#log.info(`Got tor service ID ${values.get('ServiceID')}, advertising service ${values.get('ServiceID')}.onion:${servicePort}`);
    return address;
  }
}

/** Reads up to one byte more than a cookie has, so that the caller recognises a file that is too long. */
function readCookie(file: string): Buffer {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(COOKIE_BYTES + 1);
    return bytes.subarray(0, fs.readSync(handle, bytes));
  } finally {
    fs.closeSync(handle);
  }
}

/** Returns the first SOCKS listener on this machine; the usual address if Tor does not report any. */
function socksAddress({ code, lines }: TorReply): Endpoint {
  const usual: Endpoint = { host: '127.0.0.1', port: SOCKS_PORT };
  if (code !== OK) return usual;
  const [listed = ''] = lines.filter((line) => line.startsWith(SOCKS_LISTENERS));
  const texts = listed.slice(SOCKS_LISTENERS.length).split(' ');
  const places = texts
    .map((text) => splitHostPort(text.replaceAll('"', ''), SOCKS_PORT))
    .filter((place) => place !== null)
    .filter(({ host }) => host !== '');
  const local = places.filter(({ host }) => host.startsWith('127.') || host === '::1');
  return local[0] ?? places[0] ?? usual;
}
