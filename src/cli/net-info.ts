// Implements -netinfo: a table with the numbers of peers, and what the node says about its networks.
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { batch, CliError, type Target } from './client.js';

/** Networks that always have a column. Others have one if the node can reach them. */
const COLUMNS: readonly string[] = ['ipv4', 'ipv6', 'onion'];

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : '');

const helpText = `-netinfo [level]

Peers by network and direction. From level 1 on also one line per peer, fastest first:
  <->     in or out, and whether it relays transactions (*: blocks only)
  net     network
  mping   shortest ping time so far, milliseconds
  ping    last ping time, milliseconds
  send    seconds since the last message was sent
  recv    seconds since the last message was received
  age     minutes since the connection was made
  height  height of the peer's best known block
Level 2 adds addresses, level 3 versions, level 4 both.
`;

/** Converts seconds to whole milliseconds. */
const milliseconds = (value: JsonValue | undefined): string =>
  value instanceof JsonNumber ? String(Math.round(Number(value.text) * 1000)) : '';

/** Returns one line per peer, fastest of each direction first. */
function peerLines(peers: readonly JsonObject[], level: number, nowSeconds: number): string[] {
  const withAddress = level === 2 || level > 3;
  const withVersion = level > 2;
  const since = (peer: JsonObject, name: string, unit = 1): string => {
    const at = Number(text(peer.get(name)));
    return at > 0 ? String(Math.max(0, Math.floor((nowSeconds - at) / unit))) : '';
  };
  const order = (peer: JsonObject): number => (peer.get('inbound') === true ? 0 : 1e9) + Number(text(peer.get('minping')) || 1e6);
  const rows = [...peers]
    .sort((a, b) => order(a) - order(b))
    .map((peer) => [
      `${peer.get('inbound') === true ? 'in' : 'out'}${peer.get('relaytxes') === false ? ' *' : ''}`,
      text(peer.get('network')),
      milliseconds(peer.get('minping')),
      milliseconds(peer.get('pingtime')),
      since(peer, 'lastsend'),
      since(peer, 'lastrecv'),
      since(peer, 'conntime', 60),
      text(peer.get('synced_headers')),
      ...(withAddress ? [text(peer.get('addr'))] : []),
      ...(withVersion ? [`${text(peer.get('version'))}${text(peer.get('subver'))}`] : []),
    ]);
  const titles = [
    '<->',
    'net',
    'mping',
    'ping',
    'send',
    'recv',
    'age',
    'height',
    ...(withAddress ? ['address'] : []),
    ...(withVersion ? ['version'] : []),
  ];
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  // Align words left and numbers right.
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === 0 || i > 7 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return ['Peer connections', line(titles), ...rows.map(line), '     send, recv in seconds, pings in milliseconds, age in minutes'];
}

/** Returns the table. @param words level of detail, 0 to 4, or help */
export async function netInfo(target: Target, words: readonly string[]): Promise<{ text: string } | { error: JsonValue }> {
  const level = words[0] ?? '0';
  if (level === 'help') return { text: helpText };
  if (!/^\d+$/.test(level)) throw new CliError(`invalid -netinfo argument: ${level}\nFor more information, run: adit-cli -netinfo help`);
  const [peers, network] = await batch(target, [{ method: 'getpeerinfo' }, { method: 'getnetworkinfo' }]);
  for (const part of [peers!, network!]) if (part.error !== null) return { error: part.error };
  const info = network!.result as JsonObject;
  const list = (peers!.result as JsonValue[]).filter((peer) => peer instanceof JsonObject);
  const networks = ((info.get('networks') as JsonValue[] | undefined) ?? []).filter((each) => each instanceof JsonObject);
  const columns = [
    ...new Set([...COLUMNS, ...networks.filter((each) => each.get('reachable') === true).map((each) => text(each.get('name')))]),
  ];
  const counts = { in: new Map<string, number>(), out: new Map<string, number>() };
  for (const peer of list) {
    const way = peer.get('inbound') === true ? counts.in : counts.out;
    const net = text(peer.get('network'));
    way.set(net, (way.get(net) ?? 0) + 1);
  }
  const lines = [`adit client - server ${text(info.get('protocolversion'))}${text(info.get('subversion'))}`, ''];
  if (Number(level) > 0) {
    lines.push(...peerLines(list, Number(level), Math.floor(Date.now() / 1000)), '');
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
