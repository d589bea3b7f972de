// Kills while wallets are made, encrypted, saved and restored. After each kill the wallet is whole, as it was before
// the call or as the call makes it, and loads; a name whose wallet was not made is free. One with a history answers as
// the model of random histories, itself and in what was restored of it. Nothing is half encrypted: the passphrase opens
// all keys, none lies plain on the disk, and addresses that are given out from then on are of a seed that no plain copy
// has.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainWallet } from '../../framework/chain-wallet.js';
import { CallError, Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { count, emptyReport, type Phase, putAway, type RoundPlan, type RoundReport, RUN_UP, StartMeter } from './phase.js';

const OPTIONS = ['-compat=0.21.1', '-fronts=1', '-par=1', '-keypool=40', '-walletimage=1'];
/** Keys of the wallet that is saved and restored: rows for some batches. */
const KEPT_KEYS = 1_500;
const PASSPHRASE = 'words that only the test knows';
/** Kills fall into a call and a little after it. */
const BEYOND = 1.15;
const WAYS = ['encrypting', 'creating', 'restoring', 'saving'] as const;
type Way = (typeof WAYS)[number];

const FOREIGN = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';
/** Payments in the history of the wallet that is saved and restored. */
const PAYMENTS = 8;
/** Confirmations of what they spend: still spendable when a few blocks leave. */
const RIPE = 105;

class WalletRound {
  readonly wrong: string[] = [];
  readonly #tookMs: Record<Way, number> = { encrypting: 300, creating: 300, restoring: 200, saving: 50 };
  /** Labels of all addresses that the wallet gave out; undefined: for change. */
  readonly #kept = new Map<string, string | undefined>();
  readonly #model: ChainWallet;

  constructor(
    private readonly node: Daemon,
    private readonly random: () => number,
    private readonly report: RoundReport,
  ) {
    this.#model = new ChainWallet(node);
  }

  // biome-ignore lint/suspicious/noExplicitAny: results are as many shapes as there are methods
  #on(wallet: string, method: string, ...params: unknown[]): Promise<any> {
    return this.node.callWallet(wallet, method, ...params);
  }
  get #backup(): string {
    return path.join(this.node.dir, 'kept.backup');
  }
  #folder(name: string): string {
    return path.join(this.node.networkDir, 'wallets', name);
  }

  async begin(): Promise<void> {
    await this.node.call('createwallet', 'kept');
    for (const kind of ['legacy', 'p2sh-segwit', 'bech32']) this.#kept.set(await this.#on('kept', 'getnewaddress', kind, kind), kind);
    await this.node.call('generatetoaddress', RUN_UP, [...this.#kept.keys()][2]);
    for (let i = 0; i < PAYMENTS; i++) await this.#pay();
    // The last of them come again, higher up.
    await this.node.call('invalidateblock', await this.node.call('getblockhash', RUN_UP + PAYMENTS - 2));
    await this.node.call('generatetoaddress', 4, FOREIGN);
    await this.#on('kept', 'keypoolrefill', KEPT_KEYS);
    this.report.blocks = await this.node.call('getblockcount');
    this.wrong.push(...(await this.#model.compare('kept', this.#kept)));
    // How long each takes, left alone.
    const timed = async (way: Way, work: () => Promise<unknown>): Promise<void> => {
      const began = performance.now();
      await work();
      this.#tookMs[way] = performance.now() - began;
    };
    await timed('saving', () => this.#on('kept', 'backupwallet', this.#backup));
    await timed('restoring', () => this.node.call('restorewallet', 'calm', this.#backup));
    await timed('creating', () => this.node.call('createwallet', 'calm made', false, false, PASSPHRASE));
    await this.node.call('createwallet', 'calm encrypted');
    await timed('encrypting', () => this.#on('calm encrypted', 'encryptwallet', PASSPHRASE));
    for (const name of ['calm', 'calm made', 'calm encrypted']) await this.#putAway(name);
  }

  /** Mines a payment to somebody, to a new address of its own and back. */
  async #pay(): Promise<void> {
    const coins: { txid: string; vout: number; amount: number }[] = await this.#on('kept', 'listunspent', RIPE);
    const { txid, vout, amount } = coins[Math.floor(this.random() * coins.length)];
    const own = await this.#on('kept', 'getnewaddress', 'paid');
    const change = await this.#on('kept', 'getrawchangeaddress');
    const share = Math.floor(amount * 1e6) / 4e6;
    const raw = await this.node.call(
      'createrawtransaction',
      [{ txid, vout }],
      [{ [FOREIGN]: share }, { [own]: share }, { [change]: share }],
    );
    const { hex } = await this.#on('kept', 'signrawtransactionwithwallet', raw);
    await this.node.call('generateblock', FOREIGN, [hex]);
    this.#kept.set(own, 'paid').set(change, undefined);
  }

  /** One call that is cut off, the start after it, and what it left. */
  async kill(number: number, up: () => Promise<void>): Promise<void> {
    const way = WAYS[Math.floor(this.random() * WAYS.length)];
    const name = `${way} ${number}`;
    const descriptors = this.random() < 0.4;
    const passphrase = this.random() < 0.7 ? PASSPHRASE : null;
    const before = way === 'encrypting' ? await this.#plainWallet(name, descriptors) : null;
    let answered = false;
    const call = {
      encrypting: () => this.#on(name, 'encryptwallet', PASSPHRASE),
      creating: () => this.node.call('createwallet', name, false, false, passphrase, false, descriptors),
      restoring: () => this.node.call('restorewallet', name, this.#backup),
      saving: () => this.#on('kept', 'backupwallet', this.#backup),
    }[way]();
    const over = call.then(
      () => {
        answered = true;
      },
      (error) => {
        // Only the kill may end a call.
        if (error instanceof CallError) this.wrong.push(`${way}: ${error.message}`);
      },
    );
    await sleep(this.random() * this.#tookMs[way] * BEYOND);
    await this.node.kill();
    await over;
    count(this.report.kills, answered ? `after ${way}` : way);
    await up();
    try {
      this.wrong.push(...(await this.#model.compare('kept', this.#kept)));
      if (before) await this.#checkEncrypted(name, before, answered);
      else if (way === 'creating') await this.#checkCreated(name, { descriptors, secret: passphrase !== null, answered });
      else if (way === 'restoring') await this.#checkRestored(name, answered);
      else await this.#checkSaved(name);
    } catch (error) {
      this.wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.report.checks++;
  }

  async #plainWallet(name: string, descriptors: boolean): Promise<{ address: string; key: string | null; seeds: string }> {
    await this.node.call('createwallet', name, false, false, null, false, descriptors);
    const address = await this.#on(name, 'getnewaddress');
    return { address, key: descriptors ? null : await this.#on(name, 'dumpprivkey', address), seeds: await this.#seeds(name) };
  }
  /** Returns the seeds of new addresses. */
  async #seeds(name: string): Promise<string> {
    const info = await this.#on(name, 'getwalletinfo');
    if (!info.descriptors) return info.hdseedid;
    const { descriptors } = await this.#on(name, 'listdescriptors');
    return (descriptors as { desc: string; active: boolean }[])
      .filter(({ active }) => active)
      .map(({ desc }) => desc)
      .sort()
      .join();
  }
  async #isEncrypted(name: string): Promise<boolean> {
    return 'unlocked_until' in (await this.#on(name, 'getwalletinfo'));
  }
  /** Forgets a wallet and its folder. */
  async #putAway(name: string): Promise<void> {
    await this.node.call('unloadwallet', name);
    fs.rmSync(this.#folder(name), { recursive: true });
  }

  async #checkEncrypted(name: string, before: { address: string; key: string | null; seeds: string }, answered: boolean): Promise<void> {
    await this.node.call('loadwallet', name);
    const fault = (text: string): void => void this.wrong.push(`${name}: ${text}`);
    const encrypted = await this.#isEncrypted(name);
    if (answered && !encrypted) fault('it is not encrypted, though the call was answered');
    count(this.report.figures, encrypted ? 'encrypted' : 'left plain');
    if (encrypted) {
      await this.#on(name, 'walletpassphrase', PASSPHRASE, 1000);
      const fresh = await this.#on(name, 'getnewaddress');
      if ((await this.#seeds(name)) === before.seeds) fault(`${fresh} comes from the seed that was plain`);
    } else if ((await this.#seeds(name)) !== before.seeds) fault('it is plain and has another seed');
    if (!(await this.#on(name, 'getaddressinfo', before.address)).ismine) fault('an address is not its own any more');
    if (before.key !== null && (await this.#on(name, 'dumpprivkey', before.address)) !== before.key) fault('a key is lost');
    // The wallet is loaded, so its folder is locked.
    const left = fs.readdirSync(this.#folder(name)).filter((entry) => entry !== 'wallet.db' && entry !== 'wallet.lock');
    if (left.length > 0) fault(`left over: ${left.join()}`);
    await this.#putAway(name);
  }

  async #checkCreated(name: string, made: { descriptors: boolean; secret: boolean; answered: boolean }): Promise<void> {
    const loaded = await this.node.call('loadwallet', name).then(
      () => true,
      (error: CallError) => {
        if (error.code !== -18) throw error;
        return false;
      },
    );
    if (!loaded && made.answered) throw new Error('it is gone, though the call was answered');
    count(this.report.figures, loaded ? 'created' : 'not created');
    if (!loaded) await this.node.call('createwallet', name, false, false, made.secret ? PASSPHRASE : null, false, made.descriptors);
    if ((await this.#isEncrypted(name)) !== made.secret) this.wrong.push(`${name}: ${made.secret ? 'not ' : ''}encrypted`);
    if (made.secret) await this.#on(name, 'walletpassphrase', PASSPHRASE, 1000);
    if ((await this.#on(name, 'getwalletinfo')).descriptors !== made.descriptors) this.wrong.push(`${name}: of the other kind`);
    await this.#on(name, 'getnewaddress');
    await this.#putAway(name);
  }

  async #checkRestored(name: string, answered: boolean): Promise<void> {
    const loaded = await this.node.call('loadwallet', name).then(
      () => true,
      (error: CallError) => {
        if (error.code !== -18) throw error;
        return false;
      },
    );
    if (!loaded && answered) throw new Error('it is gone, though the call was answered');
    count(this.report.figures, loaded ? 'restored' : 'not restored');
    if (!loaded) await this.node.call('restorewallet', name, this.#backup);
    await this.#compareWithKept(name);
  }

  /** The backup that was there, or the new one: a whole one in any case. */
  async #checkSaved(name: string): Promise<void> {
    await this.node.call('restorewallet', name, this.#backup);
    await this.#compareWithKept(name);
  }

  async #compareWithKept(name: string): Promise<void> {
    this.wrong.push(...(await this.#model.compare(name, this.#kept)));
    for (const address of this.#kept.keys()) await this.#on(name, 'dumpprivkey', address);
    const { keypoolsize } = await this.#on(name, 'getwalletinfo');
    if (keypoolsize < KEPT_KEYS) this.wrong.push(`${name}: ${keypoolsize} keys in the pool`);
    await this.#putAway(name);
  }
}

async function round(plan: RoundPlan): Promise<RoundReport> {
  const report = emptyReport();
  const meter = new StartMeter();
  const node = await Daemon.start(...OPTIONS);
  const wallets = new WalletRound(node, pseudoRandom(plan.seed), report);
  try {
    await wallets.begin();
    for (let kill = 1; kill <= plan.kills && !plan.enough(); kill++) {
      await wallets.kill(kill, () => meter.up(node, '-wallet=kept'));
      for (const fault of wallets.wrong.splice(0).slice(0, 5)) report.faults.push(`kill ${kill}: ${fault}`);
      if (report.faults.length > 0) return report;
    }
    const { code } = await node.stop();
    if (code !== 0) report.faults.push(`it stops with status ${code}`);
    if (node.output() !== '') report.faults.push(`on stderr: ${node.output().slice(0, 500)}`);
    return report;
  } finally {
    await putAway(node, plan, report);
  }
}

export const wallets: Phase = { name: 'wallets', round };
