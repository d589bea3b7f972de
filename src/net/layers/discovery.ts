// Fourth layer of the network module: which addresses peers exchange, and to which ones this node connects.
import { AddrRelay } from '../address/addr-relay.js';
import { AddressFiles } from '../address/address-files.js';
import type { NetContext } from '../context.js';
import { AutoConnect } from '../peer/auto-connect.js';
import { ClockCheck } from '../peer/clock-check.js';
import { Outbound } from '../peer/outbound.js';
import type { Peer } from '../peer/peer.js';
import type { NetAddress } from '../wire/net-address.js';
import type { NetDeps } from './base.js';
import type { Sync } from './sync.js';
import type { Transport } from './transport.js';

/** Milliseconds between saves of the known addresses. */
const SAVE_MS = 15 * 60_000;

export class Discovery {
  readonly addrRelay: AddrRelay;
  /** Peers that the operator names. */
  readonly outbound: Outbound;
  readonly clockCheck: ClockCheck;
  readonly #auto: AutoConnect;
  readonly #files: AddressFiles;
  readonly #context: NetContext;
  readonly #transport: Transport;
  #saver: NodeJS.Timeout | null = null;

  constructor(context: NetContext, transport: Transport, { staleTip }: Sync, deps: NetDeps) {
    const { options, log } = context;
    const { addresses, bans, connections, connector, local } = transport;
    this.#context = context;
    this.#transport = transport;
    this.clockCheck = new ClockCheck((text) => log.warn(text));
    this.#files = new AddressFiles(deps.peersFile, deps.anchorsFile, log);
    const loopback: NetAddress = { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: options.port };
    this.addrRelay = new AddrRelay(
      context,
      addresses,
      (peer) => (options.advertiseLoopback ? loopback : local.forPeer(peer)),
      (address) => bans.isUnwanted(address),
    );
    this.outbound = new Outbound(
      context,
      (target, type, encrypted) => connections.connect(target, type, encrypted),
      async (name) => (await connections.findConnected(name)) !== undefined,
    );
    this.#auto = new AutoConnect(context, {
      manager: addresses,
      peers: () => [...connections.all],
      connect: (target, type) => connections.connect(target, type),
      resolve: (host, port) => connector.resolve(host, port, true),
      isUnwanted: (address) => transport.isUnwanted(address),
      active: () => connections.active && connector.ready,
      wantsExtra: () => staleTip.wantsExtra,
      wantsExtraBlockRelay: () => staleTip.wantsExtraBlockRelay,
    });
  }

  /** Loads the known addresses and starts to connect to peers. */
  start(): void {
    const { addresses } = this.#transport;
    this.outbound.start();
    this.#files.loadAddresses(addresses);
    this.#auto.start(this.#context.options.connectOnly ? [] : this.#files.takeAnchors());
    this.#saver = setInterval(() => void this.#files.saveAddresses(addresses), SAVE_MS);
    this.#saver.unref();
  }

  /** Connects to no more peers. If start() was called, saves the known addresses and the anchors. */
  async stop(): Promise<void> {
    this.outbound.stop();
    this.#auto.stop();
    if (this.#saver === null) return;
    clearInterval(this.#saver);
    const { addresses, connections } = this.#transport;
    const anchors = [...connections.all].filter(({ type, ready }) => type === 'block-relay-only' && ready);
    const saving = [this.#files.saveAddresses(addresses)];
    if (!this.#context.options.connectOnly) saving.push(this.#files.saveAnchors(anchors));
    await Promise.all(saving);
  }

  /** Called when a peer's version message was read. The message proves that the address of an outbound peer works. */
  onGreeted(peer: Peer): void {
    const { addresses, local } = this.#transport;
    if (peer.inbound) {
      if (peer.localAddress !== null) local.seen(peer.localAddress);
      return;
    }
    this.clockCheck.add(peer.timeOffset);
    addresses.setServices(peer.address, peer.services);
    addresses.good(peer.address);
  }

  /** Called when a peer completed the handshake. */
  addPeer(peer: Peer): void {
    this.addrRelay.addPeer(peer);
    if (!peer.inbound) this.addrRelay.requestAddresses(peer);
  }

  /** Called when a connection ended. */
  forgetPeer(peer: Peer): void {
    this.addrRelay.forgetPeer(peer);
    // Do not update the last-seen time of a block-relay-only peer's address: other peers are sent that time and would learn of
    // the connection (Core's FinalizeNode).
    const visible = !peer.inbound && peer.type !== 'block-relay-only' && !peer.isPrivate;
    if (peer.ready && visible && peer.misbehaviour === 0) this.#transport.addresses.connected(peer.address);
  }
}
