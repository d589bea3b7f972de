// Tests encrypted connections (BIP-0324) between real processes and with a peer of the test that has its own code for
// the protocol: which protocol each pair of peers uses, the consequences of violations, and that other peers are served
// meanwhile.
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { unshown } from '../framework/messages.js';
import { framed, locatorPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';
import { V2Codec } from '../framework/v2-codec.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

interface PeerRow {
  readonly id: number;
  readonly inbound: boolean;
  readonly transport_protocol_type?: string;
  readonly session_id?: string;
  readonly servicesnames: string[];
}

async function listening(...options: string[]): Promise<{ node: Daemon; port: number }> {
  const port = await freePort();
  return { node: await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-debug=net', ...options), port };
}

/** Waits for a line of the log, which is written after the event. */
const logged = (node: Daemon, line: RegExp): Promise<void> =>
  until(String(line), async () => line.test(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'latin1')));
const peersOf = (node: Daemon) => node.call('getpeerinfo') as Promise<PeerRow[]>;

t.test('encrypts between two nodes, and falls back to v1 for a third', async (t) => {
  const one = await listening('-v2transport=1');
  t.teardown(() => one.node.remove());
  const old = await listening('-compat=0.21.1');
  t.teardown(() => old.node.remove());
  await one.node.call('generatetoaddress', 30, ADDRESS);
  const caller = await listening('-v2transport=1', `-addnode=127.0.0.1:${one.port}`);
  t.teardown(() => caller.node.remove());
  await until('keys', async () => (await peersOf(caller.node)).some(({ transport_protocol_type }) => transport_protocol_type === 'v2'));
  await until('the other side', async () => ((await peersOf(one.node))[0]?.servicesnames ?? []).includes('P2P_V2'));
  const [near] = await peersOf(caller.node);
  const [far] = await peersOf(one.node);
  t.match(near?.session_id, /^[0-9a-f]{64}$/);
  t.equal(near?.session_id, far?.session_id, 'both name the connection alike');
  t.equal(far?.transport_protocol_type, 'v2');
  await until('blocks through the encrypted connection', async () => (await caller.node.call('getblockcount')) === 30);

  await caller.node.call('addnode', `127.0.0.1:${old.port}`, 'onetry');
  await until('the old one', async () => (await old.node.call('getblockcount')) === 30);
  const rows = await peersOf(caller.node);
  t.match(rows[1], { transport_protocol_type: 'v1', session_id: '', inbound: false });
  await logged(caller.node, /retrying with v1 transport protocol/);
  t.notOk('transport_protocol_type' in ((await peersOf(old.node))[0] as PeerRow), 'as 0.21 shows a peer where there is no encryption');

  await t.rejects(old.node.call('addnode', `127.0.0.1:${one.port}`, 'onetry', true), {
    code: -8,
    message: 'Error: v2transport requested but not enabled (see -v2transport)',
  });
  await caller.node.call('addnode', `127.0.0.1:${one.port}`, 'remove');
  await caller.node.call('setnetworkactive', false);
  await until('quiet', async () => (await caller.node.call('getconnectioncount')) === 0);
  await caller.node.call('setnetworkactive', true);
  await caller.node.call('addnode', `127.0.0.1:${one.port}`, 'onetry', false);
  await until('in the clear', async () =>
    (await peersOf(caller.node)).some(({ transport_protocol_type }) => transport_protocol_type === 'v1'),
  );
  // The connection before it may be listed until its end is noticed.
  await until('told by its first bytes', async () => (await peersOf(one.node)).every((peer) => peer.transport_protocol_type === 'v1'));
  t.equal((await peersOf(one.node)).length, 1);
});

t.test('follows BIP-0324 with an independent peer: garbage, decoys, long names, rekeying', async (t) => {
  const { node, port } = await listening('-v2transport=1', '-whitelist=noban@127.0.0.1');
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 120, ADDRESS);
  const genesis = unshown((await node.call('getblockhash', 0)) as string);
  for (const manner of [
    {},
    { garbage: Buffer.alloc(0) },
    { garbage: crypto.randomBytes(4_095), decoys: 20, versionContents: crypto.randomBytes(300) },
    { longNames: true, garbage: Buffer.from('fabfb5da76657273', 'hex') },
  ]) {
    const { client, codec } = await P2pClient.openV2(port, manner);
    await client.greet();
    t.equal((await peersOf(node)).at(-1)?.session_id, codec.sessionId);
    for (let i = 0; i < 500; i++) {
      if (i % 3 === 0) client.raw(codec.seal(crypto.randomBytes(i), 128));
      else client.send('ping', Buffer.alloc(8, i));
    }
    await client.sync();
    client.send('getheaders', locatorPayload([genesis]));
    t.equal((await client.next('headers')).length, 1 + 120 * 81);
    client.raw(codec.seal(Buffer.from([200, 1, 2])));
    client.raw(codec.seal(Buffer.alloc(0)));
    client.raw(codec.seal(Buffer.alloc(9)));
    await client.sync();
    t.equal(client.closed, false, 'names that nobody knows are skipped');
    t.ok(codec.garbageSeen >= 0 && codec.garbageSeen <= 4_095);
    client.close();
  }

  // A key that comes byte by byte. What the node answers is not read before: the codec would go on amid its own key.
  const slow = await P2pClient.open(port);
  const codec = new V2Codec((bytes) => slow.raw(bytes), { garbage: Buffer.alloc(0) });
  slow.codec = codec;
  slow.socket.pause();
  for (const byte of codec.hello()) {
    slow.raw(Buffer.from([byte]));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  slow.socket.resume();
  await slow.until(() => codec.ready);
  await slow.greet();
  t.equal((await peersOf(node)).at(-1)?.session_id, codec.sessionId);
  slow.close();
});

t.test('makes outbound v2 connections, also to a peer that hangs up', async (t) => {
  const { node } = await listening('-v2transport=1');
  t.teardown(() => node.remove());
  const accepted: P2pClient[] = [];
  const server = net.createServer((socket) => accepted.push(P2pClient.accept(socket)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  t.teardown(() => {
    for (const one of accepted) one.close();
    server.close();
  });
  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await until('a call', async () => accepted.length === 1);
  const peer = accepted[0] as P2pClient;
  const codec = peer.encrypt({ initiating: false, decoys: 3 });
  await peer.until(() => codec.ready);
  await peer.greet();
  t.match((await peersOf(node))[0], { transport_protocol_type: 'v2', session_id: codec.sessionId });
  peer.close();
  await until('gone', async () => (await node.call('getconnectioncount')) === 0);

  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await until('a call', async () => accepted.length === 2);
  const deaf = accepted[1] as P2pClient;
  await until('its key', async () => deaf.socket.bytesRead > 0);
  deaf.close();
  await until('another', async () => accepted.length === 3);
  const old = accepted[2] as P2pClient;
  await old.greet();
  t.match((await peersOf(node))[0], { transport_protocol_type: 'v1', session_id: '' });
});

t.test('disconnects peers that break BIP-0324', async (t) => {
  const { node, port } = await listening('-v2transport=1');
  t.teardown(() => node.remove());
  const dropped = async (what: string, line: RegExp, run: (client: P2pClient) => void): Promise<void> => {
    const client = await P2pClient.open(port);
    run(client);
    t.equal(await client.ended(), true, what);
    await logged(node, line);
  };
  await dropped('another network in the clear', /V1 peer with wrong MessageStart/, (client) => {
    const hello = framed('version', Buffer.alloc(100));
    hello.writeUInt32LE(0xd9b4bef9, 0);
    client.raw(hello);
  });
  await dropped('garbage without end', /missing garbage terminator/, (client) => client.raw(crypto.randomBytes(64 + 4_095 + 16)));
  const spoiling = await P2pClient.openV2(port);
  const packet = spoiling.codec.seal(Buffer.alloc(50));
  packet[30] = (packet[30] as number) ^ 1;
  spoiling.client.raw(packet);
  t.equal(await spoiling.client.ended(), true, 'a spoiled packet');
  await logged(node, /packet decryption failure/);
  const boasting = await P2pClient.openV2(port);
  boasting.client.raw(boasting.codec.seal(Buffer.alloc(0), 0, 4_000_014));
  t.equal(await boasting.client.ended(), true, 'a length beyond every message');
  await logged(node, /packet too large \(4000014 bytes\)/);
  // Keys of another network do not fit: both sides wait for the end of the other's garbage. And half a handshake, with
  // silence after it.
  await node.stop();
  await node.up('-peertimeout=5');
  const foreign = P2pClient.openV2(port, { magic: Buffer.from('f9beb4d9', 'hex') });
  const half = await P2pClient.open(port);
  half.raw(crypto.randomBytes(40));
  await t.rejects(foreign, { message: 'closed while waiting' }, 'keys of another network');
  t.equal(await half.ended(), true, 'half a handshake');
  await logged(node, /V2 handshake timeout/);
  await until('all gone', async () => (await node.call('getconnectioncount')) === 0);
});

t.test('serves honest peers during a flood of handshakes', async (t) => {
  const { node, port } = await listening('-v2transport=1', '-maxconnections=400');
  t.teardown(() => node.remove());
  const honest = await P2pClient.connect(port);
  t.teardown(() => honest.close());
  const sockets: net.Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const key = crypto.randomBytes(2_000);
  for (let i = 0; i < 300; i++) {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.on('connect', () => socket.write(key));
    socket.resume();
    sockets.push(socket);
  }
  for (let i = 0; i < 20; i++) await honest.sync();
  t.equal(honest.closed, false);
  const { client } = await P2pClient.openV2(port);
  await client.greet();
  await client.sync();
  t.pass('a newcomer gets its keys in the crowd');
  client.close();
  for (const socket of sockets) socket.destroy();
  await until('all gone', async () => (await node.call('getconnectioncount')) === 1);
});
