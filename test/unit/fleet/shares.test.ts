// Records of shares on their way to the broker: how many may be under way, and which count as lost.
import t from 'tap';
import { ShareOutlet } from '../../../src/fleet/shares.js';

function rig() {
  const published: [string, number][] = [];
  const flushes: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const broker = {
    connected: true,
    takes: true,
    publish: (subject: string, bytes: Uint8Array): boolean => {
      if (broker.takes) published.push([subject, bytes.length]);
      return broker.takes;
    },
    flush: () => new Promise<void>((resolve, reject) => flushes.push({ resolve, reject })),
  };
  return { broker, published, flushes, outlet: new ShareOutlet('adit.main.share.pool') };
}

t.test('publishes, and says when the broker has the records', async (t) => {
  const { broker, published, flushes, outlet } = rig();
  const sent = outlet.publishShares(broker, new Uint8Array(10));
  t.same(published, [['adit.main.share.pool', 10]]);
  flushes[0]?.resolve();
  t.equal(await sent, true);
});

t.test('loses records without a connection, or when it ends', async (t) => {
  const { broker, published, flushes, outlet } = rig();
  t.equal(await outlet.publishShares(null, new Uint8Array(10)), false);
  broker.connected = false;
  t.equal(await outlet.publishShares(broker, new Uint8Array(10)), false);
  t.same(published, []);
  broker.connected = true;
  const sent = outlet.publishShares(broker, new Uint8Array(10));
  flushes[0]?.reject(new Error('disconnected'));
  t.equal(await sent, false);
});

t.test('loses records that the library does not take', async (t) => {
  const { broker, flushes, outlet } = rig();
  broker.takes = false;
  const sent = outlet.publishShares(broker, new Uint8Array(10));
  for (const { resolve } of flushes) resolve();
  t.equal(await sent, false);
});

t.test('keeps at most 4 MiB under way to a broker that does not answer', async (t) => {
  const { broker, published, flushes, outlet } = rig();
  const megabyte = new Uint8Array(1 << 20);
  const sent = [1, 2, 3, 4].map(() => outlet.publishShares(broker, megabyte));
  t.equal(await outlet.publishShares(broker, new Uint8Array(1)), false);
  t.equal(published.length, 4);
  flushes[0]?.resolve();
  flushes[1]?.reject(new Error('disconnected'));
  t.same(await Promise.all(sent.slice(0, 2)), [true, false]);
  const next = outlet.publishShares(broker, megabyte);
  for (const { resolve } of flushes) resolve();
  t.equal(await next, true);
  await Promise.all(sent);
});
