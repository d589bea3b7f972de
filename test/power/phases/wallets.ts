// Cuts while wallets are made, encrypted, get other passphrases, are saved and restored. A wallet whose making was
// answered is there, loaded if it was to be; one whose making was cut off is there whole or its name is free. The
// passphrase is the last that was answered, or the one under way; it opens the keys of all addresses given out.
import path from 'node:path';
import { type CallError, Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import type { Cut } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, type Story } from './phase.js';

const OPTIONS = ['-compat=0.21.1', '-fronts=1', '-par=1', '-keypool=10'];
const WALLETS = 6;
const UNLOCKED_S = 1_000;

type Fact =
  /** A call that changes whether or by what a wallet is locked, and its answer. A null passphrase: not encrypted. */
  | { readonly fact: 'locking' | 'locked'; readonly wallet: string; readonly passphrase: string | null }
  | { readonly fact: 'making'; readonly wallet: string; readonly descriptors: boolean }
  | { readonly fact: 'made'; readonly wallet: string; readonly atStart: boolean }
  | { readonly fact: 'address'; readonly wallet: string; readonly address: string; readonly wif: string | null }
  | { readonly fact: 'saved'; readonly file: string }
  | { readonly fact: 'started' | 'stopped' };

async function tell(seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const base = await Daemon.start(...OPTIONS);
  await base.call('createwallet', 'kept', false, false, null, false, false, true);
  const keptAddress: string = await base.callWallet('kept', 'getnewaddress');
  const kept = {
    fact: 'address',
    wallet: 'kept',
    address: keptAddress,
    wif: await base.callWallet('kept', 'dumpprivkey', keptAddress),
  } as const;
  await base.stop();
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  const say = (fact: Fact): void => recorder.say(fact);
  say({ fact: 'making', wallet: 'kept', descriptors: false });
  say({ fact: 'locked', wallet: 'kept', passphrase: null });
  say({ fact: 'made', wallet: 'kept', atStart: true });
  say(kept);
  say({ fact: 'started' });
  await node.up();
  const address = async (wallet: string, descriptors: boolean): Promise<void> => {
    const address: string = await node.callWallet(wallet, 'getnewaddress');
    say({ fact: 'address', wallet, address, wif: descriptors ? null : await node.callWallet(wallet, 'dumpprivkey', address) });
  };
  const life = async (number: number): Promise<void> => {
    const wallet = `wallet ${number}`;
    const descriptors = random() < 0.5;
    let passphrase = random() < 0.4 ? `first ${number}` : null;
    const atStart = random() < 0.5;
    say({ fact: 'making', wallet, descriptors });
    if (random() < 0.25) {
      const file = `kept ${number}.backup`;
      const backup = path.join(node.dir, file);
      await node.callWallet('kept', 'backupwallet', backup);
      say({ fact: 'saved', file });
      say({ fact: 'locking', wallet, passphrase: null });
      await node.call('restorewallet', wallet, backup);
      say({ fact: 'locked', wallet, passphrase: null });
      say({ fact: 'made', wallet, atStart: false });
      say({ ...kept, wallet });
      return;
    }
    say({ fact: 'locking', wallet, passphrase });
    await node.call('createwallet', wallet, false, false, passphrase, false, descriptors, atStart);
    say({ fact: 'locked', wallet, passphrase });
    say({ fact: 'made', wallet, atStart });
    if (passphrase !== null) await node.callWallet(wallet, 'walletpassphrase', passphrase, UNLOCKED_S);
    await address(wallet, descriptors);
    if (passphrase === null) {
      passphrase = `later ${number}`;
      say({ fact: 'locking', wallet, passphrase });
      await node.callWallet(wallet, 'encryptwallet', passphrase);
      say({ fact: 'locked', wallet, passphrase });
    }
    const next = `changed ${number}`;
    say({ fact: 'locking', wallet, passphrase: next });
    await node.callWallet(wallet, 'walletpassphrasechange', passphrase, next);
    say({ fact: 'locked', wallet, passphrase: next });
    await node.callWallet(wallet, 'walletpassphrase', next, UNLOCKED_S);
    await address(wallet, descriptors);
    if (random() < 0.3) {
      await node.call('unloadwallet', wallet);
      await node.call('loadwallet', wallet);
    }
  };
  for (let number = 0; number < WALLETS; number += 2) await Promise.all([life(number), life(number + 1)]);
  await node.stop();
  say({ fact: 'stopped' });
  return { recording: await recorder.end(), options: OPTIONS, judge: byDaemon(OPTIONS, judge) };
}

/** Returns the passphrases that may lock a wallet: the last acknowledged one, and all that were tried since. */
function passphrases(facts: readonly Fact[], wallet: string): readonly (string | null)[] {
  let possible: (string | null)[] = [];
  for (const one of facts) {
    if (!('passphrase' in one) || one.wallet !== wallet) continue;
    possible = one.fact === 'locked' ? [one.passphrase] : [...possible, one.passphrase];
  }
  return possible;
}

/** Opens a wallet by one of some passphrases. @returns what is wrong */
async function unlock(node: Daemon, wallet: string, possible: readonly (string | null)[]): Promise<string[]> {
  if (!('unlocked_until' in (await node.callWallet(wallet, 'getwalletinfo'))))
    return possible.includes(null) ? [] : [`${wallet}: it is not encrypted`];
  for (const passphrase of possible) {
    if (passphrase === null) continue;
    const answer = await node.callWallet(wallet, 'walletpassphrase', passphrase, UNLOCKED_S).catch((error: unknown) => error);
    if (answer === null) return [];
  }
  return [`${wallet}: none of ${possible.join()} opens it`];
}

async function judge(node: Daemon, { said }: Cut): Promise<string[]> {
  const wrong: string[] = [];
  const facts = said as readonly Fact[];
  const loaded: string[] = await node.call('listwallets');
  const opened = new Set<string>();
  for (const one of facts) {
    if (one.fact !== 'making') continue;
    const { wallet, descriptors } = one;
    const made = facts.find((other) => other.fact === 'made' && other.wallet === wallet);
    if (made !== undefined && 'atStart' in made && made.atStart && !loaded.includes(wallet))
      wrong.push(`${wallet}: it is not loaded at the start`);
    const there =
      loaded.includes(wallet) ||
      (await node.call('loadwallet', wallet).then(
        () => true,
        (error: CallError) => {
          if (made !== undefined || error.code !== -18) wrong.push(`${wallet}: ${error.message}`);
          return false;
        },
      ));
    if (!there) {
      // Its name is free.
      if (made === undefined) await node.call('createwallet', wallet, false, false, null, false, descriptors);
      continue;
    }
    const locked = await unlock(node, wallet, passphrases(facts, wallet));
    wrong.push(...locked);
    if (locked.length === 0) opened.add(wallet);
  }
  for (const one of facts) {
    if (one.fact !== 'address' || !opened.has(one.wallet)) continue;
    if (!(await node.callWallet(one.wallet, 'getaddressinfo', one.address)).ismine) wrong.push(`${one.wallet}: ${one.address} is lost`);
    if (one.wif !== null && (await node.callWallet(one.wallet, 'dumpprivkey', one.address)) !== one.wif)
      wrong.push(`${one.wallet}: the key of ${one.address} is lost`);
  }
  for (const one of facts) {
    if (one.fact !== 'saved') continue;
    await node
      .call('restorewallet', `of ${one.file}`, path.join(node.dir, one.file))
      .catch((error: Error) => wrong.push(`${one.file}: ${error.message}`));
  }
  return wrong;
}

export const wallets: Phase = { name: 'wallets', tell };
