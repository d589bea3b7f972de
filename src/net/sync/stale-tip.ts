// Detects a stale tip, which may mean that all peers withhold something (Core's CheckForStaleTipAndEvictPeers,
// EvictExtraOutboundPeers). One more outbound peer is then connected, and the one that announced a block least recently
// is disconnected. Every few minutes the node also connects one block-relay-only peer more than the target, and then
// disconnects the youngest, or the second youngest if the youngest brought a block more recently.
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';

const CHECK_SECONDS = 45;
/** Seconds between checks for a stale tip, and so between extra peers. */
const STALE_CHECK_SECONDS = 10 * 60;
/** Block intervals without a new tip after which the tip may be stale. */
const STALE_SPACINGS = 3;
/** Seconds that a new peer gets to announce something before it may be disconnected. */
const MINIMUM_CONNECT_SECONDS = 30;

export class StaleTip {
  #lastTipSeconds: number;
  #nextCheck: number;
  #nextStaleCheck: number;
  #wantsExtra = false;
  #wasInStep = false;
  readonly #context: NetContext;
  readonly #state: {
    /** Returns whether connections are allowed and the node chooses peers itself. */
    searching(): boolean;
    /** Returns the number of requested blocks that have not arrived. */
    inFlight(): number;
    /** Returns whether the tip is recent enough for blocks to be fetched as they are announced. */
    inStep(): boolean;
    /** Number of full-relay and block-relay-only peers that the node chooses itself. */
    readonly targets: { readonly full: number; readonly blocks: number };
  };

  constructor(
    context: NetContext,
    state: {
      /** Returns whether connections are allowed and the node chooses peers itself. */
      searching(): boolean;
      /** Returns the number of requested blocks that have not arrived. */
      inFlight(): number;
      /** Returns whether the tip is recent enough for blocks to be fetched as they are announced. */
      inStep(): boolean;
      /** Number of full-relay and block-relay-only peers that the node chooses itself. */
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

  /** True if one more full-relay peer than usual is needed. */
  get wantsExtra(): boolean {
    return this.#wantsExtra;
  }

  /** True if extra block-relay-only peers may be tried: the chain has been in sync since the start. */
  get wantsExtraBlockRelay(): boolean {
    return this.#wasInStep && this.#state.searching();
  }

  /** Called after a tip change. */
  onTip(): void {
    this.#lastTipSeconds = this.#context.clock.nowSeconds();
  }

  /** Called often; checks every 45 seconds. */
  tick(): void {
    const now = this.#context.clock.nowSeconds();
    // The mockable clock may have been set back.
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

  /** Disconnects the youngest block-relay-only peer above the target, or the one before it if the youngest brought a block later. */
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

  /** Returns whether a peer had time to announce something and is not sending a block. */
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
    // The extra peer has connected. No more of them until the tip is stale again.
    this.#wantsExtra = false;
  }
}
