// Light clients with a bloom filter (BIP-0037): filterload, filteradd, filterclear, and filtered blocks. Served with
// -peerbloomfilters, or to peers with the permission.
import { parseBlock } from '../../consensus/block/block-view.js';
import { encodePartialMerkle, partialMerkleSteps } from '../../consensus/block/partial-merkle.js';
import { ByteReader } from '../../consensus/bytes/reader.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../../consensus/script/eval-script.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { servicesFor } from '../peer/permissions.js';
import { SERVICE } from '../wire/protocol.js';
import { BloomFilter } from './bloom-filter.js';

export class FilteredRelay {
  readonly #context: NetContext;

  constructor(context: NetContext) {
    this.#context = context;
  }

  /** Handles filterload. @throws DecodeError */
  load(peer: Peer, payload: Uint8Array): void {
    if (!this.#serves(peer)) return;
    const filter = BloomFilter.decode(payload);
    if (filter === null) this.#context.misbehaving(peer, 100, 'too-large bloom filter');
    else if (peer.relaysTransactions) {
      peer.filter = filter;
      peer.relaysTxs = true;
    }
  }

  /** Handles filteradd. @throws DecodeError */
  add(peer: Peer, payload: Uint8Array): void {
    if (!this.#serves(peer)) return;
    const data = new ByteReader(payload).varBytes();
    const bad = data.length > MAX_SCRIPT_ELEMENT_SIZE || (peer.relaysTransactions && peer.filter === null);
    if (bad) this.#context.misbehaving(peer, 100, 'bad filteradd message');
    else peer.filter?.insert(data);
  }

  /** Handles filterclear: the peer wants all transactions again. */
  clear(peer: Peer): void {
    if (!this.#serves(peer) || !peer.relaysTransactions) return;
    peer.filter = null;
    peer.relaysTxs = true;
  }

  /**
   * Sends a block as merkleblock with the transactions that match the peer's filter. Sends nothing without a filter.
   * @param bytes the whole block
   */
  async sendBlock(peer: Peer, bytes: Uint8Array): Promise<void> {
    const { filter } = peer;
    if (filter === null) return;
    const work = this.#sendSteps(peer, filter, bytes);
    const slice = new TimeSlice();
    const runSlice = (): boolean => {
      for (;;) {
        if (work.next().done === true) return true;
        if (slice.over) return false;
      }
    };
    while (!this.#context.chargeTo(peer, runSlice)) await slice.next();
  }

  *#sendSteps(peer: Peer, filter: BloomFilter, bytes: Uint8Array): Generator<unknown, void> {
    const { crypto } = this.#context;
    const block = parseBlock(bytes, crypto);
    const txids: Uint8Array[] = [];
    const matches: boolean[] = [];
    for (const tx of block.txs) {
      txids.push(tx.txid);
      matches.push(filter.matches(tx));
      yield;
    }
    const proof = yield* partialMerkleSteps(txids, matches, crypto);
    if (peer.leaving) return;
    peer.send('merkleblock', Buffer.concat([block.header.bytes, encodePartialMerkle(proof)]));
    // Send the transactions too: the peer has no other way to request them.
    for (const [i, tx] of block.txs.entries()) if (matches[i]) peer.send('tx', tx.stripped());
  }

  /** Returns whether the peer may use filters; otherwise disconnects it. */
  #serves(peer: Peer): boolean {
    if ((servicesFor(peer, this.#context.options.services) & SERVICE.BLOOM) !== 0n) return true;
    this.#context.disconnect(peer, 'filter message received despite not offering bloom services');
    return false;
  }
}
