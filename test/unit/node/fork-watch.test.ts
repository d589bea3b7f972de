// Warning about an invalid chain that is longer than the best chain.
import t from 'tap';
import { silentLogger } from '../../../src/log/logger.js';
import { ForkWatch } from '../../../src/node/fork-watch.js';
import { COMPATS } from '../../../src/policy/compat.js';

/** Work of a block of regtest is 2. */
const REGTEST_BITS = 0x207fffff;
const block = (height: number) => ({ chainWork: BigInt(2 * height), bits: REGTEST_BITS, height, hashHex: 'ab' });

t.test('warns while an invalid chain is more than six blocks longer than the best chain', async (t) => {
  const [lines, alerts]: string[][] = [[], []];
  let downloading = false;
  const view = { tip: block(10), isInitialBlockDownload: () => downloading };
  const blocks = { bestInvalid: null as ReturnType<typeof block> | null };
  const chain = { view, blocks };
  const log = { ...silentLogger, warn: (line: string) => void lines!.push(line) };
  const watch = new ForkWatch(chain as never, log, (text) => void alerts!.push(text), COMPATS['31']);
  t.equal(watch.text, '');
  blocks.bestInvalid = block(16);
  t.equal(watch.text, '', 'six');
  blocks.bestInvalid = block(17);
  downloading = true;
  t.equal(watch.text, '', 'never during the initial block download');
  downloading = false;
  watch.checkChains();
  t.match(watch.text, /^Warning: Found invalid chain more than 6 blocks longer than our best chain\. /);
  t.same(alerts, [watch.text], 'one alert');
  t.same(lines, [`${watch.text} Last block of that chain: ab, height 17.`]);
  view.tip = block(11);
  t.equal(watch.text, '');
  view.tip = block(10);
  watch.checkChains();
  t.equal(alerts!.length, 2);
  const old = new ForkWatch(chain as never, silentLogger, () => {}, COMPATS['0.21.1']);
  t.match(old.text, /^Warning: We do not appear to fully agree with our peers! /);
});
