// Data of the status page at the metrics port. It is collected once a second while a browser reads it, and sent as
// server-sent events. The page itself is metrics/page.ts.
import type http from 'node:http';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Page, Status } from '../metrics/index.js';

/** A block on the page. Weights in weight units, fees in satoshis, phases in milliseconds. */
export interface ShownBlock {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
  readonly transactions: number;
  readonly weight: number;
  readonly fees: number;
  /** Filled in while the block is processed: gather, scripts, apply, persist, total. */
  readonly phases: Record<string, number>;
}

/**
 * Weight of a template's transactions by fee rate. Each bar has those from `from` satoshis per virtual byte up to the
 * next bar.
 */
export type FeeBars = readonly { readonly from: number; readonly weight: number }[];

const barEdges = [0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 500] as const;
const SHOWN_BLOCKS = 12;

/**
 * Newest blocks with the durations of their phases. Phases are reported before and after the tip change; this class
 * combines them.
 */
export class RecentBlocks {
  #blocks: ShownBlock[] = [];
  #phases: Record<string, number> = {};

  /** Records the duration of a phase. The total is reported last. */
  phase(name: string, seconds: number): void {
    if (this.#phases.total !== undefined) this.#phases = {};
    this.#phases[name] = Math.round(seconds * 1e5) / 100;
  }

  add(block: Omit<ShownBlock, 'phases'>): void {
    if (this.#blocks[0]?.phases === this.#phases) this.#phases = {};
    this.#blocks = [{ ...block, phases: this.#phases }, ...this.#blocks].slice(0, SHOWN_BLOCKS);
  }

  /** Removes a disconnected block. */
  remove(hash: string): void {
    this.#blocks = this.#blocks.filter((block) => block.hash !== hash);
  }

  get list(): readonly ShownBlock[] {
    return this.#blocks;
  }
}

/**
 * Reads fees and weights from a template's encoded transactions without parsing the JSON.
 * @param json the array as sent to clients
 */
export function feeBars(json: Buffer): FeeBars {
  const weights: number[] = barEdges.map(() => 0);
  const number = (at: number): number => {
    let value = 0;
    for (let i = at; json[i]! >= 0x30 && json[i]! <= 0x39; i++) value = value * 10 + json[i]! - 0x30;
    return value;
  };
  for (let at = json.indexOf('"fee":'); at >= 0; at = json.indexOf('"fee":', at + 6)) {
    const weightAt = json.indexOf('"weight":', at);
    if (weightAt < 0) break;
    const weight = number(weightAt + 9);
    const rate = (number(at + 6) * 4) / weight;
    let bar = barEdges.length - 1;
    while (bar > 0 && rate < barEdges[bar]!) bar--;
    weights[bar]! += weight;
  }
  return barEdges.map((from, i) => ({ from, weight: weights[i]! }));
}

const tickMs = 1000;
const mostViewers = 16;
// Bytes above which a viewer that does not read is disconnected.
const mostUnreadBytes = 256 * 1024;

/** Serves the figures to any number of open pages. */
export class StatusFeed {
  readonly #read: () => Status;
  readonly #viewers = new Set<http.ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  readonly #tick: () => void;

  /** @param read gathers the figures of the page @param guard catches exceptions of the timer that sends them */
  constructor(read: () => Status, guard: ListenerGuard) {
    this.#read = read;
    this.#tick = guard.wrap('status page', () => this.#send());
  }

  /** Returns the current data. */
  now(): Status {
    return this.#read();
  }

  /** The event stream. */
  readonly page: Page = (request, reply) => {
    if (this.#viewers.size >= mostViewers) {
      reply.writeHead(503).end();
      return;
    }
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    if (request.method === 'HEAD') {
      reply.end();
      return;
    }
    this.#viewers.add(reply);
    reply.on('close', () => {
      this.#viewers.delete(reply);
      if (this.#viewers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    reply.write(this.#event());
    this.#timer ??= setInterval(this.#tick, tickMs);
  };

  close(): void {
    clearInterval(this.#timer);
    for (const reply of this.#viewers) reply.end();
  }

  #event(): string {
    return `data: ${JSON.stringify(this.#read())}\n\n`;
  }

  #send(): void {
    const event = this.#event();
    for (const reply of this.#viewers) {
      if (reply.writableLength > mostUnreadBytes) reply.destroy();
      else reply.write(event);
    }
  }
}
