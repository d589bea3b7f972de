// Floods a node from many connections, in a process of its own: writes without waiting for answers, and discards what
// arrives. With --sink the process is instead a bare TCP server that discards what it reads; the same flood to this
// server shows the load that the generator alone causes. bench/peer-flood.ts starts this process.
import { randomBytes, randomFillSync } from 'node:crypto';
import net from 'node:net';
import { framed } from '../../test/framework/p2p-client.js';
import type { FloodOrder } from './flood.js';

const RECONNECT_MS = 20;
const PACE_MS = 2;
/** Announcements of one inv. */
const INV_ENTRIES = 1_000;
const INV_ENTRY_BYTES = 36;
const MSG_WTX = 5;
const KEY_BYTES = 64;

let order: FloodOrder | null = null;
let began = 0;
let written = 0;
let ends = 0;
const sockets = new Set<net.Socket>();

/** An announcement of transactions that no node knows. */
function unknownTransactions(): Buffer {
  const payload = Buffer.alloc(3 + INV_ENTRIES * INV_ENTRY_BYTES);
  randomFillSync(payload);
  payload[0] = 0xfd;
  payload.writeUInt16LE(INV_ENTRIES, 1);
  for (let at = 3; at < payload.length; at += INV_ENTRY_BYTES) payload.writeUInt32LE(MSG_WTX, at);
  return framed('inv', payload);
}

let value = 0;

/** Returns the transaction with another value in its first output, so that only its signature is wrong. */
function wrongSignature(tx: Buffer, valueAt: number): Buffer {
  const other = Buffer.from(tx);
  other.writeUInt32LE(tx.readUInt32LE(valueAt) - ++value, valueAt);
  return framed('tx', other);
}

/** Returns the next message to send. */
function next({ lane }: FloodOrder): Buffer {
  if (lane.kind === 'inv') return unknownTransactions();
  if (lane.kind === 'transactions') return wrongSignature(Buffer.from(lane.tx), lane.valueAt);
  if (lane.kind === 'handshakes') return randomBytes(KEY_BYTES);
  return lane.bytes as Buffer;
}

const mayGoOn = ({ bytesPerSecond }: FloodOrder): boolean =>
  bytesPerSecond === null || written < (bytesPerSecond * (performance.now() - began)) / 1_000;

function pump(socket: net.Socket, current: FloodOrder): void {
  while (order === current && !socket.destroyed && socket.writableLength === 0) {
    if (!mayGoOn(current)) {
      setTimeout(() => pump(socket, current), PACE_MS);
      return;
    }
    const bytes = next(current);
    written += bytes.length;
    const room = socket.write(bytes);
    // Each connection sends a single key.
    if (current.lane.kind === 'handshakes') return;
    if (!room) {
      socket.once('drain', () => pump(socket, current));
      return;
    }
  }
  if (order === current && !socket.destroyed) setTimeout(() => pump(socket, current), PACE_MS);
}

function connect(current: FloodOrder): void {
  if (order !== current) return;
  const handshakes = current.lane.kind === 'handshakes';
  if (handshakes && !mayGoOn(current)) {
    setTimeout(() => connect(current), PACE_MS);
    return;
  }
  const socket = net.connect({ port: current.port, host: '127.0.0.1', noDelay: true });
  sockets.add(socket);
  socket.on('connect', () => {
    if (!handshakes) socket.write(current.greeting);
    pump(socket, current);
  });
  socket.on('error', () => {});
  socket.on('data', () => {
    if (handshakes) socket.destroy();
  });
  socket.on('close', () => {
    sockets.delete(socket);
    if (order !== current) return;
    ends++;
    setTimeout(() => connect(current), handshakes ? 0 : RECONNECT_MS);
  });
}

function start(flood: FloodOrder): void {
  order = flood;
  began = performance.now();
  written = 0;
  ends = 0;
  for (let i = 0; i < flood.peers; i++) connect(flood);
}

/** Restarts the counters after the socket buffers have filled up. */
function mark(): void {
  began = performance.now();
  written = 0;
  ends = 0;
  for (const socket of sockets) written += socket.writableLength;
}

function stop(): void {
  const seconds = (performance.now() - began) / 1_000;
  order = null;
  for (const socket of sockets) {
    written -= socket.writableLength;
    socket.destroy();
  }
  process.send?.({ kind: 'flooded', bytes: written, seconds, ends });
}

if (process.argv.includes('--sink')) {
  const server = net.createServer((socket) => {
    // Answer the first bytes, a key, with as many bytes.
    socket.once('data', () => socket.write(Buffer.alloc(KEY_BYTES)));
    socket.on('error', () => {});
    socket.resume();
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ kind: 'listening', port: (server.address() as net.AddressInfo).port }));
} else {
  process.on('message', (message: FloodOrder | { readonly kind: 'mark' | 'enough' }) => {
    if (message.kind === 'flood') start(message);
    else if (message.kind === 'mark') mark();
    else stop();
  });
  process.send?.({ kind: 'up' });
}
