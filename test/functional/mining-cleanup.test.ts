// Tests BIP-0054 with real processes: the members of a template about the coinbase, the warning about a coinbase that
// will be invalid, and the deployment on regtest from signalling until invalid blocks are refused.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { mine } from '../framework/miner.js';
import { MiniWallet } from '../framework/mini-wallet.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const KNOWING = { rules: ['segwit', 'consensuscleanup'] };
const WARNING = 'that BIP54 (consensus cleanup) will not allow';

const warnings = (node: Daemon): number => fs.readFileSync(path.join(node.dir, 'regtest', 'debug.log'), 'utf8').split(WARNING).length - 1;

t.test("keeps today's rules on a network without the consensus cleanup", async (t) => {
  const node = await Daemon.startFor(t);
  const key = new MiniWallet().key();
  const plain = await node.call('getblocktemplate', { rules: ['segwit'] });
  t.notOk('coinbaselocktime' in plain || 'coinbasesequence' in plain, 'only for clients that name the rule');
  const template = await node.call('getblocktemplate', KNOWING);
  t.match(template, { height: 1, coinbaselocktime: 0, coinbasesequence: 0xfffffffe, rules: ['csv', '!segwit', 'taproot'] });
  t.equal(Object.keys(template).slice(-2).join(), 'coinbaselocktime,coinbasesequence', 'after everything else');
  const lock = { locktime: template.coinbaselocktime, sequence: template.coinbasesequence };
  t.equal(await node.call('submitblock', mine(template, 'p2wpkh', key, lock).hex), null);
  t.equal(warnings(node), 0);
  for (let i = 0; i < 3; i++) {
    const next = await node.call('getblocktemplate', { rules: ['segwit'] });
    t.equal(await node.call('submitblock', mine(next, 'p2wpkh', key).hex), null, 'valid today');
  }
  t.equal(warnings(node), 1, 'one warning a client');
  t.notOk('consensuscleanup' in (await node.call('getblockchaininfo')).softforks);
});

t.test('enforces the consensus cleanup on regtest once it is active', async (t) => {
  const node = await Daemon.startFor(t, '-vbparams=consensuscleanup:0:999999999999');
  const key = new MiniWallet().key();
  await node.call('generatetoaddress', 143, ADDRESS);
  const silent = await node.call('getblocktemplate', { rules: ['segwit'] });
  t.match(silent, { version: 0x30000000, vbavailable: { '!consensuscleanup': 4 } }, 'a client that does not know it must not vote');
  t.equal((await node.call('getblocktemplate', KNOWING)).version, 0x30000010);
  await node.call('generatetoaddress', 287, ADDRESS);
  t.equal((await node.call('getblockchaininfo')).softforks.consensuscleanup.bip9.status, 'locked_in');
  await node.call('generatetoaddress', 1, ADDRESS);
  t.match((await node.call('getblockchaininfo')).softforks.consensuscleanup, { active: true, height: 432 });
  await t.rejects(node.call('getblocktemplate', { rules: ['segwit'] }), {
    message: "Support for 'consensuscleanup' rule requires explicit client support",
  });
  const template = await node.call('getblocktemplate', KNOWING);
  t.match(template, { height: 432, coinbaselocktime: 431, rules: ['csv', '!segwit', 'testdummy', 'taproot', '!consensuscleanup'] });
  const locks = [
    ['bad-cb-locktime', 0, 0xffffffff],
    ['bad-cb-locktime', 430, 0xfffffffe],
    ['bad-cb-sequence', 431, 0xffffffff],
    [null, 431, 0],
  ] as const;
  for (const [reason, locktime, sequence] of locks) {
    const { hex } = mine(template, 'p2wpkh', key, { locktime, sequence });
    t.equal(await node.call('getblocktemplate', { mode: 'proposal', data: hex }), reason, `proposal ${reason}`);
    t.equal(await node.call('submitblock', hex), reason, `block ${reason}`);
  }
  // Blocks that the node makes itself comply with BIP-0054.
  const [hash] = await node.call('generatetoaddress', 1, ADDRESS);
  const { tx } = await node.call('getblock', hash, 2);
  t.match(tx[0], { locktime: 432, vin: [{ sequence: 0xfffffffe }] });
  await node.stop();
  await node.up();
  t.equal(await node.call('getblockcount'), 433);
});
