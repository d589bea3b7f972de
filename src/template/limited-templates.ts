// Templates for single clients, besides the shared one. One is built at a time, so that the shared template waits for
// at most one build. Each is retained only as long as the shared template to which it belongs.

import { SerialQueue } from '../lib/serial-queue.js';
import { limitsKey, type TemplateLimits } from '../policy/template-limits.js';
import type { TemplateFacts } from './facts.js';

/** A template whose transactions are not in a slab. */
export interface LimitedTemplate {
  readonly facts: TemplateFacts;
  /** The JSON array of transactions; never overwritten. */
  readonly transactions: Uint8Array;
}

/** Number of retained templates, with some megabytes each. */
const MOST_CACHED = 4;
/** Maximum number of waiting builds. A client that keeps sending new limits gets an error before it delays other clients. */
const MOST_WAITING = 16;

/** Thrown if clients request more different limits at once than MOST_WAITING. */
export class TooManyLimits extends Error {
  readonly code = 'TOO_MANY_LIMITS';
  constructor() {
    super('Too many templates with different limits are being built');
    this.name = 'TooManyLimits';
  }
}

export class LimitedTemplates {
  readonly #build: (limits: TemplateLimits) => Promise<LimitedTemplate>;
  /** Retained templates by key of their limits, least recently used first; all of one generation. */
  readonly #cached = new Map<string, LimitedTemplate>();
  /** Builds that wait or run, of any generation. */
  readonly #waiting = new Map<string, Promise<LimitedTemplate>>();
  #generation = '';
  readonly #builds = new SerialQueue();

  constructor(build: (limits: TemplateLimits) => Promise<LimitedTemplate>) {
    this.#build = build;
  }

  /** Number of retained templates, and of builds that wait or run. */
  get figures(): { readonly kept: number; readonly waiting: number } {
    return { kept: this.#cached.size, waiting: this.#waiting.size };
  }

  /**
   * Returns the template with these limits: a retained one, or a new one.
   * @param generation names the shared template to which the limits apply
   * @throws TooManyLimits, and errors of the build
   */
  get(limits: TemplateLimits, generation: string): Promise<LimitedTemplate> {
    this.startGeneration(generation);
    const key = limitsKey(limits);
    const cached = this.#cached.get(key);
    if (cached !== undefined) {
      this.#cacheTemplate(key, cached);
      return Promise.resolve(cached);
    }
    const name = `${generation} ${key}`;
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) return waiting;
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(new TooManyLimits());
    const built = this.#builds
      .run(async () => {
        const template = await this.#build(limits);
        if (this.#generation === generation) this.#cacheTemplate(key, template);
        return template;
      })
      .finally(() => this.#waiting.delete(name));
    this.#waiting.set(name, built);
    return built;
  }

  /** Drops templates of other generations. */
  startGeneration(generation: string): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#cached.clear();
  }

  #cacheTemplate(key: string, template: LimitedTemplate): void {
    this.#cached.delete(key);
    this.#cached.set(key, template);
    if (this.#cached.size <= MOST_CACHED) return;
    for (const oldest of this.#cached.keys()) {
      this.#cached.delete(oldest);
      break;
    }
  }
}
