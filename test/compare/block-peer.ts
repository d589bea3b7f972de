// A peer that sends blocks in every possible way, and reports what the node did.
import { sipHash24, sipKey } from '../../src/crypto/siphash.js';
import { compactSize, hash256, sha256 } from '../framework/messages.js';
import { headersPayload, P2pClient } from '../framework/p2p-client.js';
import { blockBytes } from './coins.js';

/** block: unrequested; headers: the header first; compact: as a compact block (BIP-0152). */
export type Way = 'block' | 'headers' | 'compact';

/** A block that is to be sent. */
export interface Delivery {
  readonly way: Way;
  readonly header: Buffer;
  /** Serialised transactions. */
  readonly body: readonly Buffer[];
  /** Headers to send before the block's own. Their blocks are withheld. */
  readonly ahead?: readonly Buffer[];
}

/** Reads one of BIP-0152's differences, or a count. */
function readCompactSize(bytes: Buffer, at: number): [value: number, next: number] {
  const first = bytes[at]!;
  return first < 253 ? [first, at + 1] : [bytes.readUInt16LE(at + 1), at + 3];
}

/** Reaction of one node to a block. */
export interface Brought {
  /** Commands that the node sent, in order. */
  readonly asked: string;
  readonly hungUp: boolean;
}

export class BlockPeer {
  readonly #port: number;
  #peer: P2pClient | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async bring(delivery: Delivery): Promise<Brought> {
    const asked: string[] = [];
    const hungUp = await this.#tell(delivery, asked);
    // Send the whole block too, so that the node has seen all of it, whichever transactions it requested.
    if (delivery.way === 'compact') await this.#tell({ ...delivery, way: 'block' }, []);
    return { asked: asked.join(), hungUp };
  }

  /** Closes the connection, so that the next block comes from another peer. */
  leave(): void {
    this.#peer?.close();
    this.#peer = undefined;
  }

  /** @returns true if the node closed the connection */
  async #tell({ header, body, way, ahead }: Delivery, asked: string[]): Promise<boolean> {
    const peer = await this.#connected();
    peer.received.length = 0;
    try {
      if (ahead !== undefined) await this.#send(peer, asked, 'headers', headersPayload(ahead));
      if (way === 'headers') await this.#send(peer, asked, 'headers', headersPayload([header]));
      if (way === 'compact') {
        const request = await this.#send(peer, asked, 'cmpctblock', compactBlock(header, body));
        if (request !== undefined) await this.#send(peer, asked, 'blocktxn', blockTxn(request, body));
      } else {
        await this.#send(peer, asked, 'block', blockBytes(header, body));
      }
    } catch (error) {
      if (!peer.closed) throw error;
    }
    return peer.closed;
  }

  async #connected(): Promise<P2pClient> {
    if (this.#peer !== undefined && (await heard(this.#peer))) return this.#peer;
    this.#peer = await P2pClient.connect(this.#port, { startHeight: 1 });
    // Compact blocks of version 2, announced by inv: Core passes over those of a peer that never said so.
    this.#peer.send('sendcmpct', Buffer.of(0, 2, 0, 0, 0, 0, 0, 0, 0));
    return this.#peer;
  }

  /**
   * Sends a message and waits until the node has processed it and sent its requests.
   * @returns a request for transactions of a block
   */
  async #send(peer: P2pClient, asked: string[], command: string, payload: Buffer): Promise<Buffer | undefined> {
    peer.send(command, payload);
    // The node sends requests after a message, before it processes the next one. So wait for two replies.
    for (let i = 0; i < 2; i++) await peer.sync();
    for (const { command } of peer.received) if (command === 'getdata' || command === 'getblocktxn') asked.push(command);
    const request = peer.received.find(({ command }) => command === 'getblocktxn')?.payload;
    peer.received.length = 0;
    return request;
  }
}

/**
 * Returns true if the connection still stands after two messages. If a call brings a mutated copy, Core disconnects the
 * peer that sent the block itself, at its next message. 0.21.1 measures a peer's silence by the mocked clock.
 */
export async function heard(peer: P2pClient): Promise<boolean> {
  try {
    for (let i = 0; i < 2; i++) await peer.sync();
  } catch (error) {
    if (!peer.closed) throw error;
  }
  return !peer.closed;
}

/** The compact block contains the coinbase, and short ids for all other transactions. */
function compactBlock(header: Buffer, body: readonly Buffer[]): Buffer {
  const nonce = Buffer.alloc(8, 3);
  const key = sipKey(sha256(Buffer.concat([header, nonce])));
  const short = body.slice(1).map((tx) => {
    const [low, high] = sipHash24(key, hash256(tx));
    const bytes = Buffer.alloc(6);
    bytes.writeUInt32LE(low >>> 0, 0);
    bytes.writeUInt16LE(high & 0xffff, 4);
    return bytes;
  });
  const known = body.length === 0 ? [compactSize(0)] : [compactSize(1), compactSize(0), body[0]!];
  return Buffer.concat([header, nonce, compactSize(short.length), ...short, ...known]);
}

/** @param request payload of getblocktxn: hash, count, differences of indexes */
function blockTxn(request: Buffer, body: readonly Buffer[]): Buffer {
  let [count, at] = readCompactSize(request, 32);
  const found: Buffer[] = [];
  for (let index = -1; count > 0; count--) {
    const [skipped, next] = readCompactSize(request, at);
    at = next;
    index += skipped + 1;
    found.push(body[index] ?? Buffer.alloc(0));
  }
  return Buffer.concat([request.subarray(0, 32), compactSize(found.length), ...found]);
}
