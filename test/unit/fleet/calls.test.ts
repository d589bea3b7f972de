// A front's calls and a node's answers, without a broker between: messages are lost, doubled, and late, nodes pause and
// die. What must hold: nothing is run twice that may not be, and what was answered as failed is never run.

import t from 'tap';
import { type CallEnd, Calls } from '../../../src/fleet/follow/calls.js';
import { encode, type FrontMessage, type NodeMessage, readFrontMessage, readNodeMessage } from '../../../src/fleet/messages.js';
import { type AnswerCall, CallAnswers } from '../../../src/fleet/publish/call-answers.js';
import { fc } from '../../framework/fast-check.js';

const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

interface Wire {
  /** Messages on their way, oldest first. */
  readonly toNode: Uint8Array[];
  readonly toFront: Uint8Array[];
}

/** One front and one node with a wire between that the test moves. */
class World {
  now = 0;
  run: string | null = 'r1';
  readonly wire: Wire = { toNode: [], toFront: [] };
  readonly ran: string[] = [];
  readonly open: { readonly call: AnswerCall; readonly done: (status: number, body: string) => void }[] = [];
  answers: CallAnswers;
  readonly calls: Calls;
  pieceBytes = 1 << 16;

  constructor() {
    this.answers = this.#node();
    this.calls = new Calls({
      send: (_node, _id, body) => void this.wire.toNode.push(body),
      pieceBytes: () => this.pieceBytes,
      run: () => this.run,
      nowMs: () => this.now,
    });
  }

  #node(): CallAnswers {
    return new CallAnswers({
      accounts: [
        { account: 'fronts', methods: null },
        { account: 'few', methods: ['getblockcount'] },
      ],
      plan: (body, { allowed }) => {
        const { method } = JSON.parse(Buffer.from(body).toString());
        return allowed?.has(method) ? { kind: 'node', method, secret: false, index: new Int32Array(0) } : { kind: 'forbidden' };
      },
      run: (call, done) => {
        this.ran.push(Buffer.from(call.body).toString());
        this.open.push({ call, done });
        return this.ran.length;
      },
      cancel: () => {},
      pieceBytes: () => this.pieceBytes,
      epoch: () => 7,
      nowMs: () => this.now,
    });
  }

  /** The node's process is another one. */
  restart(): void {
    this.answers = this.#node();
    this.open.length = 0;
    this.run = `${this.run}+`;
  }

  /** Delivers the next message to the node. */
  up(account = 'fronts'): void {
    const bytes = this.wire.toNode.shift();
    const message = bytes && readFrontMessage(bytes);
    if (!message || !('id' in message)) return;
    this.answers.takeMessage(account, message, (answer: NodeMessage) => void this.wire.toFront.push(encode(answer)));
  }

  /** Delivers the next message to the front. */
  down(): void {
    const bytes = this.wire.toFront.shift();
    const message = bytes && readNodeMessage(bytes);
    if (message) this.calls.receiveMessage(message);
  }

  /** The node thread finishes the oldest call. */
  finish(body = 'done'): void {
    this.open.shift()?.done(200, body);
  }

  send(body: string, held: boolean): { end: CallEnd | null } {
    const result: { end: CallEnd | null } = { end: null };
    const call = { method: 'm', user: 'u', uri: '/', plain: true, body: text(body), block: null, held };
    this.calls.send('a', call, null, (end) => {
      result.end = end;
    });
    return result;
  }

  /** All messages, until none is left. */
  settle(): void {
    while (this.wire.toNode.length > 0 || this.wire.toFront.length > 0) {
      this.up();
      this.down();
    }
  }
}

const ended = (end: CallEnd | null): string =>
  end === null ? 'open' : end.kind === 'reply' ? `reply ${Buffer.from(end.body).toString()}` : end.kind;

t.test('delivers a call and its reply', async (t) => {
  for (const held of [false, true]) {
    const w = new World();
    const call = w.send('{"a":1}', held);
    w.settle();
    w.finish('result');
    w.settle();
    t.equal(ended(call.end), 'reply result');
    t.same(w.ran, ['{"a":1}']);
  }
});

t.test('splits large calls and replies into pieces', async (t) => {
  const w = new World();
  w.pieceBytes = 1000;
  const body = JSON.stringify({ text: 'x'.repeat(5000) });
  const call = w.send(body, true);
  t.equal(w.wire.toNode.length, 6);
  w.settle();
  w.finish('y'.repeat(3500));
  t.equal(w.wire.toFront.length, 4);
  w.settle();
  t.equal(ended(call.end), `reply ${'y'.repeat(3500)}`);
  t.same(w.ran, [body]);
});

t.test('refuses methods that are not allowed for the account', async (t) => {
  const w = new World();
  const allowed = w.send('{"method":"getblockcount"}', false);
  w.up('few');
  w.finish('1');
  w.down();
  t.equal(ended(allowed.end), 'reply 1');
  const other = w.send('{"method":"stop"}', true);
  w.up('few');
  w.down();
  t.equal(other.end?.kind === 'reply' && other.end.status, 403);
  w.up('few');
  const foreign = w.send('{"method":"getblockcount"}', false);
  w.up('strangers');
  w.down();
  t.equal(ended(foreign.end), 'refused');
  t.equal(w.ran.length, 1);
});

t.test('reserves capacity for other accounts when one account floods a node', async (t) => {
  const w = new World();
  const many = Array.from({ length: 8_200 }, (_, i) => w.send(JSON.stringify({ method: 'getblockcount', i }), true));
  for (const _ of many) w.up('few');
  while (w.wire.toFront.length > 0) w.down();
  w.wire.toNode.length = 0;
  t.ok(
    many.some(({ end }) => end?.kind === 'refused'),
    'the account has a bound',
  );
  const other = w.send('1', true);
  w.settle();
  t.same(w.ran, ['1']);
  w.finish();
  w.settle();
  t.equal(ended(other.end), 'reply done');
});

t.test('frees a call that the front has abandoned while it runs', async (t) => {
  const w = new World();
  let idle = false;
  const call = (kind: 'call' | 'done') =>
    w.answers.takeMessage(
      'fronts',
      (kind === 'call'
        ? {
            kind,
            id: 'abcdefgh',
            method: 'm',
            user: 'u',
            uri: '/',
            held: false,
            plain: true,
            token: '',
            bodyBytes: 1,
            at: 0,
            of: 1,
            bytes: text('1'),
          }
        : { kind, id: 'abcdefgh' }) as Parameters<CallAnswers['takeMessage']>[1],
      () => {},
    );
  call('call');
  call('done');
  w.finish();
  t.equal(w.answers.running, 0);
  w.answers.stop(() => {
    idle = true;
  });
  t.ok(idle);
});

t.test('a stopping node finishes the calls it has started and refuses others', async (t) => {
  const w = new World();
  const begun = w.send('1', true);
  w.settle();
  const held = w.send('2', true);
  w.up();
  let idle = false;
  w.answers.stop(() => {
    idle = true;
  });
  t.notOk(idle);
  w.settle();
  t.equal(ended(held.end), 'refused', 'it was held and is not let go any more');
  w.finish();
  t.ok(idle);
  w.settle();
  t.equal(ended(begun.end), 'reply done');
  const late = w.send('3', false);
  w.settle();
  t.equal(ended(late.end), 'refused');
  t.same(w.ran, ['1']);
});

t.test('a stopping node refuses held calls at once, because it may end before a release arrives', async (t) => {
  const w = new World();
  const held = w.send('1', true);
  w.up();
  w.down();
  t.equal(w.wire.toNode.length, 1, 'the release is on its way');
  let idle = false;
  w.answers.stop(() => {
    idle = true;
  });
  t.ok(idle, 'no call runs');
  w.down();
  t.equal(ended(held.end), 'refused', 'another node may run it');
  w.settle();
  t.same(w.ran, [], 'a late release does not run it here');
});

t.test('reports a released call to a restarted node as unknown, and other calls as lost', async (t) => {
  const w = new World();
  const [held, plain] = [w.send('1', true), w.send('2', false)];
  w.settle();
  const before = w.send('3', true);
  w.restart();
  w.calls.checkPending();
  t.equal(ended(held.end), 'unknown', 'it was let go');
  t.equal(ended(plain.end), 'lost');
  t.equal(ended(before.end), 'lost', 'it was not let go: it may be called elsewhere');
});

t.test('gives up unreleased calls to a paused node, and waits for released ones', async (t) => {
  const w = new World();
  const letGo = w.send('1', true);
  w.settle();
  w.send('2', true);
  w.run = null;
  const given = w.send('3', true);
  w.calls.checkPending();
  t.equal(ended(given.end), 'lost');
  t.equal(ended(letGo.end), 'open', 'what was let go is waited for');
  w.run = 'r1';
  w.settle();
  t.same(w.ran, ['1'], 'what was given up before is not run afterwards');
  w.finish();
  w.settle();
  t.equal(ended(letGo.end), 'reply done');
});

t.test('requests a lost reply again without running the call twice', async (t) => {
  const w = new World();
  const call = w.send('1', true);
  w.settle();
  w.finish();
  w.wire.toFront.length = 0;
  w.now += 1500;
  w.calls.checkPending();
  w.settle();
  t.equal(ended(call.end), 'reply done');
  t.equal(w.ran.length, 1);
});

t.test('never runs a call that was reported as failed, whatever is lost or late', async () => {
  const step = fc.constantFrom(
    'send',
    'sendHeld',
    'up',
    'down',
    'loseUp',
    'loseDown',
    'doubleUp',
    'finish',
    'look',
    'pause',
    'resume',
    'restart',
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const w = new World();
      const sent: { readonly body: string; readonly held: boolean; readonly result: { end: CallEnd | null } }[] = [];
      let runs = 1;
      const send = (held: boolean): void => {
        const body = `${sent.length}`;
        sent.push({ body, held, result: w.send(body, held) });
      };
      const work: Record<string, () => void> = {
        send: () => send(false),
        sendHeld: () => send(true),
        up: () => w.up(),
        down: () => w.down(),
        loseUp: () => void w.wire.toNode.shift(),
        loseDown: () => void w.wire.toFront.shift(),
        doubleUp: () => {
          const [first] = w.wire.toNode;
          if (first) w.wire.toNode.push(first);
        },
        finish: () => w.finish(),
        look: () => {
          w.now += 1100;
          w.calls.checkPending();
          w.answers.expire();
        },
        pause: () => {
          w.run = null;
        },
        resume: () => {
          w.run = `r${runs}`;
        },
        restart: () => {
          w.restart();
          w.run = `r${++runs}`;
        },
      };
      for (const name of steps) work[name]?.();
      // In the end everything comes through.
      w.run = `r${runs}`;
      for (let i = 0; i < 60; i++) {
        w.settle();
        w.finish();
        w.settle();
        w.now += 1100;
        w.calls.checkPending();
      }
      for (const { body, held, result } of sent) {
        const times = w.ran.filter((one) => one === body).length;
        if (result.end === null) throw new Error(`call ${body} never ended`);
        if (held && times > 1) throw new Error(`call ${body} ran ${times} times`);
        if (held && times > 0 && result.end.kind !== 'reply' && result.end.kind !== 'unknown') {
          throw new Error(`call ${body} ran and ended as ${result.end.kind}`);
        }
        if (result.end.kind === 'reply' && times === 0) throw new Error(`call ${body} was answered and never ran`);
      }
    }),
    { numRuns: 300 },
  );
});

t.test('rejects messages that cannot be parsed', async (t) => {
  t.equal(readFrontMessage(text('nonsense')), null);
  t.equal(readFrontMessage(encode({ kind: 'call', id: 'short' })), null);
  t.equal(readFrontMessage(encode({ kind: 'later', id: 'abcdefgh' })), null, 'of a later version');
  t.same(readFrontMessage(encode({ kind: 'go', id: 'abcdefgh', more: 1 })), {
    kind: 'go',
    id: 'abcdefgh',
    more: 1,
  } as unknown as FrontMessage);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => [readFrontMessage(bytes), readNodeMessage(bytes)].length === 2));
});
