// Exceptions at the connection to the broker: those of the library, and those of listeners. The library stops reading a
// connection when a callback throws.
import t from 'tap';
import { Broker } from '../../../src/fleet/broker.js';

type Callback = (error: Error | null, message: unknown) => void;

/** A connection that passes on what tests say. */
function createConnection() {
  const callbacks = new Map<string, Callback>();
  const published: unknown[] = [];
  const nc = {
    info: { max_payload: 1024 },
    isClosed: () => false,
    status: async function* () {
      yield { type: 'reconnect', server: 'a' };
      yield { type: 'reconnect', server: 'b' };
    },
    subscribe: (subject: string, { callback }: { callback: Callback }) => callbacks.set(subject, callback),
    publish: (subject: string, body: Uint8Array, { reply }: { reply?: string }) => {
      if (subject.includes(' ') || body.length > 1024) throw new Error(`illegal subject or payload`);
      published.push([subject, body.length, reply]);
    },
  };
  return { nc: nc as never, callbacks, published };
}

t.test('reports an exception of a callback, and calls it for the next message', (t) => {
  const { nc, callbacks } = createConnection();
  const reported: string[] = [];
  const broker = new Broker(nc, 'a', { onChange() {}, onError: (text) => reported.push(text) });
  const taken: unknown[] = [];
  const refused: string[] = [];
  broker.subscribe(
    'x.*',
    (message) => {
      if (taken.push(message) === 1) throw new Error('broken');
    },
    (error) => refused.push(error.message),
  );
  const callback = callbacks.get('x.*')!;
  callback(null, 1);
  callback(null, 2);
  callback(new Error('not allowed'), undefined);
  t.same(taken, [1, 2]);
  t.same(refused, ['not allowed']);
  t.same(reported, ['a message on x.* failed: broken']);
  t.end();
});

t.test('reports what the library refuses to publish, such as the subject of a peer', (t) => {
  const { nc, published } = createConnection();
  const reported: string[] = [];
  const broker = new Broker(nc, 'a', { onChange() {}, onError: (text) => reported.push(text) });
  broker.publish('reply with spaces', new Uint8Array(1));
  broker.publish('large', new Uint8Array(2000));
  broker.publish('good', new Uint8Array(3), 'answers');
  t.same(published, [['good', 3, 'answers']]);
  t.equal(reported.length, 2);
  t.end();
});

t.test('follows the connection although the owner throws at a change', async (t) => {
  const { nc } = createConnection();
  const servers: string[] = [];
  const reported: string[] = [];
  new Broker(nc, 'a', {
    onChange: (_, server) => {
      servers.push(server);
      throw new Error('broken');
    },
    onError: (text) => reported.push(text),
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.same(servers, ['a', 'b']);
  t.equal(reported.length, 2);
});
