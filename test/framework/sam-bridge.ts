// The SAM bridge (version 3.1) of an I2P router for tests, whose network has no other nodes: sessions, names, and
// streams between sessions. Tests can make it give wrong replies.
import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';

/** Returns Base64 with I2P's last two letters. */
export const i2pBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '~');
const fromI2pBase64 = (text: string): Buffer => Buffer.from(text.replaceAll('-', '+').replaceAll('~', '/'), 'base64');

/**
 * Returns a new private key: a destination of 391 bytes, whose last seven are a certificate with four bytes of content,
 * and 64 more bytes.
 */
export function newPrivateKey(): Buffer {
  return Buffer.concat([randomBytes(384), Buffer.of(5, 0, 4, 0, 7, 0, 0), randomBytes(64)]);
}
export const destinationOf = (privateKey: Uint8Array): Uint8Array => privateKey.subarray(0, 391);

/** Returns the name of a destination. */
export function nameOf(destination: Uint8Array): string {
  const bits = [...createHash('sha256').update(destination).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g)!.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return `${letters.join('')}.b32.i2p`;
}

interface Session {
  readonly destination: Uint8Array;
  readonly control: net.Socket;
  /** Socket that waits for a peer to connect. */
  waiting: net.Socket | null;
}

/** Text to send instead of a reply. `ends`: the bridge closes the connection afterwards. */
export interface WrongReply {
  readonly text: string;
  readonly ends?: boolean;
}

export class SamBridge {
  /** Requests in order of arrival. */
  readonly said: string[] = [];
  readonly sessions = new Map<string, Session>();
  /** Wrong replies by the beginning of the request. */
  readonly wrong = new Map<string, WrongReply>();
  readonly sockets = new Set<net.Socket>();
  readonly #names = new Map<string, Uint8Array>();
  readonly #server: net.Server;
  readonly port: number;

  private constructor(server: net.Server) {
    this.#server = server;
    this.port = (server.address() as net.AddressInfo).port;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      this.#serve(socket);
    });
  }

  static async open(port = 0): Promise<SamBridge> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new SamBridge(server);
  }

  /** Returns the number of requests that begin with a text. */
  count(beginning: string): number {
    return this.said.filter((line) => line.startsWith(beginning)).length;
  }

  /** Closes the bridge and all sessions. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: net.Socket): void {
    let text = '';
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\n');
      if (end < 0) return;
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      this.said.push(line);
      const wrong = [...this.wrong].find(([beginning]) => line.startsWith(beginning))?.[1];
      if (wrong !== undefined) {
        if (wrong.ends === true) socket.end(wrong.text, 'latin1');
        else socket.write(wrong.text, 'latin1');
        return;
      }
      const reply = this.#answer(socket, line, () => socket.off('data', read));
      // Send the reply in two pieces: clients must not expect a whole line in one piece.
      socket.write(reply.slice(0, 7));
      setImmediate(() => socket.write(`${reply.slice(7)}\n`));
    };
    socket.on('data', read);
  }

  #answer(socket: net.Socket, line: string, handOver: () => void): string {
    const value = (key: string): string => new RegExp(` ${key}=(\\S+)`).exec(line)?.[1] ?? '';
    if (line === 'HELLO VERSION MIN=3.1 MAX=3.1') return 'HELLO REPLY RESULT=OK VERSION=3.1';
    if (line.startsWith('DEST GENERATE SIGNATURE_TYPE=7')) {
      const key = newPrivateKey();
      return `DEST REPLY PUB=${i2pBase64(destinationOf(key))} PRIV=${i2pBase64(key)}`;
    }
    if (line.startsWith('SESSION CREATE STYLE=STREAM ')) {
      const key = value('DESTINATION') === 'TRANSIENT' ? newPrivateKey() : fromI2pBase64(value('DESTINATION'));
      const [id, destination] = [value('ID'), destinationOf(key)];
      this.sessions.set(id, { destination, control: socket, waiting: null });
      this.#names.set(nameOf(destination), destination);
      socket.on('close', () => this.sessions.delete(id));
      return `SESSION STATUS RESULT=OK DESTINATION=${i2pBase64(key)}`;
    }
    if (line.startsWith('NAMING LOOKUP ')) {
      const found = this.#names.get(value('NAME'));
      return found === undefined
        ? `NAMING REPLY RESULT=KEY_NOT_FOUND NAME=${value('NAME')}`
        : `NAMING REPLY RESULT=OK NAME=${value('NAME')} VALUE=${i2pBase64(found)}`;
    }
    const session = this.sessions.get(value('ID'));
    if (session === undefined) return 'STREAM STATUS RESULT=INVALID_ID MESSAGE="no such session"';
    if (line.startsWith('STREAM ACCEPT ')) {
      handOver();
      session.waiting = socket;
      return 'STREAM STATUS RESULT=OK';
    }
    const other = [...this.sessions.values()].find(({ destination }) => i2pBase64(destination) === value('DESTINATION'))?.waiting;
    if (other === undefined || other === null) return 'STREAM STATUS RESULT=CANT_REACH_PEER MESSAGE="nobody there"';
    handOver();
    for (const each of this.sessions.values()) if (each.waiting === other) each.waiting = null;
    other.write(`${i2pBase64(session.destination)}\n`);
    setImmediate(() => setImmediate(() => socket.pipe(other).pipe(socket)));
    return 'STREAM STATUS RESULT=OK';
  }
}
