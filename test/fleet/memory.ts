// Resident memory of processes while they live, and which of them grew without end.
import fs from 'node:fs';

interface Life {
  readonly name: string;
  readonly began: number;
  readonly samples: { readonly ageMs: number; readonly bytes: number }[];
}

/** Caches and compiled code fill in the first minutes. */
const YOUNG_MS = 120_000;
const LEAST_SAMPLES = 10;
/** Allowed growth compared with the memory of the young process; a heap grows by itself. */
const GROWTH = 1.4;
const SLACK_BYTES = 64 << 20;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

export class MemoryWatch {
  readonly #lives = new Map<number, Life>();

  /** Looks at processes that run. */
  look(processes: readonly { readonly name: string; readonly pid: number | undefined }[]): void {
    const now = performance.now();
    for (const { name, pid } of processes) {
      const bytes = pid === undefined ? null : residentBytes(pid);
      if (pid === undefined || bytes === null) continue;
      let life = this.#lives.get(pid);
      if (!life) this.#lives.set(pid, (life = { name, began: now, samples: [] }));
      life.samples.push({ ageMs: now - life.began, bytes });
    }
  }

  /** Processes that have more at their end than they had when they were no longer young. */
  grown(): string[] {
    const grown: string[] = [];
    for (const { name, samples } of this.#lives.values()) {
      const old = samples.filter(({ ageMs }) => ageMs > YOUNG_MS).map(({ bytes }) => bytes);
      if (old.length < 4 * LEAST_SAMPLES) continue;
      const quarter = old.length >> 2;
      const [first, last] = [median(old.slice(0, quarter)), median(old.slice(-quarter))];
      if (last > first * GROWTH + SLACK_BYTES) grown.push(`${name} grew from ${first >> 20} MiB to ${last >> 20} MiB`);
    }
    return grown;
  }

  /** The most that any process of a kind had, in MiB. @param kind beginning of the names */
  most(kind: string): number {
    let most = 0;
    for (const { name, samples } of this.#lives.values())
      if (name.startsWith(kind)) for (const { bytes } of samples) most = Math.max(most, bytes);
    return most >> 20;
  }
}

function residentBytes(pid: number): number | null {
  try {
    const found = /VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'));
    return found ? Number(found[1]) * 1024 : null;
  } catch {
    return null;
  }
}
