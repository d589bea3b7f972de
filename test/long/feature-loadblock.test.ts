// Tests -loadblock with real history: the first blocks of mainnet and signet and a regtest chain are validated in full,
// loaded again over the existing data, and loaded after a restart.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { hash256, shown } from '../framework/messages.js';
import { PATIENCE_MS } from '../framework/until.js';

const chains = path.resolve(process.env.VECTORS ?? '../shared/vectors', 'chains');

/** Hashes of the blocks in a file of hex lines. */
const hashes = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => shown(hash256(Buffer.from(line.slice(0, 160), 'hex'))));

const log = (node: Daemon): string => readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

/** Waits until the node has read all its files as often as it was started. */
async function loaded(node: Daemon, starts: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
    if (log(node).split('Done loading').length > starts) return;
  }
  throw new Error(`still loading: ${log(node).slice(-500)}`);
}

function suite(name: string, height: number, options: readonly string[], more: (t: Test, node: Daemon) => Promise<void>): void {
  const file = path.join(chains, name);
  t.test(`${name} ${options}`, { skip: existsSync(file) ? false : `${file} is not there` }, async (t) => {
    const blocks = hashes(file);
    const node = await Daemon.startFor(t, ...options, `-loadblock=${file}`);
    await loaded(node, 1);
    t.equal(await node.call('getblockcount'), height);
    t.equal(await node.call('getbestblockhash'), blocks.at(-1));
    t.equal(await node.call('verifychain', 4, 0), true);
    t.equal((await node.call('getblockheader', blocks.at(-1))).confirmations, 1);
    await more(t, node);
    const stats = await coinFigures(node);
    t.equal(stats.height, height);
    t.same(await node.stop(), { code: 0, signal: null });
    await node.up();
    await loaded(node, 2);
    t.match(log(node), /Imported 0 blocks/, 'what is known is not taken twice');
    t.same(await coinFigures(node), stats);
  });
}

suite('main-1-180.hex', 180, ['-chain=main', '-assumevalid=0'], async (t, node) => {
  t.equal((await node.call('getblockchaininfo')).chain, 'main');
  t.equal(await node.call('getblockhash', 1), '00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048');
  // The first payment ever, in block 170, and what is left of the coin it spent.
  const block = await node.call('getblock', await node.call('getblockhash', 170), 2);
  t.equal(block.tx[1].txid, 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16');
  t.equal(await node.call('gettxout', '0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9', 0), null);
});
suite('signet-0-60.hex', 60, ['-signet'], async (t, node) => {
  t.equal((await node.call('getblockchaininfo')).chain, 'signet');
});
for (const par of [1, 2]) {
  suite('regtest-kernel-a.hex', 206, [`-par=${par}`], async (t, node) => {
    t.equal((await node.call('getblockchaininfo')).chain, 'regtest');
  });
}
