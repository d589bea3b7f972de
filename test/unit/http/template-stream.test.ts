// Tests readers of the template stream while one socket throws.
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import { TemplateStreams } from '../../../src/http/front/template-stream.js';
import type { TemplateSnapshot } from '../../../src/template/view/template-view.js';

class FakeExchange {
  readonly uri = '/template/stream?full=1';
  onDisconnect: (() => void) | null = null;
  closed = false;
  breaks = false;
  text = '';

  startPieces(): boolean {
    return true;
  }
  writeStream(bytes: Uint8Array): boolean {
    if (this.breaks) throw new Error('no socket');
    this.text += Buffer.from(bytes);
    return true;
  }
  endStream(): void {}
  close(): void {
    this.closed = true;
  }
}

t.test('closes a stream whose socket throws, and sends the template to the others', async (t) => {
  const faults: unknown[] = [];
  const received = (fault: unknown): void => void faults.push(fault);
  process.on('uncaughtException', received);
  t.teardown(() => process.off('uncaughtException', received));
  let counter = 0;
  let held = 0;
  const streams = new TemplateStreams(() => {
    held++;
    const facts = { prevHashHex: '00'.repeat(32), counter };
    return { facts, parts: [Buffer.from(`template ${counter}`)], slabIndex: 0, release: () => held-- } as unknown as TemplateSnapshot;
  });
  t.teardown(() => streams.close());
  const readers = Array.from({ length: 3 }, () => new FakeExchange());
  for (const reader of readers) streams.open(reader as unknown as Exchange);
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  readers[1]!.breaks = true;
  counter = 1;
  streams.published();
  await turns();
  t.same(
    readers.map(({ text, closed }) => [text.includes('template 1'), closed]),
    [
      [true, false],
      [false, true],
      [true, false],
    ],
  );
  t.equal(streams.size, 2);
  t.equal(held, 0, 'every template was given back');
  t.match(faults, [{ message: 'no socket' }]);
});
