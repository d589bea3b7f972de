// -netinfo: the peers as a table of counts, and what the node says about its networks.
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { batch, CliError, type Target } from './client.js';

/** Networks of the table's columns. */
const columns = ['ipv4', 'ipv6', 'onion'] as const;

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : '');

/** @param words the level of detail, 0 to 4, or help */
export async function netInfo(target: Target, words: readonly string[]): Promise<{ text: string } | { error: JsonValue }> {
  const level = words[0] ?? '0';
  if (level === 'help')
    return { text: `-netinfo [level]\n\nPeers by network and direction; from level 1 on one line for each peer too.\n` };
  if (!/^\d+$/.test(level)) throw new CliError(`invalid -netinfo argument: ${level}\nFor more information, run: adit-cli -netinfo help`);
  const [peers, network] = await batch(target, [{ method: 'getpeerinfo' }, { method: 'getnetworkinfo' }]);
  for (const part of [peers!, network!]) if (part.error !== null) return { error: part.error };
  const info = network!.result as JsonObject;
  const list = (peers!.result as JsonValue[]).filter((peer) => peer instanceof JsonObject);
  const counts = { in: new Map<string, number>(), out: new Map<string, number>() };
  for (const peer of list) {
    const way = peer.get('inbound') === true ? counts.in : counts.out;
    const net = text(peer.get('network'));
    way.set(net, (way.get(net) ?? 0) + 1);
  }
  const lines = [`adit client - server ${text(info.get('protocolversion'))}${text(info.get('subversion'))}`, ''];
  if (Number(level) > 0) {
    lines.push('Peer connections', '<->   net  version                   address');
    for (const peer of list) {
      const way = peer.get('inbound') === true ? 'in ' : 'out';
      lines.push(`${way} ${text(peer.get('network')).padStart(6)}  ${text(peer.get('subver')).padEnd(24)}  ${text(peer.get('addr'))}`);
    }
    lines.push('');
  }
  lines.push(`        ${columns.map((net) => net.padStart(8)).join('')}   total`);
  const row = (name: string, of: (net: string) => number, total: number): void => {
    lines.push(`${name.padEnd(8)}${columns.map((net) => String(of(net)).padStart(8)).join('')}${String(total).padStart(8)}`);
  };
  const sum = (way: Map<string, number>): number => [...way.values()].reduce((a, b) => a + b, 0);
  row('in', (net) => counts.in.get(net) ?? 0, sum(counts.in));
  row('out', (net) => counts.out.get(net) ?? 0, sum(counts.out));
  row('total', (net) => (counts.in.get(net) ?? 0) + (counts.out.get(net) ?? 0), sum(counts.in) + sum(counts.out));
  const local = (info.get('localaddresses') as JsonValue[] | undefined) ?? [];
  lines.push('', local.length === 0 ? 'Local addresses: n/a' : 'Local addresses');
  for (const one of local) if (one instanceof JsonObject) lines.push(`${text(one.get('address'))}     port ${text(one.get('port'))}`);
  return { text: `${lines.join('\n')}\n` };
}
