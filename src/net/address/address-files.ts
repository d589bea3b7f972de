// Files that outlive the process: peers.dat with the known addresses, anchors.json with the block-relay-only peers. If a
// file is damaged or missing, the node starts without its content.

import fs from 'node:fs';
import { replaceFile } from '../../lib/durable-file.js';
import { SerialQueue } from '../../lib/serial-queue.js';
import type { Logger } from '../../log/logger.js';
import type { Peer } from '../peer/peer.js';
import { hostText, type NetAddress, parseHost } from '../wire/net-address.js';
import type { AddrManager } from './addr-manager.js';

/** Maximum number of block-relay-only peers that are stored for the next start. */
const MAX_ANCHORS = 2;

export class AddressFiles {
  readonly #writes = new SerialQueue();
  readonly #peers: string | null;
  readonly #anchors: string | null;
  readonly #log: Logger;

  /** @param peers null: addresses are not stored */
  constructor(peers: string | null, anchors: string | null, log: Logger) {
    this.#peers = peers;
    this.#anchors = anchors;
    this.#log = log;
  }

  loadAddresses(manager: AddrManager): void {
    if (this.#peers === null) return;
    try {
      manager.load(fs.readFileSync(this.#peers));
      this.#log.info(`Loaded ${manager.size} addresses from peers.dat`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.#log.warn(
        `peers.dat can't be read (${(error as Error).message}). It is replaced; addresses are requested from seeds and peers.`,
      );
    }
  }

  /** Writes peers.dat asynchronously, because a sync of the disk may take many milliseconds. */
  async saveAddresses(manager: AddrManager): Promise<void> {
    if (this.#peers !== null) await this.#write(this.#peers, manager.encode());
  }

  /** Reads the anchors and removes the file, so that after a crash the same peers are not tried again and again. */
  takeAnchors(): NetAddress[] {
    if (this.#anchors === null) return [];
    try {
      const text = fs.readFileSync(this.#anchors, 'utf8');
      fs.rmSync(this.#anchors);
      const list = JSON.parse(text) as { host: string; port: number }[];
      return list
        .slice(0, MAX_ANCHORS)
        .map(({ host, port }) => parseHost(host, port))
        .filter((address) => address !== null);
    } catch {
      return [];
    }
  }

  async saveAnchors(peers: readonly Peer[]): Promise<void> {
    if (this.#anchors === null) return;
    const rows = peers.slice(0, MAX_ANCHORS).map(({ address }) => ({ host: hostText(address), port: address.port }));
    await this.#write(this.#anchors, Buffer.from(JSON.stringify(rows)));
  }

  /** Writes run one after another, because two writes of one file would use the same temporary name. */
  #write(file: string, bytes: Uint8Array): Promise<void> {
    return this.#writes
      .run(() => replaceFile(file, [bytes]))
      .catch((error: Error) =>
        this.#log.warn(`${file} can't be written: ${error.message}. Check the free space and permissions of the data directory.`),
      );
  }
}
