// Random and mutated arguments to the calls that pay: each is answered in order, what is refused changes neither the
// wallet (in memory and on the disk) nor its locks nor the mempool, and what is paid is in the mempool. ADIT_SEED,
// ADIT_FUZZ as in wallet-fuzz.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { changesOf, WalletState } from '../framework/wallet-state.js';

const seed = Number(process.env.ADIT_SEED ?? 1);
const calls = Number(process.env.ADIT_FUZZ ?? rounds(100, 400));
const OUTSIDE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const OTHER = 'mxWwSC3embPZQLkTvKUKd2W9tB1wuDB7yU';
const atoms: unknown[] = [null, true, false, 0, -1, 1, 0.5, 1e30, '', 'x', '1.5', OUTSIDE, 'ff'.repeat(32), [], {}, [0], { a: 1 }];
/** Codes a paying call may refuse with; an internal error is none of them. */
const codes = [-1, -3, -4, -5, -6, -8, -12, -18, -22, -25, -26, -32];

t.test('pays exactly what random calls ask for', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3', '-fallbackfee=0.0002');
  const random = pseudoRandom(seed);
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  let refused = 0;
  let paid = 0;
  for (const name of ['legacy', 'descriptors']) {
    await node.call('createwallet', name, false, false, null, false, name === 'descriptors');
    const wallet = (method: string, ...params: unknown[]) => node.callWallet(name, method, ...params);
    const own = await wallet('getnewaddress');
    await node.call('generatetoaddress', 6, own);
    await node.call('generatetoaddress', 100, OTHER);
    const state = new WalletState(node, name, [['getrawmempool']]);
    const payments: string[] = ['00'.repeat(32)];
    const amount = (): unknown => choose([0.1, 0.5, 1, 2, 0.000001, 500, '0.25']);
    const outputs = (): Record<string, unknown> => (random() < 0.5 ? { [OUTSIDE]: amount() } : { [OUTSIDE]: amount(), [OTHER]: amount() });
    const options = async (): Promise<Record<string, unknown>> => {
      const [coin] = await wallet('listunspent');
      const known: Record<string, unknown> = {
        add_inputs: random() < 0.5,
        change_position: choose([0, 1, 2, 9]),
        change_address: OTHER,
        change_type: choose(['legacy', 'bech32', 'no']),
        fee_rate: choose([1, 2.5, 0.1, 30, 5000]),
        feeRate: choose([0.00001, 0.1]),
        conf_target: choose([2, 6, 5000]),
        estimate_mode: choose(['economical', 'unset', 'x']),
        lock_unspents: random() < 0.5,
        subtract_fee_from_outputs: choose([[0], [0, 1], [1, 1], [-1]]),
        replaceable: random() < 0.5,
        inputs: coin ? [{ txid: coin.txid, vout: coin.vout }] : [],
        locktime: choose([0, 50, 1e12]),
        psbt: random() < 0.5,
        add_to_wallet: random() < 0.7,
        include_watching: random() < 0.5,
      };
      const names = Object.keys(known).filter(() => random() < 0.15);
      return Object.fromEntries(names.map((one) => [one, random() < 0.1 ? choose(atoms) : known[one]]));
    };
    const rate = (): unknown[] =>
      choose<unknown[]>([
        [null, null, 3],
        [6, 'economical', null],
        [null, null, null],
        [2, null, 1],
        [null, 'x', null],
      ]);
    const flag = (): unknown => choose([true, false, null]);
    const requests: (() => Promise<[string, unknown[]]> | [string, unknown[]])[] = [
      () => {
        const [target, mode, feeRate] = rate();
        return ['sendtoaddress', [choose([OUTSIDE, OTHER, 'x']), amount(), 'c', '', flag(), flag(), target, mode, null, feeRate, flag()]];
      },
      () => ['sendmany', ['', outputs(), 1, 'c', choose([[], [OUTSIDE], ['x']]), flag(), ...rate(), flag()]],
      async () => ['send', [outputs(), ...rate(), await options()]],
      async () => ['sendall', [[own], ...rate(), await options()]],
      async () => ['fundrawtransaction', [await node.call('createrawtransaction', [], { [OUTSIDE]: 1 }), choose([true, await options()])]],
      async () => ['walletcreatefundedpsbt', [[], outputs(), 0, await options(), true]],
      () => ['bumpfee', [choose(payments), choose([{}, { fee_rate: choose([1, 60, 400]) }, { replaceable: false }, { x: 1 }])]],
      () => ['psbtbumpfee', [choose(payments), choose([{}, { fee_rate: 70 }])]],
      () => ['settxfee', [choose([0, 0.0001, 0.5, -1])]],
    ];
    let before = await state.read();
    for (let i = 0; i < calls / 2; i++) {
      const [method, params] = await choose(requests)();
      if (random() < 0.2) params[Math.floor(random() * params.length)] = choose(atoms);
      const reply = await node.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${name}` });
      const { result, error } = JSON.parse(reply.body);
      const after = await state.read();
      const what = `${name}: ${method} ${JSON.stringify(params).slice(0, 400)}: ${reply.body.slice(0, 200)}`;
      if (error !== null) {
        refused++;
        if (!codes.includes(error.code)) t.fail(`strange refusal: ${what}`);
        const changed = changesOf(before, after).join(', ');
        if (changed) t.fail(`refused, yet it changed ${changed}: ${what}`);
      } else {
        const txid = typeof result === 'string' ? result : method.startsWith('psbt') ? undefined : result?.txid;
        if (typeof txid === 'string' && !('hex' in Object(result))) {
          paid++;
          payments.push(txid);
          const record = await wallet('gettransaction', txid);
          if (record.trusted !== true) t.fail(`not in the mempool: ${what}`);
        }
      }
      before = after;
      if (i % 20 === 19) {
        await wallet('lockunspent', true);
        await node.call('generatetoaddress', 1, OTHER);
        before = await state.read();
      }
    }
    await node.call('unloadwallet', name);
  }
  t.ok(refused > calls / 5 && paid > calls / 20, `${refused} refused, ${paid} paid`);
});
