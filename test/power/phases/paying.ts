// Cuts while wallets give out addresses, import keys, pay, look through past blocks, and follow new ones. Whatever was
// answered is there afterwards: addresses with their labels (and none of them is given out again, change included),
// keys, watched scripts and what a scan found for them, payments; and what was removed is gone.
import { setTimeout } from 'node:timers/promises';
import { CallError, Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import type { Cut } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, RUN_UP, type Story } from './phase.js';

const OPTIONS = ['-compat=0.21.1', '-fronts=1', '-par=1', '-keypool=10', '-walletimage=1', '-fallbackfee=0.0002'];
const WALLETS = ['kept', 'descriptors'] as const;
const LOADED = WALLETS.map((name) => `-wallet=${name}`);
const FOREIGN = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
const STEPS = 40;
/** They want the wallet for themselves, or a coin that no other takes. */
const ALONE = ['imports', 'scan', 'remove'];

type Fact =
  | { readonly fact: 'address'; readonly wallet: string; readonly address: string; readonly label?: string }
  | { readonly fact: 'key'; readonly wallet: string; readonly address: string; readonly wif: string }
  | { readonly fact: 'watched'; readonly wallet: string; readonly address: string; readonly label: string }
  | { readonly fact: 'payment'; readonly wallet: string; readonly txid: string }
  | { readonly fact: 'named'; readonly wallet: string; readonly address: string; readonly label: string }
  | { readonly fact: 'found'; readonly wallet: string; readonly address: string }
  | { readonly fact: 'removed'; readonly wallet: string; readonly txid: string }
  | { readonly fact: 'started' }
  | { readonly fact: 'stopped'; readonly tip: string };

/** Wallets with ripe coins, stopped. @param paid addresses of others that have a block each */
async function funded(paid: readonly string[]): Promise<Daemon> {
  const node = await Daemon.start(...OPTIONS);
  for (const name of WALLETS) await node.call('createwallet', name, false, false, null, false, name === 'descriptors');
  for (const name of WALLETS) await node.call('generatetoaddress', 8, await node.callWallet(name, 'getnewaddress'));
  for (const address of paid) await node.call('generatetoaddress', 1, address);
  await node.call('generatetoaddress', RUN_UP, FOREIGN);
  await node.stop();
  return node;
}

/** Keys of a wallet that is none of the two: what others would bring. */
async function foreignKeys(count: number): Promise<{ address: string; wif: string }[]> {
  const node = await Daemon.start(...OPTIONS);
  try {
    await node.call('createwallet', 'other');
    const keys: { address: string; wif: string }[] = [];
    while (keys.length < count) {
      const address: string = await node.call('getnewaddress');
      keys.push({ address, wif: await node.call('dumpprivkey', address) });
    }
    return keys;
  } finally {
    await node.remove();
  }
}

async function tell(seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const keys = await foreignKeys(3 * STEPS);
  const paid = keys.splice(0, 10).map(({ address }) => address);
  const base = await funded(paid);
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  const say = (fact: Fact): void => recorder.say(fact);
  say({ fact: 'started' });
  await node.up(...LOADED);

  const steps: Record<string, (wallet: string, step: number) => Promise<void>> = {
    async address(wallet, step) {
      const label = `label ${step}`;
      const address = await node.callWallet(wallet, 'getnewaddress', label, pick(['legacy', 'p2sh-segwit', 'bech32']));
      say({ fact: 'address', wallet, address, label });
    },
    async change(wallet) {
      say({ fact: 'address', wallet, address: await node.callWallet(wallet, 'getrawchangeaddress') });
    },
    async payment(wallet) {
      say({
        fact: 'payment',
        wallet,
        txid: await node.callWallet(wallet, 'sendtoaddress', FOREIGN, (100 + Math.floor(random() * 100)) / 1000),
      });
    },
    async payments(wallet) {
      const outputs = { [FOREIGN]: 0.25, [keys[0]!.address]: 0.5 };
      say({ fact: 'payment', wallet, txid: await node.callWallet(wallet, 'sendmany', '', outputs) });
    },
    async key() {
      const { address, wif } = keys.pop()!;
      await node.callWallet('kept', 'importprivkey', wif, 'brought', false);
      say({ fact: 'key', wallet: 'kept', address, wif });
    },
    async imports() {
      const [one, two] = [keys.pop()!, keys.pop()!];
      const requests = [
        { scriptPubKey: { address: one.address }, keys: [one.wif], timestamp: 'now', label: 'brought' },
        { scriptPubKey: { address: two.address }, timestamp: 'now', label: 'watched', watchonly: true },
      ];
      const replies: { success: boolean }[] = await node.callWallet('kept', 'importmulti', requests);
      if (!replies.every(({ success }) => success)) throw new Error(`an import: ${JSON.stringify(replies)}`);
      say({ fact: 'key', wallet: 'kept', ...one });
      say({ fact: 'watched', wallet: 'kept', address: two.address, label: 'watched' });
    },
    async block(wallet) {
      await node.call('generatetoaddress', 1, await node.callWallet(wallet, 'getnewaddress'));
    },
    async refill(wallet) {
      await node.callWallet(wallet, 'keypoolrefill', 10 + Math.floor(random() * 10));
    },
    async name(wallet, step) {
      const [{ address }, label] = [keys.pop()!, `other ${step}`];
      await node.callWallet(wallet, 'setlabel', address, label);
      say({ fact: 'named', wallet, address, label });
    },
    async scan() {
      const address = paid.pop();
      if (address === undefined) return;
      await node.callWallet('kept', 'importaddress', address, '', false);
      await node.callWallet('kept', 'rescanblockchain');
      say({ fact: 'found', wallet: 'kept', address });
    },
    async fund(wallet) {
      const draft = await node.call('createrawtransaction', [], { [FOREIGN]: 0.3 });
      const { hex, changepos } = await node.callWallet(wallet, 'fundrawtransaction', draft);
      const { vout } = await node.call('decoderawtransaction', hex);
      say({ fact: 'address', wallet, address: vout[changepos].scriptPubKey.addresses[0] });
    },
    async remove() {
      // Not of the wallet that scans past blocks: it would find it again.
      const coins: readonly { txid: string }[] = await node.callWallet('descriptors', 'listunspent', RUN_UP);
      if (coins.length === 0) return;
      const { txid } = pick(coins);
      await node.callWallet('descriptors', 'removeprunedfunds', txid);
      say({ fact: 'removed', wallet: 'descriptors', txid });
    },
  };
  for (let step = 0; step < STEPS; step++) {
    // Some at once, so that they share writes.
    const together = random() < 0.3;
    const names = Object.keys(steps).filter((name) => !together || !ALONE.includes(name));
    await Promise.all(Array.from({ length: together ? 4 : 1 }, () => steps[pick(names)]!(pick(WALLETS), step)));
  }
  // Blocks that were asked for at once are rivals.
  const tip: string = await node.call('getbestblockhash');
  await node.stop();
  say({ fact: 'stopped', tip });
  return { recording: await recorder.end(), options: [...OPTIONS, ...LOADED], judge: byDaemon([...OPTIONS, ...LOADED], judge) };
}

async function judge(node: Daemon, { said }: Cut): Promise<string[]> {
  const wrong: string[] = [];
  const facts = said as readonly Fact[];
  const ask = async (wallet: string, method: string, ...params: unknown[]): Promise<Record<string, unknown>> =>
    node.callWallet(wallet, method, ...params).catch((error) => {
      if (!(error instanceof CallError)) throw error;
      wrong.push(`${wallet}: ${method} ${params.join()}: ${error.message}`);
      return {};
    });
  for (const one of facts) {
    switch (one.fact) {
      case 'address':
      case 'watched': {
        const info = await ask(one.wallet, 'getaddressinfo', one.address);
        const owned = one.fact === 'address' ? info.ismine : info.iswatchonly;
        if (owned !== true) wrong.push(`${one.wallet}: ${one.fact} ${one.address} is lost`);
        if (one.label !== undefined && JSON.stringify(info.labels) !== JSON.stringify([one.label]))
          wrong.push(`${one.wallet}: the label of ${one.address} is ${JSON.stringify(info.labels)}, not ${one.label}`);
        break;
      }
      case 'key':
        if (((await ask(one.wallet, 'dumpprivkey', one.address)) as unknown) !== one.wif)
          wrong.push(`${one.wallet}: the key of ${one.address} is lost`);
        break;
      case 'payment':
        await ask(one.wallet, 'gettransaction', one.txid);
        break;
      case 'named':
        if (!(one.address in (await ask(one.wallet, 'getaddressesbylabel', one.label))))
          wrong.push(`${one.wallet}: the label ${one.label} is lost`);
        break;
      case 'found': {
        // A scan that was cut off goes on by itself.
        while ((await ask(one.wallet, 'getwalletinfo')).scanning !== false) await setTimeout(50);
        const coins = (await ask(one.wallet, 'listunspent', 0, 9_999_999, [one.address])) as unknown as readonly unknown[];
        if (coins.length !== 1) wrong.push(`${one.wallet}: ${coins.length} coins were found for ${one.address}`);
        break;
      }
      case 'removed':
        if (await node.callWallet(one.wallet, 'gettransaction', one.txid).catch(() => null))
          wrong.push(`${one.wallet}: ${one.txid} is back`);
        break;
    }
  }
  const last = facts.at(-1)!;
  if (last.fact === 'stopped' && (await node.call('getbestblockhash')) !== last.tip) wrong.push('a clean stop lost the tip');
  if ((await node.call('verifychain', 4, 6)) !== true) wrong.push('verifychain found something');
  const given = new Set(facts.flatMap((one) => (one.fact === 'address' ? [one.address] : [])));
  for (const wallet of WALLETS) {
    const fresh = [await ask(wallet, 'getnewaddress'), await ask(wallet, 'getrawchangeaddress')] as unknown as string[];
    for (const address of fresh) if (given.has(address)) wrong.push(`${wallet}: ${address} is given out again`);
    await ask(wallet, 'getbalances');
    await ask(wallet, 'listsinceblock');
  }
  return wrong;
}

export const paying: Phase = { name: 'paying', tell };
