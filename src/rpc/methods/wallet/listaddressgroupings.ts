// Groups addresses that an observer of the chain can attribute to one owner, because they were spent together or one is
// the change of another. Core 0.21: GetAddressGroupings, GetAddressBalances. Reads only the tables of coins and spends.

import { hashKey } from '../../../consensus/bytes/hex.js';
import { BUCKET, destinationOf, isUnlabelled, OWNERSHIP, type Wallet } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, fixed, str } from '../../declare/parts.js';
import { addressText, destinationKey } from '../../wallet/addresses.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'listaddressgroupings',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description:
    'Returns groups of addresses that were spent together or are the change of one another. Anyone who reads the\nchain may assume that a group has one owner.',
  args: [],
  results: [
    arr([
      arr('A group', [
        fixed('An address', [str('The address'), amount('Balance of the address in BTC'), str('The label', { optional: true })]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

const NO_ADDRESS = -1;

/** Disjoint sets of addresses, which are identified by number. */
class Groups {
  readonly scripts: Uint8Array[] = [];
  readonly balances: number[] = [];
  readonly #ids = new Map<string, number>();
  readonly #parents: number[] = [];

  add(destination: Uint8Array): number {
    const key = hashKey(destination);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.scripts.push(new Uint8Array(destination)) - 1;
      this.#ids.set(key, id);
      this.#parents.push(id);
      this.balances.push(0);
    }
    return id;
  }
  join(a: number, b: number): void {
    this.#parents[this.root(a)] = this.root(b);
  }
  root(id: number): number {
    let at = id;
    while (this.#parents[at] !== at) {
      this.#parents[at] = this.#parents[this.#parents[at]];
      at = this.#parents[at];
    }
    return at;
  }
}

/**
 * Joins addresses that were spent together, and change with the addresses that it came from. All balances are of the
 * same moment.
 */
function groupsOf(wallet: Wallet): Groups {
  const { coins, spends, sheet } = wallet.ledger;
  const groups = new Groups();
  const ofScript = new Map<number, number>();
  const addressOf = (coin: number): number => {
    const known = ofScript.get(coins.scriptId(coin));
    if (known !== undefined) return known;
    const destination = destinationOf(coins.script(coin), wallet.parts.crypto);
    const id = destination === null ? NO_ADDRESS : groups.add(destination);
    ofScript.set(coins.scriptId(coin), id);
    return id;
  };
  /** One address for each spending transaction. */
  const spenders = new Map<number, number>();
  const trust = new Map<number, boolean>();
  const counts = (coin: number): boolean =>
    coins.bucket(coin) === BUCKET.CONFIRMED || (coins.bucket(coin) === BUCKET.PENDING && sheet.isTrusted(coins.txRow(coin), trust));
  for (const coin of coins.rows()) {
    const address = coins.ownership(coin) === OWNERSHIP.NO ? NO_ADDRESS : addressOf(coin);
    if (address === NO_ADDRESS) continue;
    for (const row of spends.spenders(coins.outpoint(coin))) {
      const other = spenders.get(row);
      if (other === undefined) spenders.set(row, address);
      else groups.join(address, other);
    }
    if (counts(coin)) groups.balances[address] += coins.value(coin);
  }
  for (const [row, address] of spenders) {
    for (const coin of coins.ofTx(row)) {
      const change = coins.ownership(coin) === OWNERSHIP.NO ? NO_ADDRESS : addressOf(coin);
      if (change !== NO_ADDRESS && isUnlabelled(wallet, coins.script(coin))) groups.join(change, address);
    }
  }
  return groups;
}

export const listaddressgroupings: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const groups = groupsOf(wallet);
  const order = groups.scripts.map((script, id) => ({ id, key: destinationKey(script) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const out = new Map<number, JsonResult[]>();
  for (const { id } of order) {
    const script = groups.scripts[id];
    const label = wallet.book.label(script);
    const line: JsonResult[] = [addressText(ctx, script), new Amount(groups.balances[id])];
    if (label !== undefined) line.push(label);
    const group = out.get(groups.root(id));
    if (group) group.push(line);
    else out.set(groups.root(id), [line]);
  }
  // Groups are in the order of their first addresses.
  return [...out.values()];
};
