// Peers in I2P, over the SAM bridge of an I2P router (version 3.1, geti2p.net/en/docs/api/samv3; Core's i2p.cpp). A
// session is an own I2P address and lasts as long as its control connection to the bridge. Each stream to or from a
// peer is another connection to the bridge.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { replaceFileSync } from '../../lib/durable-file.js';
import type { Logger } from '../../log/logger.js';
import { Retry } from '../retry.js';
import { keyValues } from '../wire/key-values.js';
import { addressText, hostText, type NetAddress } from '../wire/net-address.js';
import { openSocket } from './open-socket.js';
import type { Endpoint } from './peer-connection.js';
import { readLine } from './socket-reader.js';

export interface I2pOptions {
  readonly bridge: Endpoint;
  /** File with the private key of the lasting address; null: no inbound connections, and each outbound one uses another address. */
  readonly keyFile: string | null;
  /** Time that a connection to the bridge may take. */
  readonly connectTimeoutMs: number;
}

export interface I2pEvents {
  inbound(stream: Stream, from: NetAddress): void;
  /** Called when peers can connect to this address; null when they no longer can. */
  own(address: NetAddress | null): void;
}

/** Version 3.1 has no ports. */
const PORT = 0;
/** Longest line that is accepted from the bridge (Core's MAX_MSG_SIZE). */
const MAX_LINE = 65_536;
/** Maximum number of characters of a line that are repeated in the log. */
const MAX_QUOTE = 200;
/** Time for a reply. The router may have to ask its network first. */
const REPLY_MS = 180_000;
/** Maximum number of sessions that are kept for later connections after their own connection attempt has failed. */
const MAX_UNUSED = 10;
/** Length of a destination before its certificate. Its last two bytes are the length of the certificate. */
const DESTINATION_BYTES = 387;
/** EdDSA_SHA512_Ed25519, by the number that i2pd before 2.24.0 needs. */
const SIGNATURE = 'SIGNATURE_TYPE=7';
const FROM = 'I2P SAM';

/** Refusal by the bridge, with its RESULT word. */
class SamRefusal extends Error {
  readonly result: string;
  constructor(request: string, result: string) {
    super(`"${request}" was answered with ${quote(result)}`);
    this.result = result;
  }
}

interface Session {
  readonly id: string;
  readonly own: NetAddress;
  /** Control connection to the bridge. When it ends, the session ends. */
  readonly control: Socket;
}

/** A connection to or from a peer. */
interface Stream {
  readonly socket: Socket;
  /** Own address of the stream. */
  readonly own: NetAddress;
}

/** One own I2P address. The session is created when it is first needed, and again after it was lost. */
class SamSession {
  readonly #options: I2pOptions;
  readonly #keyFile: string | null;
  readonly #log: Logger;
  /** Connections to the bridge that are not streams yet, and the control connection. */
  readonly #sockets = new Set<Socket>();
  #session: Promise<Session> | null = null;
  #closed = false;

  /** @param keyFile null: an address for this session only */
  constructor(options: I2pOptions, keyFile: string | null, log: Logger) {
    this.#options = options;
    this.#keyFile = keyFile;
    this.#log = log;
  }

  /** Opens a stream to an address. @throws Error with a short reason */
  async connect(to: NetAddress): Promise<Stream> {
    const { id, own, control } = await this.#open();
    const stream = await this.#request(control, own, async (socket) => {
      const destination = await requestSam(socket, `NAMING LOOKUP NAME=${hostText(to)}`, 'VALUE');
      if (Buffer.compare(addressOf(fromBase64(destination)).bytes, to.bytes) !== 0) throw new Error('found a destination of another name');
      await requestSam(socket, `STREAM CONNECT ID=${id} DESTINATION=${destination} SILENT=false`, 'RESULT', 'STREAM CONNECT');
    });
    this.#sockets.delete(stream.socket);
    return stream;
  }

  /** Asks the router to accept one peer. @throws Error with a short reason */
  async listen(): Promise<Stream> {
    const { id, own, control } = await this.#open();
    return this.#request(control, own, async (socket) => {
      await requestSam(socket, `STREAM ACCEPT ID=${id} SILENT=false`, 'RESULT', 'STREAM ACCEPT');
    });
  }

  /** Waits for the peer of a listening stream. @throws Error with a short reason */
  async accept({ socket }: Stream): Promise<NetAddress> {
    try {
      const line = await readLine(socket, MAX_LINE, FROM);
      // Instead of a destination, the bridge may report that the session is invalid.
      if (line.includes('RESULT=I2P_ERROR')) {
        this.#endSession();
        throw new Error(`the session is gone: ${quote(line)}`);
      }
      return addressOf(fromBase64(line));
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      this.#sockets.delete(socket);
    }
  }

  /** Ends the session and its streams. */
  close(): void {
    this.#closed = true;
    this.#endSession();
  }

  #endSession(): void {
    this.#session = null;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Requests a stream of a session on a new connection to the bridge. */
  async #request(control: Socket, own: NetAddress, negotiate: (socket: Socket) => Promise<void>): Promise<Stream> {
    const socket = await this.#hello();
    try {
      await negotiate(socket);
      if (control.destroyed || socket.destroyed) throw new Error('the session ended');
      return { socket, own };
    } catch (error) {
      socket.destroy();
      if (error instanceof SamRefusal && error.result === 'INVALID_ID') control.destroy();
      throw error;
    }
  }

  #open(): Promise<Session> {
    if (this.#session === null) {
      const session = this.#create();
      this.#session = session;
      const lost = (): void => {
        if (this.#session === session) this.#endSession();
      };
      session.then(({ id, control }) => {
        control.once('close', () => {
          this.#log.info(`Destroying I2P SAM session ${id}`);
          lost();
        });
        if (control.destroyed) lost();
      }, lost);
    }
    return this.#session;
  }

  async #create(): Promise<Session> {
    const kind = this.#keyFile === null ? 'transient' : 'persistent';
    const id = randomBytes(5).toString('hex');
    this.#log.debug('i2p', `Creating ${kind} I2P SAM session ${id} with ${placeText(this.#options.bridge)}`);
    const control = await this.#hello();
    try {
      const own = addressOf(
        this.#keyFile === null ? await createTransient(control, id) : await this.#createLasting(control, id, this.#keyFile),
      );
      // Keep reading the control connection, to notice its end. The bridge sends nothing more.
      control.resume();
      this.#log.info(`${kind === 'transient' ? 'Transient' : 'Persistent'} I2P SAM session ${id} created, my address=${addressText(own)}`);
      return { id, own, control };
    } catch (error) {
      control.destroy();
      throw error;
    }
  }

  /** @returns the private key of the session, as in the file */
  async #createLasting(control: Socket, id: string, file: string): Promise<Uint8Array> {
    let key: Uint8Array;
    if (fs.existsSync(file)) key = fs.readFileSync(file);
    else {
      key = fromBase64(await requestSam(control, `DEST GENERATE ${SIGNATURE}`, 'PRIV'));
      // Throws before an invalid key is stored.
      addressOf(key);
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      replaceFileSync(file, key);
    }
    const request = `SESSION CREATE STYLE=STREAM ID=${id} DESTINATION=${toBase64(key)} ${tunnels(3)}`;
    await requestSam(control, request, 'RESULT', 'SESSION CREATE');
    return key;
  }

  /** Opens a connection to the bridge. */
  async #hello(): Promise<Socket> {
    if (this.#closed) throw new Error('closed');
    const { bridge, connectTimeoutMs } = this.#options;
    const socket = await openSocket(bridge, connectTimeoutMs, this.#sockets).catch((error: Error) => {
      throw new Error(`Cannot connect to ${placeText(bridge)}: ${error.message}`);
    });
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    await requestSam(socket, 'HELLO VERSION MIN=3.1 MAX=3.1', 'RESULT');
    return socket;
  }
}

/** Outbound connections to I2P addresses, and inbound ones to the own address. */
export class I2p {
  readonly #options: I2pOptions;
  readonly #log: Logger;
  /** Session of the lasting address. */
  readonly #lasting: SamSession | null;
  readonly #unused: SamSession[] = [];
  /** Sessions for one outbound connection each, in use or not. */
  readonly #transient = new Set<SamSession>();
  #accepting: Retry | null = null;
  #stopped = false;

  constructor(options: I2pOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#lasting = options.keyFile === null ? null : new SamSession(options, options.keyFile, log);
  }

  /**
   * Connects to an address.
   * @param apart whether to use an own address that is used for nothing else
   * @param named whether the log may contain the address
   * @throws Error with a short reason
   */
  async dial(to: NetAddress, apart: boolean, named: boolean): Promise<Stream> {
    const where = named ? addressText(to) : 'a peer';
    if (to.port !== PORT) {
      this.#log.debug('i2p', `Error connecting to ${where}, connection refused due to arbitrary port ${to.port}`);
      throw new Error('I2P has no ports');
    }
    try {
      return this.#lasting === null || apart ? await this.#dialOnce(to) : await this.#lasting.connect(to);
    } catch (error) {
      this.#log.debug('i2p', `Error connecting to ${where}: ${(error as Error).message}`);
      throw error;
    }
  }

  /** Connects from an address that lasts as long as the stream. */
  async #dialOnce(to: NetAddress): Promise<Stream> {
    const session = this.#unused.pop() ?? new SamSession(this.#options, null, this.#log);
    this.#transient.add(session);
    const end = (): void => {
      this.#transient.delete(session);
      session.close();
    };
    try {
      const stream = await session.connect(to);
      stream.socket.once('close', end);
      return stream;
    } catch (error) {
      if (this.#unused.length < MAX_UNUSED && !this.#stopped) this.#unused.push(session);
      else end();
      throw error;
    }
  }

  /** Accepts inbound connections if there is a lasting address. */
  listen(events: I2pEvents): void {
    const session = this.#lasting;
    if (session === null) return;
    let announced: NetAddress | null = null;
    const announce = (own: NetAddress | null): void => {
      if (announced === own) return;
      announced = own;
      if (!this.#stopped) events.own(own);
    };
    const acceptAll = async (worked: () => void): Promise<void> => {
      while (!this.#stopped) {
        const listening = await session.listen().catch((error: Error) => {
          announce(null);
          throw error;
        });
        announce(listening.own);
        const from = await session.accept(listening);
        worked();
        events.inbound(listening, from);
      }
    };
    this.#accepting = new Retry((worked) =>
      acceptAll(worked).catch((error: Error) => {
        if (!this.#stopped) this.#log.warn(`No connections from I2P peers are accepted: ${error.message}`);
      }),
    );
    this.#accepting.start();
  }

  stop(): void {
    this.#stopped = true;
    this.#accepting?.stop();
    this.#lasting?.close();
    for (const session of this.#transient) session.close();
  }
}

/**
 * Returns tunnel options: few tunnels for a single outbound connection, more for a session that accepts inbound
 * connections.
 */
const tunnels = (quantity: number): string => `i2cp.leaseSetEncType=4,0 inbound.quantity=${quantity} outbound.quantity=${quantity}`;

/** @returns the private key of the session */
async function createTransient(control: Socket, id: string): Promise<Uint8Array> {
  const request = `SESSION CREATE STYLE=STREAM ID=${id} DESTINATION=TRANSIENT ${SIGNATURE} ${tunnels(1)}`;
  return fromBase64(await requestSam(control, request, 'DESTINATION', 'SESSION CREATE'));
}

/**
 * Sends a request and returns a value of the reply. Closes the connection if no reply arrives.
 * @param wanted name of the value
 * @param shown text of the request in errors, without keys
 * @throws SamRefusal; Error with a short reason
 */
async function requestSam(socket: Socket, request: string, wanted: string, shown = request): Promise<string> {
  const timer = setTimeout(() => socket.destroy(new Error('no reply')), REPLY_MS);
  try {
    socket.write(`${request}\n`);
    const reply = keyValues(await readLine(socket, MAX_LINE, FROM));
    const result = reply.get('RESULT');
    if (result !== undefined && result !== 'OK') throw new SamRefusal(shown, result);
    const value = reply.get(wanted);
    if (value === undefined) throw new Error(`no ${wanted}= in the reply to "${shown}"`);
    return value;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the address of bytes that begin with a destination, as a private key does. @throws Error */
function addressOf(bytes: Uint8Array): NetAddress {
  const [high = 0, low = 0] = bytes.subarray(DESTINATION_BYTES - 2, DESTINATION_BYTES);
  const length = DESTINATION_BYTES + ((high << 8) | low);
  if (bytes.length < length) throw new Error(`a destination of ${length} bytes within ${bytes.length}`);
  const hash = createHash('sha256').update(bytes.subarray(0, length)).digest();
  return { network: 'i2p', bytes: new Uint8Array(hash), port: PORT };
}

/** Decodes I2P's Base64, which has - and ~ for + and /. @throws Error that does not repeat the text: it may be a key */
function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9~-]+={0,2}$/.test(text)) throw new Error('not Base64 of I2P');
  return new Uint8Array(Buffer.from(text.replaceAll('-', '+').replaceAll('~', '/'), 'base64'));
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '~');

const quote = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTE));

const placeText = ({ host, port }: Endpoint): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
