// Kills a real process with a real database by SIGKILL at random moments. At the next start every acknowledged block is
// there and the tip is consistent. (crash.test.ts simulates a crash at every write. Here the files of the system and
// RocksDB take part.)
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openStore } from '../../../src/storage/open-store.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, openFixture, temporaryFolder } from '../../framework/chain-fixture.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const KILLS = Number(process.env.CHAIN_KILLS ?? 6);
const child = fileURLToPath(new URL('./kill-child.js', import.meta.url));

/** Builds blocks with spends. At every few blocks there is a short branch that a longer one replaces. */
function story(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 110);
  const pay = (i: number) =>
    spend(
      [reward(blocks[i]!)],
      [0, 1, 2, 3].map(() => ({ value: 1000, script: ANYONE })),
    );
  let tip = blocks[109]!;
  for (let i = 0; i < 60; i++) {
    const next = buildBlock(tip, { txs: [pay(i)], tag: i });
    if (i % 4 !== 3) {
      blocks.push(next);
      tip = next;
      continue;
    }
    const rival = buildBlock(tip, { tag: i + 1000 });
    const second = buildBlock(rival, { txs: [pay(i)], tag: i + 1000 });
    blocks.push(next, rival, second);
    tip = second;
  }
  return blocks;
}

interface Life {
  readonly acknowledged: string[];
  readonly finished: boolean;
}

/** Runs the child, and kills it a moment after it has acknowledged the given number of blocks. */
function live(folder: string, blocks: string, mode: string, kill: { afterLines: number; delayMs: number } | null): Promise<Life> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, folder, blocks, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    let armed = kill !== null;
    process_.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      if (!armed || text.split('\n').length <= (kill?.afterLines ?? 0)) return;
      armed = false;
      setTimeout(() => process_.kill('SIGKILL'), kill?.delayMs);
    });
    process_.on('error', reject);
    process_.on('close', () => {
      const lines = text.split('\n').slice(0, -1);
      const acknowledged = lines.filter((line) => /^(accepted|duplicate|inconclusive) /.test(line)).map((line) => line.split(' ')[1]!);
      resolve({ acknowledged, finished: lines[lines.length - 1] === 'done' });
    });
  });
}

for (const mode of ['tip', 'download']) {
  t.test(`keeps all acknowledged blocks when killed ${KILLS} times, ${mode}`, async (t) => {
    const random = pseudoRandom(mode.length);
    const blocks = story();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'blocks'));
    const list = join(folder, 'blocks.hex');
    const known = new Set<string>();
    for (let life = 0; life <= KILLS; life++) {
      const rest = blocks.filter(({ hashHex }) => !known.has(hashHex));
      writeFileSync(list, rest.map(({ bytes }) => `${bytes.toString('hex')}\n`).join(''));
      const last = life === KILLS;
      const kill = last ? null : { afterLines: 2 + Math.floor((random() * blocks.length) / (KILLS + 1)), delayMs: random() * 4 };
      const { acknowledged, finished } = await live(folder, list, mode, kill);
      if (last) t.ok(finished, 'the last life came to its end');
      for (const hash of acknowledged) known.add(hash);

      const store = await openStore({ path: join(folder, 'db') });
      const fixture = await openFixture({ store, dir: join(folder, 'blocks') });
      const { chain } = fixture;
      const lost = [...known].filter((hash) => {
        const node = chain.view.node(hash);
        return node === undefined || !chain.blocks.hasBlock(node);
      });
      t.same(lost, [], `life ${life}: ${known.size} acknowledged blocks are there`);
      const best = Math.max(0, ...blocks.filter(({ hashHex }) => known.has(hashHex)).map(({ height }) => height));
      t.ok(chain.view.tip.height >= best, `the tip at ${chain.view.tip.height} is as high as the best of them`);
      t.ok(await chain.commands.verifyChain(4, 20));
      const straight = await openFixture();
      const branch = blocks.filter(
        ({ hashHex }) => chain.view.contains(chain.view.node(hashHex) ?? chain.view.genesis) && chain.view.node(hashHex) !== undefined,
      );
      for (const { bytes } of branch) await straight.chain.commands.submitBlock(bytes);
      t.equal(straight.chain.view.tip.hashHex, chain.view.tip.hashHex);
      t.same(await coinsOf(fixture), await coinsOf(straight), 'and the coins are right');
      await straight.end();
      await chain.close();
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });
}
