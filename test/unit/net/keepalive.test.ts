// Tests pings and timeouts: when the node sends a ping, which answers end it, and after how much silence it disconnects
// a peer. The seconds are written out from Core's net.h and net_processing.cpp: 2 minutes between pings, 60 seconds for
// the first message, 20 minutes later.
import t, { type Test } from 'tap';
import { NetWorld } from '../../framework/net-world.js';
import { versionPayload } from '../../framework/p2p-client.js';

async function open(t: Test): Promise<NetWorld> {
  const world = await NetWorld.open();
  t.teardown(() => world.end());
  return world;
}

t.test('sends a ping at once, and the next one more than two minutes later', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  const first = await guest.next('ping');
  t.equal(first.length, 8);
  await world.pass(1);
  t.equal(guest.commands.includes('ping'), false, 'one at a time');
  guest.send('pong', first);
  await guest.sync();
  t.equal(guest.peer.pingMs, 1_000);
  await world.pass(119);
  t.equal(guest.commands.includes('ping'), false, 'two minutes to the second');
  await world.pass(1);
  const second = await guest.next('ping');
  t.not(Buffer.compare(second, first), 0, 'another nonce');
  await world.pass(5);
  guest.send('pong', second);
  await guest.sync();
  t.same([guest.peer.pingMs, guest.peer.minPingMs], [5_000, 1_000]);
});

t.test('ends a ping only on a matching, zero or truncated nonce', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  const ping = await guest.next('ping');
  await world.pass(3);
  const wrong = Buffer.from(ping);
  wrong[0] = (wrong[0] as number) ^ 1;
  guest.send('pong', wrong);
  await guest.sync();
  t.equal(guest.peer.pingNonce, ping.readBigUInt64LE(), 'another nonce: still waiting');
  t.equal(world.said('Nonce mismatch').length, 1);
  guest.send('pong', ping);
  await guest.sync();
  t.same([guest.peer.pingNonce, guest.peer.pingMs], [0n, 3_000]);
  guest.send('pong', ping);
  await guest.sync();
  t.equal(world.said('Unsolicited pong without ping').length, 1);
  for (const [payload, text] of [
    [Buffer.alloc(8), 'Nonce zero'],
    [Buffer.alloc(7), 'Short payload'],
  ] as const) {
    await world.pass(121);
    await guest.next('ping');
    t.not(guest.peer.pingNonce, 0n);
    guest.send('pong', payload);
    await guest.sync();
    t.equal(guest.peer.pingNonce, 0n, `${text}: the ping is over`);
    t.equal(world.said(text).length, 1);
  }
  t.equal(guest.peer.pingMs, 3_000, 'none of that is a measurement');
});

t.test('disconnects a peer that leaves a ping unanswered for twenty minutes', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  await guest.next('ping');
  const talk = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 600) {
      await world.pass(Math.min(600, left));
      if (!guest.closed) {
        // The peer sends and reads all the time, but does not answer.
        guest.send('ping', Buffer.alloc(8, 7));
        await guest.next('pong').catch(() => {});
      }
    }
  };
  await talk(1_200);
  t.equal(guest.closed, false, 'twenty minutes');
  await world.pass(1);
  await guest.ended();
  t.match(world.said('ping timeout'), ['ping timeout: 1201.000000s, disconnecting peer=0']);
});

t.test('disconnects a peer that does not complete the handshake within 60 seconds', async (t) => {
  const world = await open(t);
  const silent = (await world.inbound())!;
  const half = (await world.inbound())!;
  half.send('version', versionPayload({ time: world.fixture.clock.seconds }));
  await half.next('verack');
  await world.pass(60);
  t.same([silent.closed, half.closed], [false, false]);
  await world.pass(1);
  await silent.ended();
  await half.ended();
  t.same(world.said('first 60 seconds'), [
    'socket no message in first 60 seconds, never received from peer, never sent to peer, disconnecting peer=0',
  ]);
  t.same(world.said('handshake timeout'), ['version handshake timeout, disconnecting peer=1']);
});

t.test('disconnects a peer that sends nothing for twenty minutes', async (t) => {
  const world = await open(t);
  const guest = await world.guest();
  guest.send('pong', await guest.next('ping'));
  await guest.sync();
  await world.pass(1_200);
  t.equal(guest.closed, false, 'to the second');
  await world.pass(1);
  await guest.ended();
  t.same(world.said('socket receive timeout'), ['socket receive timeout: 1201s, disconnecting peer=0']);
});

t.test('sends pings without a nonce to peers with version 60000 or older', async (t) => {
  const world = await open(t);
  const old = await world.guest({ version: 60_000 });
  t.equal((await old.next('ping')).length, 0);
  old.send('ping', Buffer.alloc(8, 1));
  const news = await world.guest({ version: 60_001 });
  t.equal((await news.next('ping')).length, 8);
  await news.sync();
  t.equal(old.commands.includes('pong'), false, 'and gets no answer');
});
