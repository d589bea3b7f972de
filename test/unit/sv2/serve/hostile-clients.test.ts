// The serving thread's server over real sockets: what one client asks for takes nothing from another, and is bounded.
import t from 'tap';
import { reserveKey } from '../../../../src/mining/messages.js';
import { constraintsPayload, Sv2Client, solve } from '../../../framework/sv2-client.js';
import { until } from '../../../framework/until.js';
import { LEAST, listening } from './rig.js';

t.test('limits the cost of a client that keeps changing its constraints', async (t) => {
  const { port, posted, publish } = await listening(t);
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');
  // Templates from now on are for this client alone: ids rise on each connection.
  honest.send(0x70, constraintsPayload(90, 4));
  await honest.nextOf('prevhash');
  const { template: working, prevHash } = honest;

  const restless = await Sv2Client.start(port);
  t.teardown(() => restless.close());
  await restless.nextOf('prevhash');
  const first = restless.template!.id;
  for (let i = 0; i < 500; i++) restless.send(0x70, constraintsPayload(100 + (i % 2) * 200_000, 4));
  restless.send(0x70, constraintsPayload(99, 4));
  restless.request(first);
  t.match(await restless.nextOf('data-error'), { id: first, code: 'stale-template-id' });
  t.ok(restless.templates.size < 10, `${restless.templates.size} templates for 501 changes`);
  t.ok(posted.filter(({ kind }) => kind === 'needs').length < 10, 'the node thread is notified of few of them');
  await until('the last constraints take effect', () => restless.prevHash !== null && restless.template!.id > first);

  // Templates for other reserves come and go, and two for this one.
  for (let i = 0; i < 300; i++) publish([`${1_000_000 + i}/400`]);
  for (let i = 0; i < 2; i++) publish([reserveKey(LEAST)]);
  const solution = solve(working!, prevHash!);
  // A copy with another reserved value has the same header, and is no block.
  const mutated = Buffer.from(solution.payload);
  mutated[mutated.length - 5] ^= 1;
  for (let i = 0; i < 2; i++) restless.submit({ ...solution, payload: mutated });
  for (let i = 0; i < 2; i++) honest.submit(solution);
  const found = (): boolean => posted.filter(({ kind }) => kind === 'solution').length === 2;
  const unknown = (): boolean => posted.some((one) => one.kind === 'log' && one.text.includes('which is unknown'));
  await until('the solution of a template that was replaced', () => found() || unknown());
  t.notOk(unknown(), 'it is known');
  t.same(honest.wrongs, []);
});

t.test('serves other clients while some read slowly or keep requesting', async (t) => {
  const { port, publish } = await listening(t);
  publish([reserveKey(LEAST)], 3_900_000);
  const greedy = await Promise.all(Array.from({ length: 8 }, () => Sv2Client.start(port)));
  t.teardown(() => {
    for (const client of greedy) client.close();
  });
  for (const client of greedy) {
    await client.nextOf('prevhash');
    client.socket.pause();
    for (let i = 0; i < 30; i++) client.request(client.template!.id);
  }
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');
  honest.request(honest.template!.id);
  t.equal((await honest.nextOf('data')).transactions[0]?.length, 3_900_000);
});
