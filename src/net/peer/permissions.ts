// What a peer may do beyond others, from where it comes in and from where it is (-whitebind, -whitelist).
import { type NetOptions, NO_PERMISSIONS, type Permissions } from '../options.js';
import type { NetAddress } from '../wire/net-address.js';
import { SERVICE } from '../wire/protocol.js';
import { subnetContains } from './bans.js';

/** Core's order. */
const names: readonly Exclude<keyof Permissions, 'implicit'>[] = [
  'bloomfilter',
  'noban',
  'forcerelay',
  'relay',
  'mempool',
  'download',
  'addr',
];

/** @param way whether the peer came to us or was called @param granted by the listener it came to */
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
 * The services offered to all peers: not all old blocks while a snapshot's history is being downloaded.
 * @param wanted what the options say
 */
export function offeredServices(wanted: bigint, { history }: { readonly history: unknown }): bigint {
  return history === null ? wanted : (wanted & ~SERVICE.NETWORK) | SERVICE.NETWORK_LIMITED;
}

/** The services offered to a peer: bloom filters to all, or to those with the permission. @param common to all peers */
export function servicesFor({ permissions }: { readonly permissions: Permissions }, common: bigint): bigint {
  return permissions.bloomfilter ? common | SERVICE.BLOOM : common;
}

/** As getpeerinfo lists them. */
export function namesOfPermissions(permissions: Permissions): string[] {
  return names.filter((name) => permissions[name]);
}
