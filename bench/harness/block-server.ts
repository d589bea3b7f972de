// A peer that only serves a chain: it answers getheaders, getdata and ping with prepared bytes, so that a bench
// measures the node that downloads. Runs in a process of its own and implements the protocol independently of src/. The
// file of blocks may be larger than memory.
//
//   node build/bench/harness/block-server.js FILE      prints its port; ends with its input
import fs from 'node:fs';
import net from 'node:net';
import { compactSize, hash256 } from '../../test/framework/messages.js';
import { framed, headersPayload, versionPayload } from '../../test/framework/p2p-client.js';

const HEAD = 24;
const HEADER = 80;
const MAX_HEADERS = 2_000;
const file = fs.openSync(process.argv[2] as string, 'r');
const magic = framed('ping').subarray(0, 4);

function read(at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (fs.readSync(file, bytes, 0, length, at) !== length) throw new Error('the file of blocks ends early');
  return bytes;
}

/**
 * Positions of the `block` messages in the file, and headers, both by height from 1 on; heights by block hash, with
 * genesis at 0.
 */
const messages: (readonly [begin: number, end: number])[] = [[0, 0]];
const headers: Buffer[] = [Buffer.alloc(0)];
const heights = new Map<string, number>();
for (let at = 0; at < fs.fstatSync(file).size; ) {
  const top = read(at, HEAD + HEADER);
  const end = at + HEAD + top.readUInt32LE(16);
  const header = top.subarray(HEAD);
  if (heights.size === 0) heights.set(header.toString('latin1', 4, 36), 0);
  heights.set(hash256(header).toString('latin1'), messages.length);
  messages.push([at, end]);
  headers.push(header);
  at = end;
}

function answer(socket: net.Socket, command: string, payload: Buffer): void {
  if (command === 'version') {
    socket.write(framed('version', versionPayload({ startHeight: messages.length - 1 })));
    socket.write(framed('verack'));
  } else if (command === 'ping') socket.write(framed('pong', payload));
  else if (command === 'getheaders') {
    let from = 0;
    // The hashes of the locator follow the version and the count, newest first.
    for (let at = 4 + compactSize(payload[4] as number).length; at + 32 <= payload.length - 32; at += 32) {
      const height = heights.get(payload.toString('latin1', at, at + 32));
      if (height === undefined) continue;
      from = height;
      break;
    }
    socket.write(framed('headers', headersPayload(headers.slice(from + 1, from + 1 + MAX_HEADERS))));
  } else if (command === 'getdata') {
    socket.cork();
    for (let at = 1; at + 36 <= payload.length; at += 36) {
      const height = heights.get(payload.toString('latin1', at + 4, at + 36));
      if (height === undefined || height === 0) continue;
      const [begin, end] = messages[height]!;
      socket.write(read(begin, end - begin));
    }
    socket.uncork();
  }
}

const server = net.createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // Close the connection of a node that starts with BIP-0324. It connects again without encryption at once.
    if (rest.length >= 4 && !rest.subarray(0, 4).equals(magic)) {
      socket.destroy();
      return;
    }
    while (rest.length >= HEAD && rest.length >= HEAD + rest.readUInt32LE(16)) {
      const end = HEAD + rest.readUInt32LE(16);
      answer(socket, rest.toString('latin1', 4, 16).replace(/\0+$/, ''), rest.subarray(HEAD, end));
      rest = rest.subarray(end);
    }
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as net.AddressInfo).port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
