// Address managers under a key that is the same in every run: the key decides which addresses want the same place, and
// with a random one a test would now and then lose an address.
import { AddrManager } from '../../src/net/address/addr-manager.js';
import { type NetAddress, parseHost } from '../../src/net/wire/net-address.js';
import { pseudoRandom } from './pseudo-random.js';

const KEY = Buffer.alloc(32, 1);

/** An empty one. @param nowSeconds seconds since 1970 @param random numbers in [0, 1) */
export function addressBook(nowSeconds: () => number, random: () => number = pseudoRandom(1)): AddrManager {
  return new AddrManager(nowSeconds, random, undefined, KEY);
}

/** peers.dat with the key and no addresses: a node that starts with it keeps the key. */
export const emptyBook = (): Buffer => Buffer.from(addressBook(() => 0).encode());

/**
 * Hosts that have a place of their own under the key, heard of and tried.
 * @param port of all of them
 * @param sourceOf the host that tells of one
 * @returns the hosts without a place: none in a test that is right
 */
export function withoutPlace(hosts: readonly string[], port: number, sourceOf: (host: string) => string): string[] {
  const book = addressBook(() => 1_700_000_000);
  const at = (host: string): NetAddress => parseHost(host, port) as NetAddress;
  // Each is heard of before the first is tried: that frees its place.
  const known = hosts.filter((host) => book.add({ ...at(host), time: 1_700_000_000, services: 9n }, at(sourceOf(host))));
  return hosts.filter((host) => {
    const tried = book.tried;
    book.good(at(host));
    return !known.includes(host) || book.tried === tried;
  });
}
