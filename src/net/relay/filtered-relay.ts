// Light clients with a filter (BIP-0037): filterload, filteradd, filterclear, and blocks cut down to what a filter
// wants. Served with -peerbloomfilters, or to peers that were permitted it.
import { parseBlock } from '../../consensus/block/block-view.js';
import { encodePartialMerkle, partialMerkleSteps } from '../../consensus/block/partial-merkle.js';
import { ByteReader } from '../../consensus/bytes/reader.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../../consensus/script/eval-script.js';
import { Slicer } from '../../lib/slicer.js';
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

  /** filterload. @throws DecodeError */
  load(peer: Peer, payload: Uint8Array): void {
    if (!this.#serves(peer)) return;
    const filter = BloomFilter.decode(payload);
    if (filter === null) this.#context.misbehaving(peer, 100, 'too-large bloom filter');
    else if (peer.relaysTransactions) {
      peer.filter = filter;
      peer.relaysTxs = true;
    }
  }

  /** filteradd. @throws DecodeError */
  add(peer: Peer, payload: Uint8Array): void {
    if (!this.#serves(peer)) return;
    const data = new ByteReader(payload).varBytes();
    const bad = data.length > MAX_SCRIPT_ELEMENT_SIZE || (peer.relaysTransactions && peer.filter === null);
    if (bad) this.#context.misbehaving(peer, 100, 'bad filteradd message');
    else peer.filter?.insert(data);
  }

  /** filterclear: everything is wanted again. */
  clear(peer: Peer): void {
    if (!this.#serves(peer) || !peer.relaysTransactions) return;
    peer.filter = null;
    peer.relaysTxs = true;
  }

  /**
   * Sends a block as merkleblock with the transactions that match the peer's filter; nothing without a filter.
   * @param bytes the whole block
   */
  async sendBlock(peer: Peer, bytes: Uint8Array): Promise<void> {
    const { filter } = peer;
    if (filter === null) return;
    const work = this.#sendSteps(peer, filter, bytes);
    const slicer = new Slicer();
    const slice = (): boolean => {
      for (;;) {
        if (work.next().done === true) return true;
        if (slicer.due) return false;
      }
    };
    while (!this.#context.chargeTo(peer, slice)) await slicer.pause();
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
    // With the proof go the transactions themselves: there is no other way to ask for them.
    for (const [i, tx] of block.txs.entries()) if (matches[i]) peer.send('tx', tx.stripped());
  }

  /** A peer that uses filters where none are offered is left. */
  #serves(peer: Peer): boolean {
    if ((servicesFor(peer, this.#context.options.services) & SERVICE.BLOOM) !== 0n) return true;
    this.#context.disconnect(peer, 'filter message received despite not offering bloom services');
    return false;
  }
}
