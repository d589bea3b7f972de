// Templates that clients come back with stay known, whatever other clients do.
import t from 'tap';
import type { ServedTemplate, ServedTip } from '../../../src/mining/messages.js';
import { TemplateTable } from '../../../src/sv2/serve/template-table.js';

const nothing = new Int32Array(0);

const served = (serial: number): ServedTemplate => ({
  serial,
  height: 7,
  version: 0x20000000,
  value: 5_000_000_000,
  commitment: null,
  kind: 'full',
  branch: [],
  transactions: { segments: [], segmentOf: nothing, offsets: nothing, lengths: nothing },
});

const tip = (height: number): ServedTip => ({
  prevHash: new Uint8Array(32).fill(height),
  height,
  headerTimestamp: 1,
  minTime: 1,
  bits: 0x207fffff,
  target: 1n,
  acceptedMs: null,
});

function boardOnTip() {
  const board = new TemplateTable(0);
  board.newTip(tip(7), 1, served(1), 0);
  const full = board.addTemplate(served(2), ['key']);
  const staged = board.stageTemplate(served(3));
  return { board, full, staged };
}

t.test('limits the templates of a client that asks repeatedly, and keeps those of others', async (t) => {
  const { board, full, staged } = boardOnTip();
  const working = board.reissue(full, 1);
  const held = board.stagedAbove(working)!;
  t.equal(held.served, staged.served);
  t.ok(held.id > working.id);
  const before = board.addTemplate(served(4), ['key']);
  for (let i = 0; i < 1000; i++) {
    board.stagedAbove(board.reissue(before, 2));
  }
  t.ok(board.size < 30, `${board.size} templates are held`);
  const next = board.addTemplate(served(5), ['key']);
  for (let client = 3; client < 1003; client++) {
    board.reissue(next, client);
    board.forgetClient(client);
  }
  t.ok(board.size < 100, `${board.size} templates are held`);
  board.addTemplate(served(6), ['key']);
  for (const { id } of [full, working, before, held, staged]) t.equal(board.get(id)?.id, id);
  // The staged one becomes work under each of its ids.
  board.newTip(tip(8), 3, null, 1);
  t.equal(board.get(held.id)?.tip?.height, 8);
  t.equal(board.get(staged.id)?.tip?.height, 8);
  t.equal(board.get(working.id)?.tip?.height, 7);
});

t.test('drops a template under each of its ids', async (t) => {
  const { board, full } = boardOnTip();
  const again = board.reissue(full, 1);
  for (let serial = 10; serial < 100; serial++) board.addTemplate(served(serial), ['key']);
  t.equal(board.get(full.id), null);
  t.equal(board.get(again.id), null);
});

t.test('gives clients that start from the same template the same staged template', async (t) => {
  const { board, staged } = boardOnTip();
  const richer = board.addTemplate(served(4), ['key']);
  const first = board.stagedAbove(richer)!;
  t.not(first.id, staged.id);
  t.equal(board.stagedAbove(richer)?.id, first.id);
});
