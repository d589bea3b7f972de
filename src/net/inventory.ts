// Handles inv, getdata, notfound, tx and mempool.
import { hashToHex } from '../consensus/bytes/hex.js';
import type { NetContext } from './context.js';
import type { Peer } from './peer/peer.js';
import { servicesFor } from './peer/permissions.js';
import type { CompactSender } from './relay/compact-sender.js';
import type { PrivateSender } from './relay/private-sender.js';
import type { TxAnnouncer } from './relay/tx-announcer.js';
import type { TxDownload } from './relay/tx-download.js';
import type { TxReceiver } from './relay/tx-receiver.js';
import { noteAvailable } from './sync/availability.js';
import type { BlockDownload } from './sync/block-download.js';
import type { HeadersSync } from './sync/headers.js';
import type { UploadTarget } from './sync/upload-target.js';
import type { Frame } from './wire/frame.js';
import { INV_ENTRY_BYTES, type InvItem, invEntries, invItem, TooMany } from './wire/messages.js';
import { INV, SERVICE } from './wire/protocol.js';

/** Entries handled in one step; takes well under a millisecond. */
const ENTRIES_PER_STEP = 64;

interface Parts {
  readonly txDownload: TxDownload;
  readonly txs: TxReceiver;
  readonly announcer: TxAnnouncer;
  readonly compact: CompactSender;
  readonly downloads: BlockDownload;
  readonly headers: HeadersSync;
  readonly upload: UploadTarget;
  readonly privately: PrivateSender;
}

export class Inventory {
  readonly #context: NetContext;
  readonly #parts: Parts;

  constructor(context: NetContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Handles inv, in steps: it may have 50,000 entries. @throws DecodeError */
  *inv(peer: Peer, payload: Uint8Array): Generator<void> {
    const { chain, log, options } = this.#context;
    const { txDownload, announcer, downloads, headers } = this.#parts;
    const rejectTxs = (options.blocksOnly && !peer.permissions.relay) || !peer.relaysTransactions;
    const logs = log.shows('net');
    let newest: Uint8Array | null = null;
    // Ids that were logged for this inv, so that each is logged once. Empty while the log category is off.
    const lines = new Set<string>();
    const entries = this.#entries(peer, payload, 'inv');
    for (let at = 0, checked = 0; at < entries.length; at += INV_ENTRY_BYTES) {
      const { type, hash } = invItem(entries, at);
      // Looking up an orphan may mean looking up thousands of parents.
      if (++checked % ENTRIES_PER_STEP === 0 || txDownload.orphans.has(hash)) yield;
      if (type === INV.BLOCK) {
        const known = chain.node(hash) !== undefined;
        if (logs) log.debug('net', `got inv: block ${hashToHex(hash)}  ${known ? 'have' : 'new'} peer=${peer.id}`);
        noteAvailable(chain, peer, hash);
        if (!known && !downloads.expects(hash)) newest = hash;
        continue;
      }
      const byWtxid = type === INV.WTX;
      // A peer announces transactions either by txid or by wtxid. WITNESS_TX belongs to getdata; in an inv it counts as a txid.
      if (type !== (peer.relaysByWtxid ? INV.WTX : INV.TX) && type !== INV.WITNESS_TX) continue;
      if (rejectTxs) {
        this.#context.disconnect(peer, `transaction (${hashToHex(hash)}) inv sent in violation of protocol`);
        return;
      }
      announcer.noteKnownHash(peer, hash);
      const ignored = chain.isInitialBlockDownload();
      const known = ignored ? txDownload.isKnown(hash, byWtxid) : txDownload.noteAnnounced(peer, hash, byWtxid);
      if (!logs) continue;
      const name = hashToHex(hash);
      if (lines.has(name + byWtxid)) continue;
      lines.add(name + byWtxid);
      log.debug('net', `got inv: ${kindOf(type)} ${name}  ${known ? 'have' : 'new'} peer=${peer.id}`);
    }
    if (newest !== null) {
      const asked = headers.askAbout(peer, newest);
      if (asked && logs) log.debug('net', `getheaders (${chain.bestHeader.height}) ${hashToHex(newest)} to peer=${peer.id}`);
    }
    this.#context.scheduleRound(peer);
  }

  /** Handles getdata: stores the entries. The dispatcher answers them as the peer reads. @throws DecodeError */
  getData(peer: Peer, payload: Uint8Array): void {
    if (peer.isPrivate) {
      this.#parts.privately.getData(peer, payload);
      return;
    }
    const entries = this.#entries(peer, payload, 'getdata');
    if (entries.length === 0) return;
    const { log } = this.#context;
    if (log.shows('net')) {
      const first = invItem(entries, 0);
      log.debug('net', `received getdata (${entries.length / INV_ENTRY_BYTES} invsz) peer=${peer.id}`);
      log.debug('net', `received getdata for: ${kindOf(first.type)} ${hashToHex(first.hash)} peer=${peer.id}`);
    }
    peer.wanted.add(entries);
  }

  /** Handles notfound. @throws DecodeError */
  *notFound(peer: Peer, payload: Uint8Array): Generator<void> {
    const entries = this.#entries(peer, payload, 'notfound');
    for (let at = 0, checked = 0; at < entries.length; at += INV_ENTRY_BYTES) {
      if (++checked % ENTRIES_PER_STEP === 0) yield;
      const { type, hash } = invItem(entries, at);
      if (type === INV.TX || type === INV.WTX || type === INV.WITNESS_TX) this.#parts.txDownload.notFound(peer, hash);
      else if (type === INV.BLOCK || type === INV.WITNESS_BLOCK || type === INV.CMPCT_BLOCK) this.#parts.downloads.notFound(peer, hash);
    }
  }

  /** Starts to verify transactions of tx messages that are handled next. */
  prefetch(peer: Peer, frames: readonly Frame[]): void {
    if (!this.#context.chain.isInitialBlockDownload()) this.#parts.txs.prefetch(peer, frames);
  }

  /** Handles tx. @throws DecodeError */
  tx(peer: Peer, payload: Uint8Array): void | Promise<void> {
    // No transaction can be validated before the initial block download has ended.
    if (this.#context.chain.isInitialBlockDownload() && !peer.permissions.relay) return;
    return this.#parts.txs.receiveTx(peer, payload);
  }

  /** Handles mempool (BIP-0035): allowed by permission, or while bloom filters are offered and the upload target is not reached. */
  wholeMempool(peer: Peer): void {
    const { options } = this.#context;
    let refused: string | null = null;
    if (!peer.permissions.mempool) {
      if ((servicesFor(peer, options.services) & SERVICE.BLOOM) === 0n) refused = 'bloom filters disabled';
      else if (this.#parts.upload.reached) refused = 'bandwidth limit reached';
    }
    if (refused === null) {
      this.#parts.announcer.wholeMempool(peer);
      return;
    }
    if (peer.permissions.noban) return;
    this.#context.disconnect(peer, `mempool request with ${refused}`);
  }

  /** Sends a requested transaction. @returns false if it is missing or must not be sent to this peer */
  sendTransaction(peer: Peer, { hash, type }: InvItem): boolean {
    const { announcer } = this.#parts;
    const byWtxid = type === INV.WTX;
    // 0.21 does not search recent blocks.
    const tx =
      announcer.findTx(peer, hash, byWtxid) ??
      (this.#context.options.legacyPeers ? undefined : this.#parts.compact.newestTransaction(hash, byWtxid));
    if (tx === undefined) return false;
    peer.send('tx', type === INV.TX && tx.hasWitness ? tx.stripped() : tx.bytes);
    this.#context.mempool.removeUnbroadcast(tx.txid);
    announcer.allowParents(peer, tx);
    return true;
  }

  #entries(peer: Peer, payload: Uint8Array, name: string): Uint8Array {
    try {
      return invEntries(payload);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      this.#context.misbehaving(peer, 20, `${name} ${error.message}`);
      return new Uint8Array(0);
    }
  }
}

/** Returns Core's name of an inventory type (CInv::GetCommand). */
function kindOf(type: number): string {
  const witness = type >= INV.WITNESS_TX ? 'witness-' : '';
  switch (type & 0xffff) {
    case INV.TX:
      return `${witness}tx`;
    case INV.WTX:
      return 'wtx';
    case INV.BLOCK:
      return `${witness}block`;
    case INV.FILTERED_BLOCK:
      return 'merkleblock';
    case INV.CMPCT_BLOCK:
      return 'cmpctblock';
    default:
      return `0x${type.toString(16).padStart(8, '0')}`;
  }
}
