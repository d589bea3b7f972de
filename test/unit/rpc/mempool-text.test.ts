// Tests texts about the whole mempool: the bytes are the same from the tables themselves and from a copy on another
// thread, and the values are those of the entries. Each text is made once for every state of the mempool.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { chunksOfCluster } from '../../../src/mempool/feerate-diagram.js';
import { copyTables } from '../../../src/mempool/pool-tables.js';
import { collectAncestors } from '../../../src/mempool/relatives.js';
import { TxPool } from '../../../src/mempool/tx-pool.js';
import { COMPATS } from '../../../src/policy/compat.js';
import type { TextForm } from '../../../src/rpc/context/mempool.js';
import { runTextJob, type TextJob, writeText } from '../../../src/rpc/node/mempool-text.js';
import { MempoolTexts } from '../../../src/rpc/node/mempool-texts.js';
import { crypto } from '../../framework/pool-under-test.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const COUNT = 400;
const display = (id: Uint8Array): string => Buffer.from(id).reverse().toString('hex');

/** Adds transactions, most of them with a parent. Every seventh signals replaceability. */
function fill(pool: TxPool, count: number, random: () => number): void {
  const below = (n: number): number => Math.floor(random() * n);
  const txids: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const parent = i % 3 > 0 ? txids[below(txids.length)]! : Uint8Array.from({ length: 32 }, () => below(256));
    const input = { prevHash: parent, prevIndex: i, scriptSig: new Uint8Array(0), sequence: i % 7 === 0 ? 1 : 0xffffffff, witness: [] };
    const bytes = buildTx({ version: 2, inputs: [input], outputs: [{ value: i, script: new Uint8Array(30) }], locktime: 0 });
    const tx = parseTx(bytes, crypto);
    txids.push(tx.txid);
    // One fee is above 2^32 satoshis.
    const fee = i === 5 ? 6_000_000_000 : below(5_000);
    pool.add({ tx, fee, time: 1_700_000_000 + i, height: 100 + i, sigopCost: 0, size: tx.vsize, spendsCoinbase: false, locks: null });
  }
  for (let i = 0; i < count; i += 11) pool.prioritise(txids[i] as never, i - 50);
}

const styleOf = (name: keyof typeof COMPATS, byChunks = true) => ({ compat: COMPATS[name], bip125: false, byChunks });
const inline = (pool: TxPool, form: TextForm, style = styleOf('default')): string =>
  writeText(pool, { form, rows: null, sequence: 77 }, style).toString();

t.test('shows every entry with its figures and relatives', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, COUNT, pseudoRandom(3));
  const text = inline(pool, 'entries');
  const shown = JSON.parse(text) as Record<string, Record<string, unknown> & { fees: Record<string, number> }>;
  t.equal(Object.keys(shown).length, COUNT);
  const sats = (btc: number): number => Math.round(btc * 1e8);
  for (const row of pool.rows.here()) {
    const entry = pool.records.entry(row);
    const one = shown[display(entry.txid)]!;
    const chunk = chunksOfCluster(pool, row).find(({ rows }) => rows.includes(row))!;
    const ancestors = [...collectAncestors(pool.links, row)].map((ancestor) => pool.records.entry(ancestor));
    const { fees, ...rest } = one;
    t.same(Object.fromEntries(Object.entries(fees).map(([name, btc]) => [name, sats(btc)])), {
      base: entry.fee,
      modified: entry.modifiedFee,
      ancestor: entry.ancestorFees,
      descendant: entry.descendantFees,
      chunk: chunk.fee,
    });
    t.same(
      { ...rest, fee: sats(rest.fee as number), modifiedfee: sats(rest.modifiedfee as number) },
      {
        vsize_adjusted: entry.size,
        vsize: entry.size,
        vsize_bip141: Math.ceil(entry.weight / 4),
        weight: entry.weight,
        fee: entry.fee,
        modifiedfee: entry.modifiedFee,
        time: entry.time,
        height: entry.height,
        descendantcount: entry.descendantCount,
        descendantsize: entry.descendantSize,
        descendantfees: entry.descendantFees,
        ancestorcount: entry.ancestorCount,
        ancestorsize: entry.ancestorSize,
        ancestorfees: entry.ancestorFees,
        wtxid: display(entry.wtxid),
        chunkweight: chunk.weight,
        depends: Array.from(entry.parents, ({ txid }) => display(txid)).sort(),
        spentby: Array.from(entry.children, ({ txid }) => Buffer.from(txid))
          .sort(Buffer.compare)
          .map(display),
        'bip125-replaceable': entry.signalsReplacement || ancestors.some(({ signalsReplacement }) => signalsReplacement),
        unbroadcast: false,
      },
    );
  }
  t.match(text, /^\{"[0-9a-f]{64}":\{"fees":\{"base":0\.0000/);
});

t.test('has the members of the release, in its order', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, 3, pseudoRandom(4));
  const members = (style: Parameters<typeof inline>[2]): string => {
    const [first] = Object.values(JSON.parse(inline(pool, 'entries', style)) as Record<string, { fees: object }>);
    return `${Object.keys(first!).join()} ${Object.keys(first!.fees).join()}`;
  };
  t.equal(
    members(styleOf('0.21.1', false)),
    'fees,vsize,weight,fee,modifiedfee,time,height,descendantcount,descendantsize,descendantfees,ancestorcount,ancestorsize,ancestorfees,' +
      'wtxid,depends,spentby,bip125-replaceable,unbroadcast base,modified,ancestor,descendant',
  );
  const since31 =
    'vsize_adjusted,vsize,vsize_bip141,weight,time,height,descendantcount,descendantsize,ancestorcount,ancestorsize,wtxid,chunkweight,' +
    'fees,depends,spentby,unbroadcast base,modified,ancestor,descendant,chunk';
  t.equal(members(styleOf('31')), since31);
  t.equal(members({ ...styleOf('31'), bip125: true }), since31.replace('unbroadcast', 'bip125-replaceable,unbroadcast'));
});

t.test('writes the same from a copy of the tables, whatever changes afterwards', async (t) => {
  const pool = new TxPool(1 << 16);
  fill(pool, COUNT, pseudoRandom(5));
  for (const style of [styleOf('default'), styleOf('31'), styleOf('0.21.1', false)]) {
    const copy = copyTables(pool);
    const forms: TextForm[] = ['ids', 'sequence', 'entries', 'diagram'];
    const before = forms.map((form) => inline(pool, form, style));
    for (const row of pool.rows.here()) if (row % 4 === 0 && pool.rows.isHere(row)) pool.removeWithDescendants(row, 'sizelimit');
    fill(pool, COUNT, pseudoRandom(6 + pool.size));
    const after = forms.map((form) => {
      const bytes = runTextJob(structuredClone({ copy, style, form, rows: null, sequence: 77 }));
      t.type(bytes.buffer, SharedArrayBuffer);
      return Buffer.from(bytes).toString();
    });
    t.same(after, before);
    t.not(inline(pool, 'ids', style), before[0], 'the tables have changed');
  }
  t.match(inline(pool, 'sequence'), /^\{"txids":\["[0-9a-f]{64}",.*"\],"mempool_sequence":77\}$/);
  const points = JSON.parse(inline(pool, 'diagram')) as { weight: number; fee: number }[];
  t.same(points[0], { weight: 0, fee: 0 });
  const slopes = points.slice(1).map(({ weight, fee }, i) => (fee - points[i]!.fee) / (weight - points[i]!.weight));
  t.ok(
    slopes.every((slope, i) => i === 0 || slope <= slopes[i - 1]! + 1e-12),
    'fee rates fall',
  );
});

t.test('makes a text once for every state, and large ones on other threads', async (t) => {
  const pool = new TxPool(1 << 16);
  const jobs: TextJob[] = [];
  let broken = false;
  const runNamed = (name: string, job: unknown): Promise<never> => {
    t.equal(name, 'writeMempool');
    jobs.push(job as TextJob);
    return broken
      ? Promise.reject(new Error('the threads are closed'))
      : Promise.resolve(runTextJob(structuredClone(job as TextJob)) as never);
  };
  const source = {
    get size() {
      return pool.size;
    },
    get sequence() {
      return pool.sequence;
    },
    tables: pool,
  };
  const texts = new MempoolTexts(source, { runNamed }, styleOf('default'));
  const text = async (form: TextForm): Promise<string> => (await texts.whole(form)).text;
  t.equal(await text('ids'), '[]');
  t.equal(await text('entries'), '{}');
  fill(pool, 3, pseudoRandom(7));
  t.equal(await text('entries'), inline(pool, 'entries'));
  t.equal(jobs.length, 0, 'few transactions need no job');

  fill(pool, COUNT, pseudoRandom(8));
  const [first, second] = await Promise.all([texts.whole('ids'), texts.whole('ids')]);
  t.equal(first.text, inline(pool, 'ids'));
  t.equal(first.sharedPart, second.sharedPart, 'two replies share the bytes');
  t.equal(jobs.length, 1);
  t.equal(await text('entries'), inline(pool, 'entries'));
  t.equal(jobs.length, 2);
  pool.prioritise(pool.records.entry(9).txid, 1_000_000);
  t.equal(await text('entries'), inline(pool, 'entries'));
  fill(pool, 1, pseudoRandom(9));
  t.equal(await text('ids'), inline(pool, 'ids'));
  t.equal(jobs.length, 4, 'a change makes both out of date');

  const rows = pool.rows.here();
  for (const form of ['ids', 'entries'] as const) {
    const expected = writeText(pool, { form, rows, sequence: 0 }, styleOf('default')).toString();
    t.equal((await texts.of(form, () => rows)).text, expected);
    t.equal((await texts.of(form, () => rows.subarray(0, 2))).text.length < expected.length, true);
  }
  t.equal(jobs.length, 6, 'two rows need no job');

  broken = true;
  fill(pool, 1, pseudoRandom(10));
  await t.rejects(text('ids'), /closed/);
  broken = false;
  t.equal(await text('ids'), inline(pool, 'ids'), 'a failure is not retained');
});
