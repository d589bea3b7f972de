// A tip that is too old may mean that all our peers keep something from us: one more is looked for among the known
// addresses, and when it has come, the one of those we chose that told us of a block least recently goes. Of one more
// peer for blocks only than is wanted, which comes every few minutes, the youngest goes unless it has brought a block
// since the one before (Core's CheckForStaleTipAndEvictPeers, EvictExtraOutboundPeers).
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
  #wasInStep = false;
  readonly #context: NetContext;
  readonly #state: {
    /** Whether there may be connections, and we choose peers by ourselves. */
    searching(): boolean;
    /** Blocks asked for that have not come. */
    inFlight(): number;
    /** Whether the tip is recent enough for blocks to be fetched as they are announced. */
    inStep(): boolean;
    /** Peers of our own choice that are wanted, for everything and for blocks only. */
    readonly targets: { readonly full: number; readonly blocks: number };
  };

  constructor(
    context: NetContext,
    state: {
      /** Whether there may be connections, and we choose peers by ourselves. */
      searching(): boolean;
      /** Blocks asked for that have not come. */
      inFlight(): number;
      /** Whether the tip is recent enough for blocks to be fetched as they are announced. */
      inStep(): boolean;
      /** Peers of our own choice that are wanted, for everything and for blocks only. */
      readonly targets: { readonly full: number; readonly blocks: number };
    },
  ) {
    this.#context = context;
    this.#state = state;
    const now = context.clock.nowSeconds();
    this.#lastTipSeconds = now;
    this.#nextCheck = now + CHECK_SECONDS;
    this.#nextStaleCheck = now + STALE_CHECK_SECONDS;
  }

  /** One more peer for everything is wanted than usual. */
  get wantsExtra(): boolean {
    return this.#wantsExtra;
  }

  /** The chain has been in step since the start: peers for blocks only may be changed now and then. */
  get wantsExtraBlockRelay(): boolean {
    return this.#wasInStep && this.#state.searching();
  }

  /** The tip changed. */
  onTip(): void {
    this.#lastTipSeconds = this.#context.clock.nowSeconds();
  }

  /** Called often; looks every 45 seconds. */
  tick(): void {
    const now = this.#context.clock.nowSeconds();
    // The mockable clock may be put back.
    this.#nextCheck = Math.min(this.#nextCheck, now + CHECK_SECONDS);
    this.#nextStaleCheck = Math.min(this.#nextStaleCheck, now + STALE_CHECK_SECONDS);
    if (now < this.#nextCheck) return;
    this.#nextCheck = now + CHECK_SECONDS;
    this.#evictBlockRelay(now);
    this.#evict(now);
    this.#wasInStep ||= this.#state.inStep();
    if (now < this.#nextStaleCheck) return;
    this.#nextStaleCheck = now + STALE_CHECK_SECONDS;
    const age = now - this.#lastTipSeconds;
    const stale = this.#state.searching() && this.#state.inFlight() === 0 && age > STALE_SPACINGS * this.#context.params.powTargetSpacing;
    if (stale) {
      this.#context.log.info(`Potential stale tip detected, will try using extra outbound peer (last tip update: ${age} seconds ago)`);
    }
    this.#wantsExtra = stale;
  }

  /**
   * One peer for blocks only more than wanted: the youngest, unless it brought a block later than the one before it.
   */
  #evictBlockRelay(now: number): void {
    const list = [...this.#context.peers].filter((peer) => peer.type === 'block-relay-only' && !peer.leaving).sort((a, b) => b.id - a.id);
    if (list.length <= this.#state.targets.blocks) return;
    const [youngest, next] = list as [Peer, Peer | undefined];
    const evicted = next !== undefined && youngest.lastBlockTime > next.lastBlockTime ? next : youngest;
    if (this.#mayGo(evicted, now)) {
      this.#context.log.debug(
        'net',
        `disconnecting extra block-relay-only peer=${evicted.id} (last block received at time ${evicted.lastBlockTime})`,
      );
      this.#context.disconnect(evicted);
    }
  }

  /** Whether a peer had time to tell us something, and is not sending a block. */
  #mayGo({ id, type, connectedAt, sync }: Peer, now: number): boolean {
    if (now - connectedAt > MINIMUM_CONNECT_SECONDS && sync.inFlight.length === 0) return true;
    const kind = type === 'block-relay-only' ? type : 'outbound';
    this.#context.log.debug(
      'net',
      `keeping ${kind} peer=${id} chosen for eviction (connect time: ${connectedAt}, blocks_in_flight: ${sync.inFlight.length})`,
    );
    return false;
  }

  #evict(now: number): void {
    const { peers, log } = this.#context;
    const chosen = [...peers].filter((peer) => peer.type === 'outbound-full-relay' && !peer.leaving);
    if (chosen.length <= this.#state.targets.full) return;
    let worst: Peer | undefined;
    for (const peer of chosen) {
      if (peer.sync.protectedFromChainSync) continue;
      const better = worst === undefined ? 0 : peer.sync.announcedAt - worst.sync.announcedAt;
      if (worst === undefined || better < 0 || (better === 0 && peer.id > worst.id)) worst = peer;
    }
    if (worst === undefined || !this.#mayGo(worst, now)) return;
    const { id, sync } = worst;
    log.debug('net', `disconnecting extra outbound peer=${id} (last block announcement received at time ${sync.announcedAt})`);
    this.#context.disconnect(worst);
    // The extra one has come: no more of them until the tip is stale again.
    this.#wantsExtra = false;
  }
}
