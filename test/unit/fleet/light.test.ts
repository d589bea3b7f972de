// Blocks on light templates made whole at a front.
import t from 'tap';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { LightTemplates } from '../../../src/fleet/follow/light.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import { buildBlock, GENESIS } from '../../framework/chain-builder.js';

const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));
const facts = (workId: string, height: number): TemplateFacts => ({ height, live: { workId } }) as unknown as TemplateFacts;
const json = (...data: string[]): Uint8Array => text(JSON.stringify(data.map((one) => ({ data: one, txid: '' }))));
const { bytes: block } = buildBlock(GENESIS, { time: 1_700_000_000 });
/** Header and coinbase: what is left of a block with one transaction without its count. */
const work = Buffer.concat([block.subarray(0, 80), block.subarray(81)]).toString('hex');
const submission = (hex: string, workid: unknown = 'w1'): Uint8Array =>
  text(JSON.stringify({ id: 7, method: 'submitblock', params: [hex, { workid }] }));

t.test('keeps the template that a light reply names, and completes its block', async (t) => {
  for (const replyFirst of [false, true]) {
    const light = new LightTemplates(createNativeHashes(), () => 'token');
    const reply = (): void => light.noteReply('{"result":{"workid":"w1"},"id":1}');
    if (replyFirst) reply();
    light.takeTemplate(facts('w1', 5), json('aabb', 'cc'));
    if (!replyFirst) reply();
    light.takeTemplate(facts('w2', 5), json('dd'));
    const whole = light.completeBlock(submission(work));
    t.same(JSON.parse(Buffer.from(whole!.body).toString()), { id: 7, method: 'submitblock', params: ['token'] });
    t.equal(whole!.block.token, 'token');
    const expected = `${work.slice(0, 160)}03${work.slice(160)}aabbcc`;
    t.equal(Buffer.from(whole!.block.bytes).toString('hex'), expected, `${replyFirst}`);
    t.equal(light.completeBlock(submission(work, 'w2')), null, 'no client was given that template');
  }
});

t.test('passes on submissions that do not belong to a light template', async (t) => {
  const light = new LightTemplates(createNativeHashes(), () => 'token');
  light.noteReply('{"result":{"workid":"w1"},"id":1}');
  t.equal(light.completeBlock(submission(work)), null, 'the template has not come');
  light.takeTemplate(facts('w1', 5), null);
  t.ok(light.completeBlock(submission(work)));
  t.equal(light.completeBlock(submission(block.toString('hex'))), null, 'a whole block');
  for (const odd of ['', 'zz', work.slice(0, 100), `${work}00`]) t.equal(light.completeBlock(submission(odd)), null, odd);
  for (const id of [null, 5, {}]) t.equal(light.completeBlock(submission(work, id)), null);
  for (const body of ['[]', 'null', '{"params":5,"x":"workid"}', 'workid']) t.equal(light.completeBlock(text(body)), null, body);
});

t.test('keeps light templates for two blocks, and 64 at most', async (t) => {
  const light = new LightTemplates(createNativeHashes(), () => 'token');
  light.noteReply('{"result":{"workid":"w1"},"id":1}');
  light.takeTemplate(facts('w1', 5), null);
  light.takeTemplate(facts('x', 7), null);
  t.ok(light.completeBlock(submission(work)));
  light.takeTemplate(facts('x', 8), null);
  t.equal(light.completeBlock(submission(work)), null);
  for (let i = 0; i < 100; i++) light.noteReply(`{"result":{"workid":"n${i}"}}`);
  t.equal(light.size, 64);
  // A client's name for its request, and refusals, do not name a template.
  light.noteReply('{"result":{"workid":"mine"},"error":null,"id":1}');
  for (let i = 0; i < 100; i++) {
    light.noteReply(`{"result":null,"error":{"code":-8},"id":{"workid":"x${i}"}}`);
    light.noteReply(`{"result":"00","error":null,"id":{"result":{"workid":"y${i}"}}}`);
  }
  light.takeTemplate(facts('mine', 9), null);
  t.ok(light.completeBlock(submission(work, 'mine')));
});
