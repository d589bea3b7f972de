// Tests the coinbase and the notify line, against bytes that are written out.
import t from 'tap';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { EXTRANONCE2_BYTES, MAX_TAG_BYTES, withWitness } from '../../../src/stratum/work/coinbase.js';
import { Extranonces } from '../../../src/stratum/work/extranonces.js';
import { notifyHash } from '../../../src/stratum/work/job.js';
import { ADDRESS, hashes, NOW_MS, SCRIPT_HEX, stratumWorld, TEMPLATE, TIP } from '../../framework/stratum-world.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const START =
  // version, one input, no outpoint
  `0200000001${'00'.repeat(32)}ffffffff` +
  // script of 26 bytes: height 840,000, "adit", a push of 16 that begins with the job's number
  '1a' +
  '0340d10c' +
  '0461646974' +
  '10' +
  '0a0b0c0d';
const COMMITMENT = `0000000000000000266a24aa21a9ed${'e2'.repeat(32)}`;
// nSequence of BIP-0054, two outputs: 312,512,345 sat to the miner, and the commitment; lock time 839,999.
const END = `feffffff02598fa0120000000016${SCRIPT_HEX}${COMMITMENT}3fd10c00`;

t.test('writes a hash for mining.notify with the bytes of each word reversed', async (t) => {
  // The genesis block, whose hash is displayed as 000000000019d668 9c085ae165831e93 4ff763ae46a2a6c1 72b3f1b60a8ce26f.
  const genesis = Buffer.from('6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000', 'hex');
  t.equal(notifyHash(genesis), '0a8ce26f72b3f1b646a2a6c14ff763ae65831e939c085ae10019d66800000000');
});

t.test('cuts the coinbase around the extranonces', async (t) => {
  const { board, payouts } = stratumWorld();
  const job = board.newTip(TIP, TEMPLATE, NOW_MS);
  const parsed = payouts.parseName(ADDRESS);
  if ('error' in parsed) throw new Error(parsed.error);
  t.equal(hex(job.coinbaseStart), START);
  t.equal(hex(job.coinbaseEnd(parsed.payout)), END);
  const whole = Buffer.concat([job.coinbaseStart, Buffer.alloc(4 + EXTRANONCE2_BYTES, 7), job.coinbaseEnd(parsed.payout)]);
  const tx = parseTx(whole, hashes, { exact: true });
  t.ok(tx.isCoinbase);
  t.equal(hex(tx.outputScript(0)), SCRIPT_HEX);
  const block = parseTx(withWitness(whole), hashes, { exact: true });
  t.same(block.txid, tx.txid, 'the witness changes no txid');
  t.equal(hex(withWitness(whole)).slice(0, 12), '020000000001');
  t.equal(hex(withWitness(whole)).slice(-76), `0120${'00'.repeat(32)}3fd10c00`);
});

t.test('writes the whole notify line', async (t) => {
  const { board, payouts } = stratumWorld();
  const job = board.newTip(TIP, { ...TEMPLATE, version: 0x3fffe004 }, NOW_MS);
  const parsed = payouts.parseName(ADDRESS);
  if ('error' in parsed) throw new Error(parsed.error);
  const expected = (clean: string): string =>
    '{"id":null,"method":"mining.notify","params":["0a0b0c0d",' +
    '"03020100070605040b0a09080f0e0d0c13121110171615141b1a19181f1e1d1c",' +
    `"${START}","${END}",["${'11'.repeat(32)}","${'22'.repeat(32)}"],"20000004","1900ffff","6b49d200",${clean}]}\n`;
  t.equal(Buffer.from(job.notifyLine(parsed.payout, true)).toString(), expected('true'));
  t.equal(Buffer.from(job.notifyLine(parsed.payout, false)).toString(), expected('false'));
  t.equal(job.notifyLine(parsed.payout, false), job.notifyLine(parsed.payout, false), 'sessions of one payout share the bytes');
});

t.test('keeps the coinbase below 255 bytes with the longest tag, the longest scripts and a fee', async (t) => {
  const taproot = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
  const script = 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3';
  const { board, payouts } = stratumWorld({ tag: 'x'.repeat(MAX_TAG_BYTES), fee: `${taproot}:1` });
  const parsed = payouts.parseName(script);
  if ('error' in parsed) throw new Error(parsed.error);
  const job = board.newTip(TIP, { ...TEMPLATE, height: 8_388_607 }, NOW_MS);
  t.equal(job.coinbaseStart.length + 12 + job.coinbaseEnd(parsed.payout).length, 246);
});

t.test('writes small heights as BIP-0034 asks, no tag, no commitment, and an empty branch', async (t) => {
  const { board, payouts } = stratumWorld({ tag: '' });
  const parsed = payouts.parseName(ADDRESS);
  if ('error' in parsed) throw new Error(parsed.error);
  const job = board.newTip(TIP, { ...TEMPLATE, height: 16, commitment: null, branch: [] }, NOW_MS);
  t.equal(hex(job.coinbaseStart).slice(82), '12' + '60' + '10' + '0a0b0c0d');
  t.equal(hex(job.coinbaseEnd(parsed.payout)), `feffffff01598fa0120000000016${SCRIPT_HEX}0f000000`);
  t.match(Buffer.from(job.notifyLine(parsed.payout, true)).toString(), `,[],"20000000",`);
});

t.test('builds lines for more payouts than it caches', async (t) => {
  const { board, payouts } = stratumWorld();
  const job = board.newTip(TIP, TEMPLATE, NOW_MS);
  for (let i = 0; i < 40; i++) {
    const script = Buffer.alloc(22, i);
    const line = Buffer.from(job.notifyLine({ address: String(i), script }, false)).toString();
    t.ok(line.includes(`16${hex(script)}`));
  }
  t.ok(payouts);
});

t.test('gives each connection another extranonce1', async (t) => {
  const extranonces = new Extranonces(3, 0x1fffffe);
  t.equal(hex(extranonces.allocate() as Uint8Array), '03fffffe');
  const last = extranonces.allocate() as Uint8Array;
  t.equal(hex(last), '03ffffff');
  t.equal(hex(extranonces.allocate() as Uint8Array), '03000000', 'the counter wraps');
  extranonces.release(last);
  t.equal(hex(extranonces.allocate() as Uint8Array), '03000001', 'a released one comes last');
  const seen = new Set<string>();
  const many = new Extranonces(0, 5);
  for (let i = 0; i < 20_000; i++) seen.add(hex(many.allocate() as Uint8Array));
  t.equal(seen.size, 20_000);
});
