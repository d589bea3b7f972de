// Connections of -privatebroadcast. Each goes through Tor or I2P to a random address, reveals nothing about this node,
// hands over one transaction, and ends when the peer has answered a ping (Core's ThreadPrivateBroadcast and its part of
// net_processing). Three connections for each transaction, and more later until the transaction returns from the
// network.
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import type { NetContext } from '../context.js';
import type { ConnectionType, Peer } from '../peer/peer.js';
import { encodeInv, INV_ENTRY_BYTES, invEntries, invItem } from '../wire/messages.js';
import { addressText, type NetAddress, type NetworkName } from '../wire/net-address.js';
import { INV } from '../wire/protocol.js';
import { PrivateBroadcast } from './private-broadcast.js';

/** Number of peers that each transaction is sent to. */
const PEERS_PER_TX = 3;
const MAX_CONNECTIONS = 64;
/** Seconds after which an unfinished connection is closed. */
const MAX_SECONDS = 3 * 60;
/** Pause before the next attempt if an address did not answer, and if no address is known. */
const FAILED_MS = 100;
const NO_ADDRESS_MS = 500;

export interface PrivateSenderDeps {
  /** Returns a random address of a network. */
  pick(network: NetworkName): NetAddress | undefined;
  connect(target: NetAddress, type: ConnectionType): Promise<Peer | null>;
  /** Returns the open private-broadcast connections. */
  open(): readonly Peer[];
  ping(peer: Peer): void;
}

export class PrivateSender {
  readonly queue: PrivateBroadcast;
  #toOpen = 0;
  #opening = false;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;
  /**
   * True if the proxy has led to an onion address. The proxy is then Tor, so it can also hide connections to IPv4 and
   * IPv6 addresses.
   */
  #torWorks = false;
  readonly #context: NetContext;
  readonly #deps: PrivateSenderDeps;

  constructor(context: NetContext, deps: PrivateSenderDeps) {
    this.#context = context;
    this.#deps = deps;
    this.queue = new PrivateBroadcast(() => context.clock.nowSeconds());
  }

  /** True if addresses can be reached through Tor or I2P. */
  get reachable(): boolean {
    return this.#hidden().length > 0;
  }

  #hidden(): NetworkName[] {
    return (['onion', 'i2p'] as const).filter((network) => this.#context.routes.connectsTo(network));
  }

  /** @returns false if the queue is full */
  add(tx: TxView): boolean {
    const name = `txid=${hashToHex(tx.txid)}, wtxid=${hashToHex(tx.wtxid)}`;
    const outcome = this.queue.add(tx);
    if (outcome === 'full') this.#log(`Rejecting private broadcast, queue full: ${name}`);
    else if (outcome === 'present') this.#log(`Ignoring unnecessary request to schedule an already scheduled transaction: ${name}`);
    else {
      this.#log(`Requesting ${PEERS_PER_TX} new connections due to ${name}`);
      this.#open(PEERS_PER_TX);
    }
    return outcome !== 'full';
  }

  /** Removes all transactions with this txid or wtxid. @returns them */
  abort(id: Uint8Array): TxView[] {
    const aborted = this.queue.list
      .map(({ tx }) => tx)
      .filter((tx) => Buffer.compare(tx.txid, id) === 0 || Buffer.compare(tx.wtxid, id) === 0);
    for (const tx of aborted) this.#endBroadcast(tx);
    return aborted;
  }

  /** Called for every transaction from the network. Ends the private broadcast of a transaction that has come back. */
  received(peer: Peer, tx: TxView): void {
    if (!this.#endBroadcast(tx)) return;
    this.#log(
      `Received our privately broadcast transaction (txid=${hashToHex(tx.txid)}) from the network from peer=${peer.id}; stopping private broadcast attempts`,
    );
  }

  /** Ends a private broadcast, so that its remaining connections are not opened. @returns false if the transaction was not pending */
  #endBroadcast(tx: TxView): boolean {
    const confirmed = this.queue.remove(tx.wtxid);
    if (confirmed === null) return false;
    this.#toOpen = Math.max(0, this.#toOpen - Math.max(0, PEERS_PER_TX - confirmed));
    return true;
  }

  /** Sends transactions again that have not returned and are still valid. Called every few minutes. */
  async retry(): Promise<void> {
    let again = 0;
    for (const tx of this.queue.stale()) {
      const { reject } = await this.#context.mempool.accept(tx, { testOnly: true });
      const name = `txid=${hashToHex(tx.txid)} wtxid=${hashToHex(tx.wtxid)}`;
      if (reject === null) {
        this.#log(`Reattempting broadcast of stale ${name}`);
        again++;
      } else {
        this.#log(`Giving up broadcast attempts for ${name}: ${reject.reason}`);
        this.queue.remove(tx.wtxid);
      }
      await yieldToLoop();
    }
    this.#open(again);
  }

  /** Called when the handshake with a private-broadcast peer is complete. */
  ready(peer: Peer): void {
    if (peer.address.network === 'onion') this.#torWorks = true;
    const tx = this.queue.pick(peer, addressText(peer.address));
    if (tx === undefined) {
      this.#drop(peer, 'no more transactions for private broadcast (connected in vain)');
      return;
    }
    this.#log(`P2P handshake completed, sending INV for txid=${hashToHex(tx.txid)}, peer=${peer.id}`);
    peer.send('inv', encodeInv([{ type: INV.TX, hash: tx.txid }]));
  }

  /** Handles getdata, which must request exactly the announced transaction. @throws DecodeError */
  getData(peer: Peer, payload: Uint8Array): void {
    const tx = this.queue.txSentTo(peer);
    const entries = invEntries(payload);
    const item = entries.length === INV_ENTRY_BYTES ? invItem(entries, 0) : undefined;
    const wanted = item !== undefined && (item.type === INV.TX || item.type === INV.WITNESS_TX);
    if (tx === undefined || !wanted || Buffer.compare(item.hash, tx.txid) !== 0) {
      this.#drop(peer, 'got an unexpected GETDATA message');
      return;
    }
    peer.send('tx', tx.bytes);
    this.#deps.ping(peer);
  }

  /** Called when the peer has answered the ping after the transaction. */
  answered(peer: Peer): void {
    this.queue.confirm(peer);
    this.#drop(peer, 'got a PONG (the transaction will probably reach the network)');
  }

  /** Closes a connection. */
  #drop(peer: Peer, why: string): void {
    this.#log(`Disconnecting: ${why}, peer=${peer.id}`);
    this.#context.disconnect(peer);
  }

  /** Called when the peer accepts no transactions. */
  refuse(peer: Peer): void {
    this.#drop(peer, 'does not support transaction relay (connected in vain)');
  }

  /** Called when a connection has ended. */
  forgetPeer(peer: Peer): void {
    if (!this.queue.forgetPeer(peer) && this.queue.hasPending) this.#open(1);
    else this.#open(0);
  }

  /** Closes connections that take too long. */
  tick(): void {
    const now = this.#context.clock.realSeconds();
    for (const peer of this.#deps.open()) {
      if (peer.connectedAt + MAX_SECONDS < now) this.#drop(peer, `did not complete the transaction send within ${MAX_SECONDS} seconds`);
    }
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #log(message: string): void {
    this.#context.log.debug('net', message);
  }

  #open(more: number): void {
    this.#toOpen += more;
    if (this.#opening || this.#timer !== null || this.#toOpen === 0 || this.#stopped) return;
    this.#opening = true;
    this.#openOne()
      .catch((error: Error) => {
        this.#log(`Opening a connection: ${error.message}`);
        return FAILED_MS;
      })
      .then((waitMs) => {
        this.#opening = false;
        if (this.#stopped || waitMs === null) return;
        this.#timer = setTimeout(() => {
          this.#timer = null;
          this.#open(0);
        }, waitMs);
      });
  }

  /** @returns ms to wait before the next attempt; null: until a connection ends */
  async #openOne(): Promise<number | null> {
    if (this.#deps.open().length >= MAX_CONNECTIONS) return null;
    const networks = this.#hidden();
    // If the proxy is known to be Tor, also use IPv4 and IPv6 addresses, which Tor reaches through its exit nodes.
    const exits: NetworkName[] = this.#torWorks ? ['ipv4', 'ipv6'] : [];
    for (const network of exits) if (this.#context.routes.connectsTo(network)) networks.push(network);
    // Choose a random network, and the next one if no address of it is known.
    const first = Math.floor(this.#context.random() * networks.length);
    const [address] = [...networks.slice(first), ...networks.slice(0, first)].flatMap((network) => this.#deps.pick(network) ?? []);
    if (address === undefined) return NO_ADDRESS_MS;
    const peer = await this.#deps.connect(address, 'private-broadcast');
    if (peer === null) return FAILED_MS;
    if (this.#toOpen > 0) this.#toOpen--;
    this.#log(`Socket connected to ${addressText(address)}; remaining connections to open: ${this.#toOpen}`);
    return 0;
  }
}
