// Permissions of peers, by the listener they connect to (-whitebind) and by their address (-whitelist).
import { type NetOptions, NO_PERMISSIONS, type Permissions } from '../options.js';
import type { NetAddress } from '../wire/net-address.js';
import { SERVICE } from '../wire/protocol.js';
import { subnetContains } from './bans.js';

/** Names in Core's order. */
const names: readonly Exclude<keyof Permissions, 'implicit'>[] = [
  'bloomfilter',
  'noban',
  'forcerelay',
  'relay',
  'mempool',
  'download',
  'addr',
];

/** Returns the permissions of a peer. @param way inbound or outbound @param granted permissions of the listener */
export function permissionsFor(
  whitelist: NetOptions['whitelist'],
  way: 'in' | 'out',
  address: NetAddress,
  granted: Permissions | null,
): Permissions {
  const all: Record<keyof Permissions, boolean> = { ...(granted ?? NO_PERMISSIONS) };
  for (const { subnet, permissions, ways } of whitelist) {
    if (!ways.includes(way) || !subnetContains(subnet, address)) continue;
    for (const name of [...names, 'implicit'] as const) all[name] ||= permissions[name];
  }
  return all;
}

/**
 * Returns the services offered to all peers. NODE_NETWORK is missing while the history below a snapshot is being
 * downloaded.
 * @param wanted services of the options
 */
export function offeredServices(wanted: bigint, { history }: { readonly history: unknown }): bigint {
  return history === null ? wanted : (wanted & ~SERVICE.NETWORK) | SERVICE.NETWORK_LIMITED;
}

/** Returns the services offered to one peer. The permission adds bloom filters. @param common services offered to all peers */
export function servicesFor({ permissions }: { readonly permissions: Permissions }, common: bigint): bigint {
  return permissions.bloomfilter ? common | SERVICE.BLOOM : common;
}

/** Returns the names of permissions as getpeerinfo lists them. */
export function namesOfPermissions(permissions: Permissions): string[] {
  return names.filter((name) => permissions[name]);
}
