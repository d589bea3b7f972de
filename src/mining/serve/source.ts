// Names the source of a connection, for limits per address.
import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Returns the /64 network of an IPv6 address: its first four groups. One client commonly has a whole /64. */
function network(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  while (tail !== undefined && groups.length + behind < 8) groups.push('0');
  return `${[...groups, ...(tail ? tail.split(':') : [])].slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the name under which a client's connections are counted: its IPv4 address, or the /64 network of its IPv6
 * address.
 * @returns null if the client is on this machine: at a loopback address, or at the address to which it connected
 */
export function sourceOf(remote: string | undefined, local: string | undefined): string | null {
  const address = (remote ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  const v6 = isIPv6(address);
  if (remote === local || loopback.check(address, v6 ? 'ipv6' : 'ipv4')) return null;
  return v6 ? network(address) : address;
}
