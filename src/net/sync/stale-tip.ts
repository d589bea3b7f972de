// A tip that is too old may mean that all our peers keep something from us: one more is looked for among the known addresses, and when it has
// come, the one of those we chose that told us of a block least recently goes (Core's CheckForStaleTipAndEvictPeers). Callers: Net,
// AutoConnect.
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';

const CHECK_SECONDS = 45;
/** Between looks at the tip: this often an extra peer may be taken. */
const STALE_CHECK_SECONDS = 10 * 60;
/** Times the spacing of blocks after which a tip may be stale. */
const STALE_SPACINGS = 3;
/** Who has just come had no chance to tell anything yet. */
const MINIMUM_CONNECT_SECONDS = 30;

export class StaleTip {
  #lastTipSeconds: number;
  #nextCheck: number;
  #nextStaleCheck: number;
  #wantsExtra = false;

  constructor(
    private readonly context: NetContext,
    private readonly state: {
      /** Whether there may be connections, and we choose peers by ourselves. */
      searching(): boolean;
      /** Blocks asked for that have not come. */
      inFlight(): number;
      /** Peers of our own choice that are wanted, for everything and for blocks only. */
      readonly target: number;
    },
  ) {
    const now = context.clock.nowSeconds();
    this.#lastTipSeconds = now;
    this.#nextCheck = now + CHECK_SECONDS;
    this.#nextStaleCheck = now + STALE_CHECK_SECONDS;
  }

  /** One more peer for everything is wanted than usual. */
  get wantsExtra(): boolean {
    return this.#wantsExtra;
  }

  /** The tip changed. */
  onTip(): void {
    this.#lastTipSeconds = this.context.clock.nowSeconds();
  }

  /** Called often; looks every 45 seconds. */
  tick(): void {
    const now = this.context.clock.nowSeconds();
    // The mockable clock may be put back.
    this.#nextCheck = Math.min(this.#nextCheck, now + CHECK_SECONDS);
    this.#nextStaleCheck = Math.min(this.#nextStaleCheck, now + STALE_CHECK_SECONDS);
    if (now < this.#nextCheck) return;
    this.#nextCheck = now + CHECK_SECONDS;
    this.#evict(now);
    if (now < this.#nextStaleCheck) return;
    this.#nextStaleCheck = now + STALE_CHECK_SECONDS;
    const age = now - this.#lastTipSeconds;
    const stale = this.state.searching() && this.state.inFlight() === 0 && age > STALE_SPACINGS * this.context.params.powTargetSpacing;
    if (stale) {
      this.context.log.info(`Potential stale tip detected, will try using extra outbound peer (last tip update: ${age} seconds ago)`);
    }
    this.#wantsExtra = stale;
  }

  #evict(now: number): void {
    const { peers, log } = this.context;
    const chosen = [...peers].filter((peer) => peer.outboundOrBlockRelay && !peer.leaving);
    if (chosen.length <= this.state.target) return;
    let worst: Peer | undefined;
    for (const peer of chosen) {
      if (peer.type === 'block-relay-only' || peer.sync.protectedFromChainSync) continue;
      const better = worst === undefined ? 0 : peer.sync.announcedAt - worst.sync.announcedAt;
      if (worst === undefined || better < 0 || (better === 0 && peer.id > worst.id)) worst = peer;
    }
    if (worst === undefined) return;
    const { id, connectedAt, sync } = worst;
    if (now - connectedAt <= MINIMUM_CONNECT_SECONDS || sync.inFlight.length > 0) {
      log.debug(
        'net',
        `keeping outbound peer=${id} chosen for eviction (connect time: ${connectedAt}, blocks_in_flight: ${sync.inFlight.length})`,
      );
      return;
    }
    log.debug('net', `disconnecting extra outbound peer=${id} (last block announcement received at time ${sync.announcedAt})`);
    this.context.disconnect(worst);
    // The extra one has come: no more of them until the tip is stale again.
    this.#wantsExtra = false;
  }
}
