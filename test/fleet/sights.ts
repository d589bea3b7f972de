// Records the events of a fleet and their times: which process or connection was disturbed, and which tip each node
// had. From this the test computes what a front process could know at a moment. Times are performance.now() of the
// observing process.
import fs from 'node:fs';

interface Span {
  readonly from: number;
  to: number;
}

interface Tip {
  readonly at: number;
  readonly hash: string;
  readonly height: number;
}

/** Stands for all processes: servers, and the watching process itself when it was not given the processor. */
export const EVERYTHING = 'everything';
const LOOK_MS = 50;
/** A look that comes later than this tells of a machine that had no time for anything here. */
const STALL_MS = 700;
const TIP_LINE = /UpdateTip: new best=([0-9a-f]{64}) height=(\d+)/g;

/** Times at which a process could not be relied upon. */
export class Disturbances {
  readonly #spans = new Map<string, Span[]>();

  /** From now on, until the function that is returned is called. */
  begin(name: string): () => void {
    const span: Span = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    const spans = this.#spans.get(name) ?? [];
    spans.push(span);
    this.#spans.set(name, spans);
    return () => {
      span.to = performance.now();
    };
  }

  /** @param settleMs after a disturbance a process is given so long to be itself again */
  calm(names: readonly string[], from: number, to: number, settleMs: number): boolean {
    return [EVERYTHING, ...names].every((name) =>
      (this.#spans.get(name) ?? []).every((span) => span.from > to || span.to + settleMs < from),
    );
  }
}

/** Reads nodes' logs as they grow. */
export class TipWatch {
  readonly #files: { readonly name: string; readonly file: string; read: number; rest: string }[];
  readonly #tips = new Map<string, Tip[]>();
  readonly #heights = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #lastLook = performance.now();
  stalls = 0;

  constructor(
    files: readonly { readonly name: string; readonly file: string }[],
    private readonly disturbances: Disturbances,
  ) {
    this.#files = files.map((one) => ({ ...one, read: 0, rest: '' }));
    for (const { name } of files) this.#tips.set(name, []);
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Height of a block that some node has had as its tip. */
  heightOf(hash: string): number | undefined {
    return this.#heights.get(hash);
  }

  /** A node's tip at a moment; undefined before its first. */
  at(node: string, when: number): Tip | undefined {
    return this.#tips.get(node)?.findLast(({ at }) => at <= when);
  }

  /** When a node first had a tip above a height. */
  above(node: string, height: number): number | undefined {
    return this.#tips.get(node)?.find((tip) => tip.height > height)?.at;
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#lastLook > STALL_MS) {
      this.stalls++;
      this.disturbances.begin(EVERYTHING)();
    }
    this.#lastLook = now;
    for (const entry of this.#files) this.#read(entry, now);
  }

  #read(entry: { readonly name: string; readonly file: string; read: number; rest: string }, now: number): void {
    const { size } = fs.statSync(entry.file);
    if (size <= entry.read) return;
    const bytes = Buffer.alloc(size - entry.read);
    const handle = fs.openSync(entry.file, 'r');
    entry.read += fs.readSync(handle, bytes, 0, bytes.length, entry.read);
    fs.closeSync(handle);
    const text = entry.rest + bytes.toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    entry.rest = text.slice(end);
    for (const [, hash = '', height] of text.slice(0, end).matchAll(TIP_LINE)) {
      this.#heights.set(hash, Number(height));
      this.#tips.get(entry.name)?.push({ at: now, hash, height: Number(height) });
    }
  }
}
