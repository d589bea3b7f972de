// Groups of coins that are spent together or not at all. Without -avoidpartialspends each coin is its own group. With
// it, coins of one address form groups of a limited size. Core: GroupOutputs, OutputGroup.
import { indices } from './order.js';

/** Available coins as columns. Amounts in satoshis. */
export interface CoinColumns {
  readonly count: number;
  readonly values: Float64Array;
  /** Virtual size of an input; -1: unknown. */
  readonly inputBytes: Int32Array;
  /** Number of confirmations. */
  readonly depths: Int32Array;
  /** 1 if the wallet created the coin's transaction; otherwise 0. */
  readonly fromMe: Uint8Array;
  /** Unconfirmed ancestors including the transaction itself; 0 for confirmed ones. */
  readonly ancestors: Int32Array;
  /** Descendants of the topmost unconfirmed ancestor; since release 31 the transactions of the cluster. */
  readonly descendants: Int32Array;
  /** Additional fee that raises unconfirmed parents to the fee rate of the payment. */
  readonly bumpFees: Float64Array;
  /** Address type, as an index of OUTPUT_KINDS. */
  readonly types: Uint8Array;
}

/** Address types of coins. Coin selection prefers payments that spend coins of one type only. */
export const OUTPUT_KINDS = ['legacy', 'p2sh-segwit', 'bech32', 'bech32m', 'unknown'] as const;

/** Groups of coins as columns. The coins of group g are members[starts[g]] to members[starts[g + 1] - 1]. */
export interface Groups {
  readonly count: number;
  readonly starts: Int32Array;
  readonly members: Int32Array;
  readonly values: Float64Array;
  readonly depths: Int32Array;
  readonly fromMe: Uint8Array;
  readonly ancestors: Float64Array;
  readonly descendants: Int32Array;
}

export function emptyColumns(count: number): CoinColumns {
  return {
    count,
    values: new Float64Array(count),
    inputBytes: new Int32Array(count),
    depths: new Int32Array(count),
    fromMe: new Uint8Array(count),
    ancestors: new Int32Array(count),
    descendants: new Int32Array(count),
    bumpFees: new Float64Array(count),
    types: new Uint8Array(count),
  };
}

export const membersOf = ({ members, starts }: Groups, group: number): number[] => [...members.subarray(starts[group], starts[group + 1])];

export function singleGroups(coins: CoinColumns): Groups {
  const each = indices(coins.count + 1);
  return {
    count: coins.count,
    starts: each,
    members: each.subarray(0, coins.count),
    values: coins.values,
    depths: coins.depths,
    fromMe: coins.fromMe,
    ancestors: new Float64Array(coins.ancestors),
    descendants: coins.descendants,
  };
}

/**
 * Groups coins by address.
 * @param addressOf number of each coin's address; -1 without one
 * @param maxMembers largest number of coins of one group
 * @param maxAncestors limit of the mempool. The last of several groups of an address gets an ancestor count just below
 *   it, so that other groups are preferred
 * @returns null if no two coins share an address
 */
export function addressGroups(
  coins: CoinColumns,
  addressOf: Int32Array,
  order: Int32Array,
  { maxMembers, maxAncestors }: { readonly maxMembers: number; readonly maxAncestors: number },
): Groups | null {
  const lists: number[][] = [];
  /** For each address: the group that still accepts coins. */
  const open = new Map<number, number>();
  const spilt = new Set<number>();
  let shared = false;
  for (let i = 0; i < order.length; i++) {
    const coin = order[i];
    const address = addressOf[coin];
    const group = address < 0 ? undefined : open.get(address);
    if (group === undefined) {
      if (address >= 0) open.set(address, lists.length);
      lists.push([coin]);
    } else if (lists[group].length < maxMembers) {
      lists[group].push(coin);
      shared = true;
    } else {
      spilt.add(address);
      open.set(address, lists.length);
      lists.push([coin]);
    }
  }
  if (!shared) return null;
  const groups = columnsOf(coins, lists);
  for (const address of spilt) {
    const last = open.get(address)!;
    groups.ancestors[last] = Math.max(groups.ancestors[last], maxAncestors - 1);
  }
  return groups;
}

function columnsOf(coins: CoinColumns, lists: readonly number[][]): Groups {
  const starts = new Int32Array(lists.length + 1);
  const members = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
  const values = new Float64Array(lists.length);
  const depths = new Int32Array(lists.length).fill(0x7fff_ffff);
  const fromMe = new Uint8Array(lists.length).fill(1);
  const ancestors = new Float64Array(lists.length);
  const descendants = new Int32Array(lists.length);
  let at = 0;
  for (let group = 0; group < lists.length; group++) {
    for (const coin of lists[group]) {
      members[at++] = coin;
      values[group] += coins.values[coin];
      depths[group] = Math.min(depths[group], coins.depths[coin]);
      fromMe[group] &= coins.fromMe[coin];
      // The sum may count shared ancestors twice. Too high a count is safer than too low a one.
      ancestors[group] += coins.ancestors[coin];
      descendants[group] = Math.max(descendants[group], coins.descendants[coin]);
    }
    starts[group + 1] = at;
  }
  return { count: lists.length, starts, members, values, depths, fromMe, ancestors, descendants };
}
