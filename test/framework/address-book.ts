// Address managers with the same key in every run. The key decides which addresses compete for a place. With a random
// key, a test would sometimes lose an address.
import { AddrManager } from '../../src/net/address/addr-manager.js';
import { type NetAddress, parseHost } from '../../src/net/wire/net-address.js';
import { pseudoRandom } from './pseudo-random.js';

const KEY = Buffer.alloc(32, 1);

/** Returns an empty address manager. @param nowSeconds seconds since 1970 @param random numbers in [0, 1) */
export function addressBook(nowSeconds: () => number, random: () => number = pseudoRandom(1)): AddrManager {
  return new AddrManager(nowSeconds, random, undefined, KEY);
}

/** Returns a peers.dat with the key and without addresses. A node that starts with this file keeps the key. */
export const emptyBook = (): Buffer => Buffer.from(addressBook(() => 0).encode());

/**
 * Adds each host to the address book and marks it as tried.
 * @param port port of all hosts
 * @param sourceOf returns the host that announces another one
 * @returns the hosts that collide with another one under the key; none in a correct test
 */
export function withoutPlace(hosts: readonly string[], port: number, sourceOf: (host: string) => string): string[] {
  const book = addressBook(() => 1_700_000_000);
  const at = (host: string): NetAddress => parseHost(host, port) as NetAddress;
  // Add each host before the first one is tried: a tried host frees its place.
  const known = hosts.filter((host) => book.add({ ...at(host), time: 1_700_000_000, services: 9n }, at(sourceOf(host))));
  return hosts.filter((host) => {
    const tried = book.tried;
    book.good(at(host));
    return !known.includes(host) || book.tried === tried;
  });
}
