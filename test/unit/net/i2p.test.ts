// Tests streams through a SAM bridge of the test: outbound and inbound connections, and a bridge that answers wrongly.
import fs from 'node:fs';
import type net from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { I2p } from '../../../src/net/peer/i2p.js';
import { addressText, type NetAddress, parseHost, splitHostPort } from '../../../src/net/wire/net-address.js';
import { destinationOf, i2pBase64, nameOf, newPrivateKey, SamBridge } from '../../framework/sam-bridge.js';
import { until } from '../../framework/until.js';

const NOBODY = 'ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p';

const address = (name: string, port = 0): NetAddress => parseHost(name, port) as NetAddress;

async function bridgeFor(t: Test): Promise<SamBridge> {
  const bridge = await SamBridge.open();
  t.teardown(() => bridge.close());
  return bridge;
}

function begin(t: Test, bridge: { readonly port: number }, keyFile: string | null) {
  const lines: string[] = [];
  const addLine = (line: string) => lines.push(line);
  const log = {
    info: addLine,
    warn: addLine,
    error: addLine,
    debug: (category: string, line: string) => lines.push(`[${category}] ${line}`),
  };
  const options = { bridge: { host: '127.0.0.1', port: bridge.port }, keyFile, connectTimeoutMs: 5_000 };
  const i2p = new I2p(options, log as unknown as Logger);
  t.teardown(() => i2p.stop());
  const owns: (string | null)[] = [];
  const inbound: { socket: net.Socket; own: NetAddress; from: NetAddress }[] = [];
  const listen = () =>
    i2p.listen({
      own: (own) => owns.push(own === null ? null : addressText(own)),
      inbound: (stream, from) => {
        inbound.push({ ...stream, from });
      },
    });
  return { i2p, listen, lines, owns, inbound };
}

const keyIn = (t: Test): string => path.join(t.testdir({}), 'net', 'i2p_private_key');

/** Collects the text that has arrived on a socket. */
function reading(socket: net.Socket): { readonly text: string } {
  const got = { text: '' };
  socket.on('data', (bytes) => {
    got.text += String(bytes);
  });
  socket.resume();
  return got;
}

t.test('connects I2P peers to each other at their persistent addresses', async (t) => {
  const bridge = await bridgeFor(t);
  const keyFile = keyIn(t);
  const ours = begin(t, bridge, keyFile);
  ours.listen();
  await until('the address', () => ours.owns.length === 1);
  const key = fs.readFileSync(keyFile);
  t.equal(fs.statSync(keyFile).mode & 0o777, 0o600);
  const name = nameOf(destinationOf(key));
  t.same(ours.owns, [`${name}:0`]);
  const id = /^Persistent I2P SAM session (\w{10}) created, my address=(\S+)$/.exec(
    ours.lines.find((line) => line.startsWith('Pers')) ?? '',
  );
  t.equal(id?.[2], `${name}:0`);
  t.same(bridge.said, [
    'HELLO VERSION MIN=3.1 MAX=3.1',
    'DEST GENERATE SIGNATURE_TYPE=7',
    `SESSION CREATE STYLE=STREAM ID=${id?.[1]} DESTINATION=${i2pBase64(key)} i2cp.leaseSetEncType=4,0 inbound.quantity=3 outbound.quantity=3`,
    'HELLO VERSION MIN=3.1 MAX=3.1',
    `STREAM ACCEPT ID=${id?.[1]} SILENT=false`,
  ]);

  const theirs = begin(t, bridge, keyIn(t));
  const stream = await theirs.i2p.dial(address(name), false, true);
  const got = reading(stream.socket);
  await until('the peer', () => ours.inbound.length === 1);
  const [came] = ours.inbound as [(typeof ours.inbound)[number]];
  t.same([addressText(came.from), addressText(came.own)], [addressText(stream.own), `${name}:0`], 'each knows the other');
  const received = reading(came.socket);
  came.socket.write('to the caller');
  stream.socket.write('to the called');
  await until('words', () => got.text !== '' && received.text !== '');
  t.same([got.text, received.text], ['to the caller', 'to the called'], 'nothing of the talk with the bridge is left in between');

  // Another inbound peer, and a second outbound connection within the same session.
  await until('listening again', () => bridge.count('STREAM ACCEPT') === 2);
  const second = await theirs.i2p.dial(address(name), false, true);
  t.equal(addressText(second.own), addressText(stream.own));
  await until('both peers', () => ours.inbound.length === 2);

  // A connection that must not be linked to the others gets an address of its own, which ends with the connection.
  await until('listening again', () => bridge.count('STREAM ACCEPT') === 3);
  const apart = await theirs.i2p.dial(address(name), true, true);
  t.not(addressText(apart.own), addressText(stream.own));
  t.match(
    bridge.said.findLast((line) => line.startsWith('SESSION')),
    / DESTINATION=TRANSIENT SIGNATURE_TYPE=7 i2cp.leaseSetEncType=4,0 inbound.quantity=1 outbound/,
  );
  t.equal(bridge.sessions.size, 3);
  apart.socket.destroy();
  await until('the end of its session', () => bridge.sessions.size === 2);
  const secrets = ours.lines
    .concat(theirs.lines)
    .filter((line) => line.includes(i2pBase64(key).slice(600)) || line.includes('DESTINATION'));
  t.same(secrets, [], 'keys are in no log');
});

t.test('restores the same I2P address after the bridge was unavailable', async (t) => {
  const keyFile = keyIn(t);
  let bridge = await SamBridge.open();
  const { port } = bridge;
  const { listen, owns, lines } = begin(t, bridge, keyFile);
  listen();
  await until('the address', () => owns.length === 1);
  await bridge.close();
  await until('its end', () => owns.length === 2);
  bridge = await SamBridge.open(port);
  t.teardown(() => bridge.close());
  await until('the address again', () => owns.length === 3);
  t.same(owns, [owns[0], null, owns[0]]);
  t.equal(bridge.count('DEST GENERATE'), 0, 'the stored key is used again');
  t.ok(lines.some((line) => /^Destroying I2P SAM session \w{10}$/.test(line)));
  t.ok(lines.some((line) => line.startsWith(`No connections from I2P peers are accepted: Cannot connect to 127.0.0.1:${port}: `)));
});

t.test('reports failed I2P connections, and reuses the session for the next attempt', async (t) => {
  const bridge = await bridgeFor(t);
  const { i2p, lines, listen, owns } = begin(t, bridge, null);
  listen();
  await t.rejects(i2p.dial(address(NOBODY, 8333), false, true));
  t.ok(lines.includes(`[i2p] Error connecting to ${NOBODY}:8333, connection refused due to arbitrary port 8333`));
  t.same(bridge.said, [], 'I2P has no ports, and without a key the node accepts no peers');
  await t.rejects(i2p.dial(address(NOBODY), false, true), { message: `"NAMING LOOKUP NAME=${NOBODY}" was answered with "KEY_NOT_FOUND"` });
  t.match(
    lines.find((line) => line.startsWith('[i2p] Creating')),
    /Creating transient I2P SAM session \w{10} with 127\.0\.0\.1:\d+$/,
  );
  await t.rejects(i2p.dial(address(NOBODY), false, true));
  t.equal(bridge.count('SESSION CREATE'), 1, 'a session that served for nothing serves for the next call');
  t.same(owns, []);
  const discreet = begin(t, bridge, null);
  await t.rejects(discreet.i2p.dial(address(NOBODY), false, false));
  t.notOk(
    discreet.lines.some((line) => line.startsWith(`[i2p] Error connecting to ${NOBODY}`)),
    'without -logips',
  );
});

t.test('creates an I2P session again after the router has forgotten it', async (t) => {
  const bridge = await bridgeFor(t);
  const { i2p, owns, listen } = begin(t, bridge, keyIn(t));
  const other = begin(t, bridge, keyIn(t));
  other.listen();
  await until('the other', () => other.owns.length === 1);
  const to = address((other.owns[0] as string).replace(/:0$/, ''));
  bridge.wrong.set('STREAM', { text: 'STREAM STATUS RESULT=INVALID_ID\n' });
  await t.rejects(i2p.dial(to, false, true), { message: '"STREAM CONNECT" was answered with "INVALID_ID"' });
  bridge.wrong.clear();
  await until('the end of the session', () => bridge.sessions.size === 1);
  const { own } = await i2p.dial(to, false, true);
  t.equal(bridge.count('SESSION CREATE'), 3);
  listen();
  await until('the address', () => owns.length === 1);
  t.equal(owns[0], addressText(own), 'with the same address');
  // The bridge reports a lost session instead of a peer.
  const mine = () => [...bridge.sessions.values()].find(({ destination }) => addressText(own) === `${nameOf(destination)}:0`);
  await until('listening', () => (mine()?.waiting ?? null) !== null);
  mine()?.waiting?.write('STREAM STATUS RESULT=I2P_ERROR MESSAGE="Session was closed"\n');
  await until('another session', () => bridge.count('SESSION CREATE') === 4);
  await until('listening', () => (mine()?.waiting ?? null) !== null);
  t.equal(owns.at(-1), addressText(own));
});

const WRONG: readonly (readonly [string, string, string, boolean?])[] = [
  ['garbage', 'HELLO', '\0\xff\xfe garbage\n'],
  ['an empty line', 'HELLO', '\n'],
  ['half a line', 'HELLO', 'HELLO REPLY RESU', true],
  ['nothing but the end', 'HELLO', '', true],
  ['an endless line', 'HELLO', 'x'.repeat(70_000)],
  ['another version', 'HELLO', 'HELLO REPLY RESULT=NOVERSION\n'],
  ['an error', 'HELLO', 'HELLO REPLY RESULT=I2P_ERROR MESSAGE="out of order\n'],
  ['no key', 'SESSION', 'SESSION STATUS RESULT=OK\n'],
  ['an empty key', 'SESSION', 'SESSION STATUS RESULT=OK DESTINATION=\n'],
  ['a key that is none', 'SESSION', 'SESSION STATUS RESULT=OK DESTINATION=????\n'],
  ['a short key', 'SESSION', `SESSION STATUS RESULT=OK DESTINATION=${'AAAA'.repeat(100)}\n`],
  ['a key that lies about its length', 'SESSION', `SESSION STATUS RESULT=OK DESTINATION=${'AAAA'.repeat(128)}////\n`],
  ['a certificate beyond the key', 'SESSION', `SESSION STATUS RESULT=OK DESTINATION=${i2pBase64(Buffer.alloc(500, 0xff))}\n`],
  ['the id again', 'SESSION', 'SESSION STATUS RESULT=DUPLICATED_ID\n'],
  ['a name without a value', 'NAMING', 'NAMING REPLY RESULT=OK\n'],
  ['the value of another name', 'NAMING', `NAMING REPLY RESULT=OK VALUE=${i2pBase64(destinationOf(newPrivateKey()))}\n`],
  ['no value', 'NAMING', 'NAMING REPLY RESULT=OK VALUE=not~base64\n'],
  ['the end in the midst', 'NAMING', 'NAMING REPLY RESULT=OK VALUE=', true],
];

t.test('rejects malformed answers of the bridge and closes the connection', async (t) => {
  const bridge = await bridgeFor(t);
  for (const [what, request, text, ends = false] of WRONG) {
    const { i2p } = begin(t, bridge, null);
    bridge.wrong.set(request, { text, ends });
    await t.rejects(i2p.dial(address(NOBODY), false, true), what);
    bridge.wrong.clear();
    i2p.stop();
  }
  t.equal(bridge.count('STREAM CONNECT'), 0, 'no unchecked destination is used');
  await until('nothing left open', () => bridge.sockets.size === 0);
});

t.test('stores no invalid key of the bridge, and accepts no peers with an invalid destination', async (t) => {
  const bridge = await bridgeFor(t);
  const keyFile = keyIn(t);
  bridge.wrong.set('DEST', { text: 'DEST REPLY PUB=AAAA PRIV=AAAA\n' });
  const { i2p } = begin(t, bridge, keyFile);
  await t.rejects(i2p.dial(address(NOBODY), false, true), { message: 'a destination of 387 bytes within 3' });
  t.notOk(fs.existsSync(keyFile), 'an invalid key is not stored');
  bridge.wrong.clear();
  for (const line of ['', 'AAAA', 'no peer', 'z'.repeat(70_000)]) {
    const one = begin(t, bridge, keyFile);
    one.listen();
    await until('listening', () => [...bridge.sessions.values()].some(({ waiting }) => waiting !== null));
    for (const { waiting } of bridge.sessions.values()) waiting?.write(`${line}\n`);
    await until('a complaint', () => one.lines.some((each) => each.startsWith('No connections from I2P peers are accepted: ')));
    t.same(one.inbound, []);
    t.same(one.owns.length, 1, 'the address is still ours');
    one.i2p.stop();
    await until('the end of the session', () => bridge.sessions.size === 0);
  }
  // A file that holds no key is not overwritten.
  fs.writeFileSync(keyFile, 'short');
  const mutated = begin(t, bridge, keyFile);
  mutated.listen();
  await until('a complaint', () => mutated.lines.some((line) => line.startsWith('No connections from I2P peers are accepted: ')));
  t.equal(fs.readFileSync(keyFile, 'latin1'), 'short');
});

t.test('closes all connections to the bridge when the node stops', async (t) => {
  const bridge = await bridgeFor(t);
  bridge.wrong.set('NAMING', { text: '' });
  const { i2p } = begin(t, bridge, null);
  const call = t.rejects(i2p.dial(address(NOBODY), false, true));
  await until('the question', () => bridge.count('NAMING') === 1);
  i2p.stop();
  await call;
  await until('nothing left open', () => bridge.sockets.size === 0);
});

t.test('uses port 0 for I2P addresses unless another port is named', async (t) => {
  t.same(splitHostPort(NOBODY, 8333), { host: NOBODY, port: 0 });
  t.same(splitHostPort(`${NOBODY}:0`, 8333), { host: NOBODY, port: 0 });
  t.same(splitHostPort(`${NOBODY}:8333`, 1), { host: NOBODY, port: 8333 });
  t.equal(splitHostPort('example.org:0', 8333), null);
});
