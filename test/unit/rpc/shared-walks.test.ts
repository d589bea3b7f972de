// Tests how calls of gettxoutsetinfo share walks, and what becomes of a walk whose clients disconnect.
import t from 'tap';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import { SharedWalks } from '../../../src/rpc/node/shared-walks.js';
import { type CoinJob, type CoinJobs, JOB_WORD, type JobWords } from '../../../src/rpc/reads/coin-job.js';
import { until } from '../../framework/until.js';

interface Job {
  readonly hashType: string;
  readonly words: JobWords;
  pin(tip: string): void;
  end(text: string): void;
}

function open() {
  const jobs: Job[] = [];
  const coinJobs: CoinJobs = {
    run: (job, words, pinned = () => {}) =>
      new Promise((resolve) => {
        const { hashType } = job as CoinJob & { kind: 'stats' };
        jobs.push({ hashType, words, pin: pinned, end: (text) => resolve([Buffer.from(text)]) });
      }),
  };
  const chain = { tip: { hashHex: 'a' } };
  const stop = new AbortController();
  const ctx = { chain, coinJobs, stopping: stop.signal } as unknown as NodeContext;
  const walks = new SharedWalks();
  const run = async (type: 'muhash' | 'none' | 'hash_serialized_3', signal?: AbortSignal) => String(await walks.run(ctx, type, signal));
  return { jobs, chain, stop, run };
}

const isStopped = ({ words }: Job): boolean => Atomics.load(words, JOB_WORD.STOP) !== 0;

t.test('shares a walk between callers at the same tip, and starts another one after a tip change', async (t) => {
  const { jobs, chain, run } = open();
  const first = run('muhash');
  const second = run('muhash');
  await until('the walk runs', () => jobs.length === 1);
  jobs[0]!.pin('a');
  const third = run('muhash');
  chain.tip = { hashHex: 'b' };
  const later = run('muhash');
  await until('another walk runs', () => jobs.length === 2);
  jobs[0]!.end('old');
  t.same(await Promise.all([first, second, third]), ['old', 'old', 'old']);
  // The end of the first walk leaves the second one shared.
  const last = run('muhash');
  jobs[1]!.end('new');
  t.same(await Promise.all([later, last]), ['new', 'new']);
  t.equal(jobs.length, 2);
});

t.test('stops a walk when its last client disconnects, and shares it with no later caller', async (t) => {
  const { jobs, run } = open();
  const clients = [new AbortController(), new AbortController()];
  const gone = clients.map(({ signal }) => run('muhash', signal));
  await until('the walk runs', () => jobs.length === 1);
  clients[0]!.abort();
  t.notOk(isStopped(jobs[0]!), 'one client waits');
  clients[1]!.abort();
  t.ok(isStopped(jobs[0]!));
  const later = run('muhash');
  await until('the walk of the later caller runs', () => jobs.length === 2);
  t.notOk(isStopped(jobs[1]!));
  jobs[0]!.end('incomplete');
  jobs[1]!.end('complete');
  t.equal(await later, 'complete');
  await Promise.all(gone);
});

t.test('never starts a walk whose clients disconnect while it waits for other walks', async (t) => {
  const { jobs, run, stop } = open();
  const running = [run('muhash'), run('none')];
  await until('two walks run', () => jobs.length === 2);
  const client = new AbortController();
  const gone = t.rejects(run('hash_serialized_3', client.signal), { code: -9 });
  client.abort();
  const later = run('hash_serialized_3');
  jobs[0]!.end('first');
  await gone;
  jobs[1]!.end('second');
  await until('the walk of the later caller runs', () => jobs.length === 3);
  const waiting = run('muhash');
  jobs[2]!.end('third');
  t.equal(await later, 'third');
  await until('a fourth walk runs', () => jobs.length === 4);
  stop.abort();
  t.ok(isStopped(jobs[3]!));
  await t.rejects(run('none'), { code: -9 }, 'the node stops');
  jobs[3]!.end('fourth');
  await Promise.all([...running, waiting]);
  t.same(
    jobs.map(({ hashType }) => hashType),
    ['muhash', 'none', 'hash_serialized_3', 'muhash'],
  );
});
