// Found blocks of the broker's stream at a node, in addition to the front's own calls. Only submissions of blocks pass,
// and no message keeps another block from being checked.
import t from 'tap';
import { encode } from '../../../src/fleet/messages.js';
import type { AnswerCall } from '../../../src/fleet/publish/call-answers.js';
import { FoundInbox } from '../../../src/fleet/publish/found.js';

const HEADER = 'ab'.repeat(80);
const submit = (rest: string): string => JSON.stringify({ method: 'submitblock', params: [HEADER + rest], id: 1 });
const ACCEPTED = '{"result":null,"error":null,"id":1}';

function world() {
  const ran: string[] = [];
  const dones: ((status: number, body: string) => void)[] = [];
  const timers: (() => void)[] = [];
  const logged: string[] = [];
  const room = { left: Number.POSITIVE_INFINITY };
  const inbox = new FoundInbox('fronts', {
    plan: (body, { allowed }) => {
      const { method } = JSON.parse(Buffer.from(body).toString());
      return allowed?.has(method) ? { kind: 'node', method, secret: false, index: new Int32Array(0) } : { kind: 'forbidden' };
    },
    run: (call, done) => {
      if (room.left-- <= 0) return 0;
      ran.push(Buffer.from(call.body).toString());
      dones.push(done);
      return ran.length;
    },
    onKnown: () => {},
    log: (text) => void logged.push(text),
    after: (_ms, run) => void timers.push(run),
    nowMs: () => 0,
  });
  let messages = 0;
  const stream = (body: string): void => {
    const bytes = new Uint8Array(Buffer.from(body));
    const id = `message-${++messages}`;
    const words = { id, method: 'submitblock', user: 'u', uri: '/', token: '', bodyBytes: bytes.length };
    inbox.takeMessage(encode({ kind: 'found', ...words, bytes, at: 0, of: 1 }));
  };
  /** All copies that were left for later, and what is decided about them. */
  const later = async (): Promise<void> => {
    for (const run of timers.splice(0)) run();
    await new Promise(setImmediate);
  };
  const direct = (body: string): { number: number; replies: string[] } => {
    const replies: string[] = [];
    const call: AnswerCall = {
      account: 'fronts',
      user: 'fronts/u',
      uri: '/',
      method: 'submitblock',
      plain: true,
      body: new Uint8Array(Buffer.from(body)),
      block: null,
    };
    return { number: inbox.submitDirect(call, (_status, reply) => void replies.push(String(reply))), replies };
  };
  return { inbox, ran, dones, logged, room, stream, later, direct };
}

t.test('accepts only block submissions from the stream', async (t) => {
  const w = world();
  w.stream(JSON.stringify({ method: 'stop', params: [HEADER], id: 1 }));
  await w.later();
  t.same(w.ran, []);
  t.match(w.logged, [/not a submission/]);
  w.stream(submit('01'));
  await w.later();
  t.same(w.ran, [submit('01')]);
});

t.test('limits pending submissions, and logs an overflow once', async (t) => {
  const w = world();
  for (let i = 0; i < 2_000; i++) w.stream(submit(String(i).padStart(4, '0')));
  t.equal(w.logged.length, 1);
  await w.later();
  t.equal(w.ran.length, 1_024);
  w.stream(submit('ffff'));
  await w.later();
  t.equal(w.ran.length, 1_025, 'submissions are accepted again');
});

t.test('does not check a block again that the front submitted itself', async (t) => {
  const w = world();
  w.direct(submit('01'));
  w.stream(submit('01'));
  await w.later();
  t.same(w.ran, [submit('01')]);
});

t.test('checks a block although a mutated copy with the same header came first', async (t) => {
  const w = world();
  w.direct(submit('ff'));
  w.stream(submit('01'));
  await w.later();
  t.same(w.ran, [submit('ff'), submit('01')]);
});

t.test('checks a block from the stream when the direct call could not start', async (t) => {
  const w = world();
  w.room.left = 0;
  t.equal(w.direct(submit('01')).number, 0);
  w.room.left = 1;
  w.stream(submit('01'));
  await w.later();
  t.same(w.ran, [submit('01')]);
});

t.test('answers a direct call with the result of the same bytes from the stream', async (t) => {
  const w = world();
  w.stream(submit('01'));
  await w.later();
  const early = w.direct(submit('01'));
  const other = w.direct(submit('02'));
  w.dones[0]?.(200, ACCEPTED);
  t.same(early.replies, [ACCEPTED]);
  t.same(other.replies, []);
  t.same(w.ran, [submit('01'), submit('02')]);
  w.dones[1]?.(200, ACCEPTED);
  t.same(other.replies, [ACCEPTED]);
});

t.test('checks a block again at the next tip when its parent was unknown', async (t) => {
  const w = world();
  w.direct(submit('01'));
  w.dones[0]?.(200, '{"result":"prev-blk-not-found","error":null,"id":1}');
  w.inbox.tipChanged();
  t.same(w.ran, [submit('01'), submit('01')]);
  w.dones[1]?.(200, ACCEPTED);
  w.inbox.tipChanged();
  t.equal(w.ran.length, 2);
});
