// Tests the thread that is linked like a front thread but serves no sockets. A fleet's events pass through it.
import t from 'tap';
import { until } from '../../framework/until.js';
import { FakeNode } from './support.js';

const entry = new URL('./dying-remote.js', import.meta.url);

t.test('restarts a remote thread with the current tip and template, and frees its slab leases', async (t) => {
  const node = new FakeNode(2);
  const lives = new SharedArrayBuffer(4);
  node.remote = { entry, name: 'remote', figures: () => ({}), options: { lives } };
  await node.start(() => ({ status: 200, body: '' }), { fronts: 1 });
  t.teardown(() => node.fronts.close(0));
  const said = (text: string): boolean => node.log.includes(`info life ${text}`);
  const saying = (text: string): Promise<void> => until(text, () => said(text));
  await node.refresh();
  await saying('1: template of height 1');
  t.ok(said('1: begins at tip 0'));
  node.advance();
  await saying('2: begins at tip 1');
  t.match(node.log.join('\n'), /error remote: The thread that serves clients ended: .*adit restarts it\./);
  await saying('2: template of height 1');
  // The first run still held the first slab. If it were not released, a ring of two would have no slab for a third
  // template.
  for (let height = 2; height < 5; height++) {
    await node.refresh();
    await saying(`2: template of height ${height}`);
    node.advance();
    await saying(`2: tip ${height}`);
  }
  t.equal(node.slabs.stats().busy, 1, 'the published one');
  t.equal(new Int32Array(lives)[0], 2);
});
