// Targets that ask a live node: every call with random and damaged arguments, in batches and alone, and bytes that are
// hardly HTTP on raw sockets of both ports.
import net from 'node:net';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { encodeFrame, FrameReader } from '../../../src/net/wire/frame.js';
import { encodeVersion } from '../../../src/net/wire/messages.js';
import type { Dice } from './dice.js';
import { textOf, utf8, wordsOf } from './dice.js';
import type { LiveNode } from './live-node.js';
import { messageNames, randomPayload } from './peer-targets.js';
import { RequestMaker } from './request-maker.js';
import { Find, type SlowTarget } from './target.js';

/** The nonce of the ping whose reply marks the end of the replies. */
const PROBE = Uint8Array.of(0xf0, 0x0d, 0xf0, 0x0d, 1, 2, 3, 4);

const STATUSES = new Set([200, 204, 400, 403, 404, 500]);
const BATCH = 64;
/** A reply that takes longer is a find. The limit is generous, because the machine may be busy. */
const ALONE_MS = 20_000;
const TOGETHER_MS = 60_000;
const PATH_KINDS = ['/', '/wallet/w1', '/wallet/w1', '/wallet/w1', '/wallet/w2', '/wallet/none'];

/** Returns the fault of an element of a reply, or null. */
function elementFault(one: unknown): string | null {
  if (typeof one !== 'object' || one === null) return 'no envelope';
  const { error } = one as { error?: { code: unknown; message: unknown } | null };
  if (error && (!Number.isInteger(error.code) || typeof error.message !== 'string')) return 'no error object';
  return 'result' in one || error ? null : 'neither result nor error';
}

/** Returns the fault of a whole reply, or null. */
function replyFault({ status, body }: { status: number; body: string }): string | null {
  if (!STATUSES.has(status)) return `status ${status}`;
  if (body === '') return status === 204 ? null : `an empty body with ${status}`;
  if (!body.endsWith('\n')) return 'no line end';
  try {
    const parsed = JSON.parse(body) as unknown;
    for (const one of Array.isArray(parsed) ? parsed : [parsed]) {
      const fault = elementFault(one);
      if (fault !== null) return fault;
    }
    return null;
  } catch {
    return `no JSON: ${body.slice(0, 200)}`;
  }
}

/** JSON-RPC to a live node. An input is a request as text, most of them whole, some damaged. */
export function rpcTarget(live: LiveNode): SlowTarget {
  const maker = new RequestMaker(live.vocabulary);
  const words = wordsOf('{', '}', '[', ']', ',', ':', '"', 'null', '1e5', '\\u0000');
  const whole = (input: Uint8Array): boolean => {
    try {
      return typeof JSON.parse(textOf(input)) === 'object';
    } catch {
      return false;
    }
  };
  let turn = 0;
  const ask = async (body: string | Uint8Array, inputs: readonly Uint8Array[]): Promise<number> => {
    let good = 0;
    const uri = PATH_KINDS[turn++ % PATH_KINDS.length];
    const patienceMs = inputs.length === 1 ? ALONE_MS : TOGETHER_MS;
    const fault = await live.post(body, uri, patienceMs).then(
      (reply) => {
        good += (reply.body.match(/"error":null/g) ?? []).length;
        return replyFault(reply) ?? live.faults[0];
      },
      (error: Error) => error.message,
    );
    live.faults = [];
    if (fault === undefined) return good;
    // Each input of a failed batch is sent alone, to find out which of them failed.
    if (inputs.length > 1) for (const input of inputs) await ask(input, [input]);
    throw new Find(fault, inputs.length === 1 ? inputs[0] : utf8(textOf(utf8(String(body)))));
  };
  return {
    name: 'rpc',
    share: 8,
    make(dice) {
      const request = utf8(maker.make(dice));
      return dice.oneIn(24) ? dice.mutate(request, words) : request;
    },
    async checkAll(inputs) {
      let good = 0;
      const alone = inputs.filter((input) => !whole(input));
      const together = inputs.filter(whole);
      for (let at = 0; at < together.length; at += BATCH) {
        const part = together.slice(at, at + BATCH);
        good += await ask(`[${part.map(textOf).join(',')}]`, part);
      }
      for (const input of alone) good += await ask(input, [input]);
      // Undo mocked times, invalidated blocks and other settings, so that the node works for the next cases.
      await live.call('setmocktime', [0]);
      if (!Number.isInteger(await live.call('getblockcount'))) throw new Find('the node answers no longer');
      return good;
    },
    close: async () => {},
  };
}

const HEADS = [
  'POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ZnV6ejpmdXp6\r\nContent-Length: 36\r\n\r\n{"id":1,"method":"getblockcount"}   ',
  'POST / HTTP/1.0\r\nAuthorization: Basic ZnV6ejpmdXp6\r\nContent-Length: 33\r\n\r\n{"id":1,"method":"getblockcount"}',
  'POST / HTTP/1.1\nHost: x\nAuthorization: Basic ZnV6ejpmdXp6\nContent-Length: 33\n\n{"id":1,"method":"getblockcount"}',
  'POST /wallet/w1 HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ZnV6ejpmdXp6\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n0\r\n\r\n',
  'GET /template/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ZnV6ejpmdXp6\r\n\r\n',
  'OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n',
  'GET /%00%ff?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
];
const httpWords = wordsOf(
  '\r\n',
  '\n',
  ' ',
  ':',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/1.1',
  'HTTP/9.9',
  '\r\n\r\n',
  '/wallet/',
  '%00',
  'Connection: close\r\n',
  '0\r\n\r\n',
  'ffffffff\r\n',
);

/** Time to wait for a reply on a socket that sends nothing. */
const SILENCE_MS = 30;

/** Bytes on raw sockets; a reply must look like one, and the node must answer afterwards. */
export function httpTarget(live: LiveNode): SlowTarget {
  const send = (input: Uint8Array, port: number): Promise<Buffer> =>
    new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const socket = net.connect(port, '127.0.0.1');
      const end = (): void => {
        socket.destroy();
        resolve(Buffer.concat(chunks));
      };
      socket.setNoDelay(true);
      socket.setTimeout(SILENCE_MS, end);
      socket.on('connect', () => socket.write(input));
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        // Every reply that is expected here fits into one packet, so the first data are enough.
        socket.setTimeout(2, end);
      });
      socket.on('close', end);
      socket.on('error', end);
    });
  return {
    name: 'http',
    share: 0.2,
    make: (dice: Dice) => (dice.oneIn(8) ? dice.bytes(dice.below(100)) : dice.mutate(utf8(dice.pick(HEADS)), httpWords)),
    async checkAll(inputs) {
      let good = 0;
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < inputs.length) {
          const input = inputs[next++];
          const reply = (await send(input, live.port)).toString('latin1');
          if (reply === '') continue;
          good++;
          if (!/^HTTP\/1\.[01] [1-5]\d\d [A-Z]/.test(reply))
            throw new Find(`no reply of HTTP: ${JSON.stringify(reply.slice(0, 100))}`, input);
          if (live.faults.length > 0) throw new Find(live.faults.splice(0)[0], input);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      if (!Number.isInteger(await live.call('getblockcount'))) throw new Find('the node answers no longer');
      return good;
    },
    close: () => live.close(),
  };
}

/** Messages whose payloads are made up here, because they are whole transactions, blocks, or nearly nothing. */
const OTHER_MESSAGES = [
  ...'tx block getdata getblocks notfound feefilter pong mempool getaddr sendheaders verack filterload'.split(' '),
  ...'merkleblock x'.split(' '),
];
const MESSAGES = [...messageNames, ...OTHER_MESSAGES];
/**
 * Number of inputs that one connection sends. Some inputs end the connection, and the ones after them are then not
 * processed.
 */
const PER_CONNECTION = 4;
const { magic } = chainParams('regtest');
const hashes = createNativeHashes();

const frame = (command: string, payload: Uint8Array): Uint8Array => encodeFrame(magic, command, payload, hashes);

function versionMessage(nonce: bigint): Uint8Array {
  const fields = { version: 70016, services: 9n, time: 1_700_000_000n, addressOfReceiver: null, addressOfSender: null };
  return frame('version', encodeVersion({ ...fields, nonce, userAgent: '/fuzz:1/', startHeight: 0, relay: true }));
}

/** A peer that completes the handshake and then sends anything. An input is the message's number and its payload. */
export function peerTarget(live: LiveNode): SlowTarget {
  let nonce = 1n;
  /** @returns true if the node still answered at the end */
  const say = (inputs: readonly Uint8Array[]): Promise<boolean> =>
    new Promise((resolve) => {
      const reader = new FrameReader(magic, hashes);
      const socket = net.connect(live.peerPort, '127.0.0.1');
      let open = false;
      const end = (answered: boolean): void => {
        socket.destroy();
        resolve(answered);
      };
      socket.setTimeout(5000, () => end(false));
      socket.on('close', () => resolve(false));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.write(versionMessage(++nonce)));
      socket.on('data', (chunk) => {
        reader.push(chunk);
        for (let message = reader.next(); message !== null; message = reader.next()) {
          if (message.command === 'verack' && !open) {
            open = true;
            socket.write(frame('verack', new Uint8Array(0)));
            for (const input of inputs) socket.write(frame(MESSAGES[(input[0] ?? 0) % MESSAGES.length], input.subarray(1)));
            socket.write(frame('ping', PROBE));
          } else if (message.command === 'pong' && message.payload !== null && Buffer.compare(message.payload, PROBE) === 0) end(true);
        }
      });
    });
  return {
    name: 'p2p',
    share: 1,
    make(dice) {
      const place = dice.below(MESSAGES.length);
      const { hex } = live.vocabulary;
      const payload =
        place < messageNames.length
          ? randomPayload(dice, place)
          : dice.mutate(dice.oneIn(2) ? new Uint8Array(Buffer.from(dice.pick(hex), 'hex')) : dice.bytes(dice.below(80)));
      return Uint8Array.from([place, ...payload]);
    },
    async checkAll(inputs) {
      // Random calls may have closed all connections.
      await live.call('setnetworkactive', [true]);
      let good = 0;
      for (let at = 0; at < inputs.length; at += PER_CONNECTION) {
        const part = inputs.slice(at, at + PER_CONNECTION);
        if (await say(part)) good += part.length;
        if (live.faults.length === 0) continue;
        const [fault] = live.faults.splice(0);
        // Each input is sent alone, to find out which of them failed.
        for (const input of part) {
          await say([input]);
          if (live.faults.length > 0) throw new Find(live.faults.splice(0)[0], input);
        }
        throw new Find(fault);
      }
      if (!Number.isInteger(await live.call('getblockcount'))) throw new Find('the node answers no longer');
      return good;
    },
    close: async () => {},
  };
}
