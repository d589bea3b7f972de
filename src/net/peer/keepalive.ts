// Pings, and disconnection of silent peers: after a minute without a first message, and after twenty minutes without
// traffic (Core's InactivityCheck).
import crypto from 'node:crypto';
import type { NetContext } from '../context.js';
import { decodeU64, encodeU64 } from '../wire/messages.js';
import { BIP0031_VERSION } from '../wire/protocol.js';
import type { Peer } from './peer.js';

const PING_INTERVAL_MS = 2 * 60_000;
const TIMEOUT_SECONDS = 20 * 60;

export class Keepalive {
  readonly #context: NetContext;

  constructor(context: NetContext) {
    this.#context = context;
  }

  /** Sends a ping when one is due, or when RPC asked for it. */
  send(peer: Peer): void {
    const now = this.#context.clock.nowMs();
    const due = peer.pingNonce === 0n && peer.pingSentMs + PING_INTERVAL_MS < now;
    if (!peer.pingWanted && !due) return;
    peer.pingWanted = false;
    peer.pingSentMs = now;
    peer.pingsSent++;
    if (peer.version <= BIP0031_VERSION) {
      // A peer of this version does not answer.
      peer.pingNonce = 0n;
      peer.send('ping');
      return;
    }
    do peer.pingNonce = crypto.randomBytes(8).readBigUInt64LE();
    while (peer.pingNonce === 0n);
    peer.send('ping', encodeU64(peer.pingNonce));
  }

  /** Handles ping. @throws DecodeError */
  ping(peer: Peer, payload: Uint8Array): void {
    if (peer.version > BIP0031_VERSION) peer.send('pong', encodeU64(decodeU64(payload)));
  }

  pong(peer: Peer, payload: Uint8Array): void {
    const { log, clock } = this.#context;
    if (payload.length < 8) {
      log.debug('net', `pong peer=${peer.id}: Short payload, ${hex(peer.pingNonce)} expected, 0 received, ${payload.length} bytes`);
      peer.pingNonce = 0n;
      return;
    }
    const nonce = decodeU64(payload);
    const problem = (text: string): void => {
      log.debug('net', `pong peer=${peer.id}: ${text}, ${hex(peer.pingNonce)} expected, ${hex(nonce)} received, ${payload.length} bytes`);
    };
    if (peer.pingNonce === 0n) {
      problem('Unsolicited pong without ping');
      return;
    }
    if (nonce !== peer.pingNonce) {
      problem(nonce === 0n ? 'Nonce zero' : 'Nonce mismatch');
      // Zero means that the peer does not know the nonce. The ping is over.
      if (nonce === 0n) peer.pingNonce = 0n;
      return;
    }
    // Round the ping time to microseconds, as getpeerinfo shows it.
    const ms = Math.round((clock.nowMs() - peer.pingSentMs) * 1000) / 1000;
    peer.pingNonce = 0n;
    this.#context.events.emit('pong', peer);
    if (ms < 0) {
      problem('Timing mishap');
      return;
    }
    peer.pingMs = ms;
    peer.minPingMs = peer.minPingMs < 0 ? ms : Math.min(peer.minPingMs, ms);
  }

  /** Returns the seconds since a ping that is not answered yet. */
  waitSeconds(peer: Peer): number {
    return Math.max(0, (this.#context.clock.nowMs() - peer.pingSentMs) / 1000);
  }

  /** Returns why a peer must be disconnected; null if it need not be. */
  check(peer: Peer): string | null {
    const { clock, options } = this.#context;
    const now = clock.realSeconds();
    const { connection, connectedAt } = peer;
    if (now - connectedAt <= options.peerTimeoutSeconds) return null;
    const { lastReceive, lastSend } = connection;
    if (lastReceive === 0 || lastSend === 0) {
      const never = `${lastReceive === 0 ? ', never received from peer' : ''}${lastSend === 0 ? ', never sent to peer' : ''}`;
      const flags = `, ${lastReceive === 0 ? 0 : 1} ${lastSend === 0 ? 0 : 1} from ${peer.id}`;
      return `socket no message in first ${options.peerTimeoutSeconds} seconds${options.legacyPeers ? flags : never}`;
    }
    if (now > lastSend + TIMEOUT_SECONDS) return `socket sending timeout: ${now - lastSend}s`;
    if (now > lastReceive + TIMEOUT_SECONDS) return `socket receive timeout: ${now - lastReceive}s`;
    if (peer.pingNonce !== 0n && clock.nowMs() > peer.pingSentMs + TIMEOUT_SECONDS * 1000) {
      return `ping timeout: ${((clock.nowMs() - peer.pingSentMs) / 1000).toFixed(6)}s`;
    }
    if (peer.ready) return null;
    const from = options.legacyPeers ? ` from ${peer.id}` : '';
    return `${connection.transportType === 'detecting' ? 'V2' : 'version'} handshake timeout${from}`;
  }
}

function hex(nonce: bigint): string {
  return nonce.toString(16);
}
