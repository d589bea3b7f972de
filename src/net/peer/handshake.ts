// The first messages of a connection: version, verack, and the features negotiated between them (wtxidrelay,
// sendaddrv2). Order and log lines are Core's.
import crypto from 'node:crypto';
import type { NetContext } from '../context.js';
import { decodeVersion, encodeSendCmpct, encodeVersion, sanitized } from '../wire/messages.js';
import { addressText, isRoutable, type NetAddress } from '../wire/net-address.js';
import {
  desirableServices,
  MIN_PEER_PROTO_VERSION,
  PROTOCOL_VERSION,
  SENDHEADERS_VERSION,
  SERVICE,
  SHORT_IDS_BLOCKS_VERSION,
  WTXID_RELAY_VERSION,
} from '../wire/protocol.js';
import type { Peer } from './peer.js';
import { servicesFor } from './permissions.js';

/** Values of the version message to private-broadcast peers. Every node sends the same ones, so they do not identify this node. */
const ANONYMOUS_VERSION = {
  version: 70_016,
  services: 0n,
  time: 0n,
  addressOfReceiver: null,
  addressOfSender: null,
  userAgent: '/pynode:0.0.1/',
  startHeight: 0,
  relay: false,
} as const;

/** Number of blocks that may be missing while a peer with only the newest 288 blocks is sufficient. */
const LIMITED_DEPTH = 144;

export class Handshake {
  readonly #context: NetContext;
  /** Every connection, also before the handshake. */
  readonly #connected: ReadonlySet<Peer>;

  constructor(context: NetContext, connected: ReadonlySet<Peer>) {
    this.#context = context;
    this.#connected = connected;
  }

  /** Sends version: immediately on outbound connections, after the peer's version on inbound ones. */
  sendVersion(peer: Peer): void {
    const { options, services, clock, chain, log } = this.#context;
    peer.localNonce = crypto.randomBytes(8).readBigUInt64LE();
    if (peer.isPrivate) {
      peer.send('version', encodeVersion({ ...ANONYMOUS_VERSION, nonce: peer.localNonce }));
      return;
    }
    // The message can contain IPv4 and IPv6 addresses only.
    const receiver: NetAddress | null = peer.address.network === 'ipv4' || peer.address.network === 'ipv6' ? peer.address : null;
    const relay = (!options.blocksOnly || (peer.permissions.relay && !options.legacyPeers)) && peer.relaysTransactions;
    peer.send(
      'version',
      encodeVersion({
        version: PROTOCOL_VERSION,
        services: servicesFor(peer, services),
        time: BigInt(clock.nowSeconds()),
        addressOfReceiver: receiver,
        addressOfSender: null,
        nonce: peer.localNonce,
        userAgent: options.userAgent,
        startHeight: chain.tip.height,
        relay,
      }),
    );
    log.debug('net', `send version message: version ${PROTOCOL_VERSION}, blocks=${chain.tip.height}, peer=${peer.id}`);
  }

  /**
   * Returns whether an outbound connection of this node used the nonce: the node has connected to itself. Private connections
   * do not count. A peer that sent their nonce back would learn that they belong to this node.
   */
  #isOwnNonce(nonce: bigint): boolean {
    for (const peer of this.#connected) if (!peer.inbound && !peer.isPrivate && !peer.ready && peer.localNonce === nonce) return true;
    return false;
  }

  /** Handles version. @throws DecodeError */
  version(peer: Peer, payload: Uint8Array): void {
    const { clock, log, options } = this.#context;
    if (peer.greeted) {
      this.#context.misbehaving(peer, 1, 'redundant version message');
      return;
    }
    const message = decodeVersion(payload);
    const version = message.version === 10_300 ? 300 : message.version;
    const wantedServices = desirableServices(message.services, needsOldBlocks(this.#context));
    if (expectsServices(peer) && (message.services & wantedServices) !== wantedServices) {
      const services = `${hex(message.services)} offered, ${hex(wantedServices)} expected`;
      this.#context.disconnect(peer, `peer does not offer the expected services (${services})`);
      return;
    }
    if (version < MIN_PEER_PROTO_VERSION) {
      log.debug('net', `peer=${peer.id} using obsolete version ${version}; disconnecting`);
      this.#context.disconnect(peer, `peer using obsolete version ${version}`);
      return;
    }
    if (peer.inbound && this.#isOwnNonce(message.nonce)) {
      log.info(`connected to self at ${addressText(peer.address)}, disconnecting`);
      this.#context.disconnect(peer);
      return;
    }
    if (peer.inbound) this.sendVersion(peer);
    const common = Math.min(version, PROTOCOL_VERSION);
    if (common >= WTXID_RELAY_VERSION && !peer.isPrivate) {
      peer.send('wtxidrelay');
      peer.send('sendaddrv2');
    }
    if (!peer.isPrivate) peer.send('verack');
    peer.version = version;
    peer.services = message.services;
    peer.userAgent = sanitized(message.userAgent);
    peer.startHeight = message.startHeight;
    peer.relaysTxs = message.relay && peer.relaysTransactions;
    peer.localAddress = message.addressOfReceiver !== null && isRoutable(message.addressOfReceiver) ? message.addressOfReceiver : null;
    peer.timeOffset = clampSeconds(message.time - BigInt(clock.nowSeconds()));
    peer.greeted = true;
    const shown = options.logIps ? `, peeraddr=${addressText(peer.address)}` : '';
    log.debug(
      'net',
      `receive version message: ${peer.userAgent}: version ${version}, blocks=${peer.startHeight}, us=${peer.localAddress ? addressText(peer.localAddress) : '[::]:0'}, txrelay=${message.relay ? 1 : 0}, peer=${peer.id}${shown}`,
    );
    if (peer.isPrivate) {
      if (message.relay) peer.send('verack');
      else this.#context.events.emit('privateRefused', peer);
      return;
    }
    this.#context.events.emit('greeted', peer);
    if (peer.type === 'feeler') this.#context.disconnect(peer, 'feeler connection completed');
  }

  verack(peer: Peer): void {
    const { log, options } = this.#context;
    if (peer.ready) {
      log.debug('net', `ignoring redundant verack message from peer=${peer.id}`);
      return;
    }
    if (peer.isPrivate) {
      peer.ready = true;
      this.#context.events.emit('privateReady', peer);
      return;
    }
    if (!peer.inbound) {
      const shown = options.logIps ? `, peeraddr=${addressText(peer.address)}` : '';
      log.info(`New outbound peer connected: version: ${peer.version}, blocks=${peer.startHeight}, peer=${peer.id}${shown} (${peer.type})`);
    }
    const common = Math.min(peer.version, PROTOCOL_VERSION);
    if (common >= SENDHEADERS_VERSION) peer.send('sendheaders');
    if (common >= SHORT_IDS_BLOCKS_VERSION && (options.services & SERVICE.WITNESS) !== 0n)
      peer.send('sendcmpct', encodeSendCmpct({ announce: 0, version: 2n }));
    peer.ready = true;
    this.#context.events.emit('ready', peer);
  }

  /** Handles wtxidrelay, which is allowed before verack only. */
  wtxidRelay(peer: Peer): void {
    if (peer.ready) {
      this.#late(peer, 'wtxidrelay');
      return;
    }
    if (Math.min(peer.version, PROTOCOL_VERSION) < WTXID_RELAY_VERSION) return;
    if (peer.relaysByWtxid) this.#context.log.debug('net', `ignoring duplicate wtxidrelay from peer=${peer.id}`);
    peer.relaysByWtxid = true;
  }

  /** Handles sendaddrv2, which is allowed before verack only (BIP-0155). */
  sendAddrV2(peer: Peer): void {
    if (peer.ready) {
      this.#late(peer, 'sendaddrv2');
      return;
    }
    peer.wantsAddrV2 = true;
  }

  #late(peer: Peer, command: string): void {
    this.#context.disconnect(peer, `${command} received after verack`);
  }
}

/**
 * Returns whether outbound peers must have old blocks: true if the tip is at least 144 block intervals old (Core since
 * version 27). In 0.21: until the initial block download has ended.
 */
export function needsOldBlocks({ chain, clock, options, params }: NetContext): boolean {
  if (options.legacyPeers) return chain.isInitialBlockDownload();
  return clock.nowSeconds() - chain.tip.time >= LIMITED_DEPTH * params.powTargetSpacing;
}

/** Returns whether this node chose the peer to sync from. */
function expectsServices({ type }: Peer): boolean {
  return type === 'outbound-full-relay' || type === 'block-relay-only' || type === 'addr-fetch';
}

function hex(services: bigint): string {
  return services.toString(16).padStart(8, '0');
}

/** Converts seconds to a number, whatever value the peer sent. */
function clampSeconds(seconds: bigint): number {
  return Number(BigInt.asIntN(53, seconds));
}
