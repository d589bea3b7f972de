// Cuts while wallets take in keys and descriptors that were paid long ago, scan for those payments, and raise the fees
// of their own. What was answered is there afterwards, with its payments. So are the payments of an import that was cut
// off and is there: the scan goes on when the wallet is loaded. A scan of the whole chain then finds nothing more.
import { CallError, Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { until } from '../../framework/until.js';
import type { Cut } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, RUN_UP, type Story } from './phase.js';

const OPTIONS = ['-compat=0.21.1', '-fronts=1', '-par=1', '-keypool=5', '-walletrbf=1', '-fallbackfee=0.0002'];
const WALLETS = ['keys', 'descriptors'] as const;
type Wallet = (typeof WALLETS)[number];
const LOADED = WALLETS.map((name) => `-wallet=${name}`);
const FOREIGN = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
const STRANGERS = 16;
const ROUNDS = 14;

/** A key that others bring, with the payments that it got before. */
interface Stranger {
  readonly address: string;
  readonly wif: string;
  readonly txids: readonly string[];
}

type Fact =
  | { readonly fact: 'importing' | 'imported'; readonly wallet: Wallet; readonly address: string; readonly txids: readonly string[] }
  | { readonly fact: 'address'; readonly wallet: Wallet; readonly address: string }
  | { readonly fact: 'payment'; readonly wallet: Wallet; readonly txid: string }
  | { readonly fact: 'raised'; readonly wallet: Wallet; readonly from: string; readonly to: string }
  | { readonly fact: 'started' | 'stopped' };

/** Makes wallets with mature coins and a chain that paid foreign keys, and stops the node. */
async function begin(): Promise<{ base: Daemon; strangers: Stranger[] }> {
  const base = await Daemon.start(...OPTIONS);
  const strangers: Stranger[] = [];
  await base.call('createwallet', 'other');
  for (const name of WALLETS) await base.call('createwallet', name, false, false, null, false, name === 'descriptors');
  for (const name of WALLETS) await base.call('generatetoaddress', 8, await base.callWallet(name, 'getnewaddress'));
  for (let i = 0; i < STRANGERS; i++) {
    const address: string = await base.callWallet('other', 'getnewaddress');
    const hashes: string[] = await base.call('generatetoaddress', 1 + (i % 2), address);
    const txids = await Promise.all(hashes.map(async (hash): Promise<string> => (await base.call('getblock', hash)).tx[0]));
    strangers.push({ address, wif: await base.callWallet('other', 'dumpprivkey', address), txids });
  }
  await base.call('generatetoaddress', RUN_UP, FOREIGN);
  await base.stop();
  return { base, strangers };
}

async function tell(seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const { base, strangers } = await begin();
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  const say = (fact: Fact): void => recorder.say(fact);
  say({ fact: 'started' });
  await node.up(...LOADED);

  /** @param call imports the keys of some foreign payments */
  const bring = async (wallet: Wallet, count: number, call: (some: Stranger[]) => Promise<unknown>): Promise<void> => {
    const some = strangers.splice(0, count);
    if (some.length === 0) return;
    for (const { address, txids } of some) say({ fact: 'importing', wallet, address, txids });
    const replies = await call(some);
    if (Array.isArray(replies) && !replies.every(({ success }) => success)) throw new Error(`an import: ${JSON.stringify(replies)}`);
    for (const { address, txids } of some) say({ fact: 'imported', wallet, address, txids });
  };
  const bringDescriptors = async (some: readonly Stranger[]): Promise<unknown> => {
    const requests: object[] = [];
    for (const { wif } of some) {
      const text = `wpkh(${wif})`;
      requests.push({ desc: `${text}#${(await node.call('getdescriptorinfo', text)).checksum}`, timestamp: 0 });
    }
    return node.callWallet('descriptors', 'importdescriptors', requests);
  };
  const imports: Record<Wallet, () => Promise<void>> = {
    keys: () =>
      random() < 0.5
        ? bring('keys', 1, ([one]) => node.callWallet('keys', 'importprivkey', one!.wif, 'brought'))
        : bring('keys', 2, (some) =>
            node.callWallet(
              'keys',
              'importmulti',
              some.map(({ address, wif }) => ({ scriptPubKey: { address }, keys: [wif], timestamp: 0, label: 'brought' })),
            ),
          ),
    descriptors: () => bring('descriptors', 1 + Math.floor(random() * 2), bringDescriptors),
  };
  const steps: ((wallet: Wallet) => Promise<void>)[] = [
    (wallet) => imports[wallet](),
    (wallet) => imports[wallet](),
    async (wallet) => {
      const from: string = await node.callWallet(wallet, 'sendtoaddress', FOREIGN, (100 + Math.floor(random() * 100)) / 1000);
      say({ fact: 'payment', wallet, txid: from });
      const { txid: to } = await node.callWallet(wallet, 'bumpfee', from);
      say({ fact: 'raised', wallet, from, to });
    },
    async (wallet) => {
      await node.callWallet(wallet, 'rescanblockchain', Math.floor(random() * RUN_UP));
    },
    async (wallet) => {
      say({ fact: 'address', wallet, address: await node.callWallet(wallet, 'getnewaddress') });
    },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    // A block must not come between a payment and the raise of its fee.
    await Promise.all(WALLETS.map((wallet) => pick(steps)(wallet)));
    if (random() < 0.4) await node.call('generatetoaddress', 1, await node.callWallet(pick(WALLETS), 'getnewaddress'));
  }
  await node.stop();
  say({ fact: 'stopped' });
  const options = [...OPTIONS, ...LOADED];
  return { recording: await recorder.end(), options, judge: byDaemon(options, judge) };
}

async function judge(node: Daemon, { said }: Cut): Promise<string[]> {
  const wrong: string[] = [];
  const facts = said as readonly Fact[];
  const ask = async (wallet: Wallet, method: string, ...params: unknown[]): Promise<Record<string, unknown>> =>
    node.callWallet(wallet, method, ...params).catch((error) => {
      if (!(error instanceof CallError)) throw error;
      wrong.push(`${wallet}: ${method} ${params.join()}: ${error.message}`);
      return {};
    });
  for (const wallet of WALLETS)
    await until(`${wallet} has scanned`, async () => ((await ask(wallet, 'getwalletinfo')).scanning ?? false) === false);
  const imported = new Set(facts.flatMap((one) => (one.fact === 'imported' ? [one.address] : [])));
  for (const one of facts) {
    if (one.fact === 'importing') {
      const { ismine } = await ask(one.wallet, 'getaddressinfo', one.address);
      if (ismine === true) for (const txid of one.txids) await ask(one.wallet, 'gettransaction', txid);
      else if (imported.has(one.address)) wrong.push(`${one.wallet}: ${one.address} is lost`);
    } else if (one.fact === 'payment') await ask(one.wallet, 'gettransaction', one.txid);
    else if (one.fact === 'raised') {
      const [from, to] = [await ask(one.wallet, 'gettransaction', one.from), await ask(one.wallet, 'gettransaction', one.to)];
      if (from.replaced_by_txid !== one.to || to.replaces_txid !== one.from)
        wrong.push(`${one.wallet}: ${one.to} does not replace ${one.from}`);
    } else if (one.fact === 'address' && (await ask(one.wallet, 'getaddressinfo', one.address)).ismine !== true)
      wrong.push(`${one.wallet}: ${one.address} is lost`);
  }
  const given = new Set(facts.flatMap((one) => (one.fact === 'address' ? [one.address] : [])));
  for (const wallet of WALLETS) {
    const address = (await ask(wallet, 'getnewaddress')) as unknown as string;
    if (given.has(address)) wrong.push(`${wallet}: ${address} is given out again`);
    const known = async (): Promise<string> =>
      JSON.stringify([(await ask(wallet, 'getwalletinfo')).txcount, await ask(wallet, 'listunspent', 1)]);
    const before = await known();
    await ask(wallet, 'rescanblockchain');
    const after = await known();
    if (after !== before) wrong.push(`${wallet}: a scan of the whole chain changes ${before} into ${after}`);
  }
  return wrong;
}

export const scanning: Phase = { name: 'scanning', tell };
