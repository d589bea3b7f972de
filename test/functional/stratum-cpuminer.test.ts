// Lets pooler's cpuminer (minerd) mine 20 blocks over Stratum V1. Skipped if the program is not installed: Debian 11
// has it as cpuminer; on other systems it has to be built from github.com/pooler/cpuminer. ADIT_MINERD names the
// program if it is not in the path.
import { spawn, spawnSync } from 'node:child_process';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const minerd = process.env.ADIT_MINERD ?? 'minerd';
const missing = spawnSync(minerd, ['--version']).error === undefined ? false : { skip: 'needs the minerd program (cpuminer)' };
/**
 * The test uses its own signet, whose challenge needs no signature: there a block takes five million hashes. On regtest
 * every second hash would be a block.
 */
const BLOCKS = 20;

t.test('cpuminer mines blocks', missing || {}, async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-signet', '-signetchallenge=51', '-stratum', `-stratumport=${port}`);
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress', '', 'bech32');
  const options = ['-a', 'sha256d', '-o', `stratum+tcp://127.0.0.1:${port}`, '-u', `${address}.cpu`, '-p', 'x', '-t', '2', '-D'];
  const child = spawn(minerd, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  await until(`cpuminer has ${BLOCKS} blocks`, async () => {
    if (child.exitCode !== null) throw new Error(`cpuminer ended: ${output.slice(-2_000)}`);
    return (await node.call('getblockcount')) >= BLOCKS;
  });
  const { tx } = await node.call('getblock', await node.call('getblockhash', BLOCKS), 2);
  t.match(JSON.stringify(tx[0].vout[0].scriptPubKey), address);
  t.match(output, 'Stratum difficulty set to');
  t.match(output, '(yay!!!)', 'cpuminer reads the replies as accepted shares');
  t.notMatch(output, 'booooo');
});
