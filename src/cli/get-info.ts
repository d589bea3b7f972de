// Implements -getinfo: the most important figures from several calls in one batch, with the members of bitcoin-cli 0.21
// in its order.
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { batch, type Target } from './client.js';

/** Error codes of a node without the requested wallet. -getinfo then omits the members about the wallet. */
const noWallet = new Set(['-18', '-19', '-32601']);

const member = (value: JsonValue, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((at, key) => (at instanceof JsonObject ? at.get(key) : undefined), value);

/**
 * Returns the balance of each loaded wallet by name; undefined if fewer than two are loaded, because the member `balance`
 * shows the balance of a single wallet.
 */
async function balancesOfAll(target: Target): Promise<JsonObject | undefined> {
  const [list] = await batch(target, [{ method: 'listwallets' }]);
  const names = list!.error === null ? (list!.result as string[]) : [];
  if (names.length < 2) return undefined;
  const trusted: JsonValue[] = [];
  for (const wallet of names) {
    const [balances] = await batch({ ...target, wallet }, [{ method: 'getbalances' }]);
    trusted.push(member(balances!.result, 'mine', 'trusted') ?? null);
  }
  return new JsonObject(names, trusted);
}

/** Calls the node and builds the object. @returns result, or the first error that matters */
export async function getInfo(target: Target): Promise<{ result: JsonObject } | { error: JsonValue }> {
  const [network, chain, wallet, balances] = await batch(target, [
    { method: 'getnetworkinfo' },
    { method: 'getblockchaininfo' },
    { method: 'getwalletinfo' },
    { method: 'getbalances' },
  ]);
  for (const part of [network!, chain!]) if (part.error !== null) return { error: part.error };
  for (const part of [wallet!, balances!]) {
    const code = member(part.error, 'code');
    if (part.error !== null && !(code instanceof JsonNumber && noWallet.has(code.text))) return { error: part.error };
  }
  const members: [string, JsonValue | undefined][] = [
    ['version', member(network!.result, 'version')],
    ['blocks', member(chain!.result, 'blocks')],
    ['headers', member(chain!.result, 'headers')],
    ['verificationprogress', member(chain!.result, 'verificationprogress')],
    ['timeoffset', member(network!.result, 'timeoffset')],
    [
      'connections',
      new JsonObject(
        ['in', 'out', 'total'],
        ['connections_in', 'connections_out', 'connections'].map((key) => member(network!.result, key) ?? null),
      ),
    ],
    ['proxy', member((member(network!.result, 'networks') as JsonValue[] | undefined)?.[0] ?? null, 'proxy')],
    ['difficulty', member(chain!.result, 'difficulty')],
    ['chain', member(chain!.result, 'chain')],
  ];
  if (wallet!.error === null) {
    members.push(['keypoolsize', member(wallet!.result, 'keypoolsize')]);
    if (member(wallet!.result, 'unlocked_until') !== undefined) members.push(['unlocked_until', member(wallet!.result, 'unlocked_until')]);
    members.push(['paytxfee', member(wallet!.result, 'paytxfee')]);
  }
  if (balances!.error === null) members.push(['balance', member(balances!.result, 'mine', 'trusted')]);
  members.push(['relayfee', member(network!.result, 'relayfee')], ['warnings', member(network!.result, 'warnings')]);
  if (target.wallet === undefined) members.push(['balances', await balancesOfAll(target)]);
  const given = members.filter((one): one is [string, JsonValue] => one[1] !== undefined);
  return {
    result: new JsonObject(
      given.map(([key]) => key),
      given.map(([, value]) => value),
    ),
  };
}
