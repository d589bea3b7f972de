// Batches queries for outputs across threads: outpoints in one array, outputs in one array, and one query for all calls
// that start in the same event-loop tick. For 1,000 outputs, separate arrays take both threads 2 to 3 ms, one array 0.6
// ms. A query itself takes about 10 us.
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { readSpentOutputs, type SpentOutput, spentOutputsSize, writeSpentOutputs } from '../consensus/script/spent-output.js';

const OUTPOINT_BYTES = 36;

type Outputs = (SpentOutput | null)[];

interface Waiting {
  readonly outpoints: readonly Uint8Array[];
  readonly done: (outputs: Outputs) => void;
  readonly failed: (error: unknown) => void;
}

/** The querying thread's side: collects outpoints and sends them as one query. */
export class OutputQueries {
  readonly #request: (packed: Uint8Array) => Promise<unknown>;
  #waiting: Waiting[] = [];

  /** @param ask sends a packed query to the other thread, which passes it to `answerOutputs` */
  constructor(ask: (packed: Uint8Array) => Promise<unknown>) {
    this.#request = ask;
  }

  outputs(outpoints: readonly Uint8Array[]): Promise<Outputs> {
    return new Promise((done, failed) => {
      if (this.#waiting.push({ outpoints, done, failed }) === 1) queueMicrotask(() => void this.#requestAll());
    });
  }

  async #requestAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const packed = new Uint8Array(OUTPOINT_BYTES * waiting.reduce((sum, { outpoints }) => sum + outpoints.length, 0));
      let at = 0;
      for (const { outpoints } of waiting) {
        for (const outpoint of outpoints) {
          packed.set(outpoint, at);
          at += OUTPOINT_BYTES;
        }
      }
      const outputs = readSpentOutputs(new ByteReader((await this.#request(packed)) as Uint8Array));
      for (const { outpoints, done } of waiting) done(outputs.splice(0, outpoints.length));
    } catch (error) {
      for (const { failed } of waiting) failed(error);
    }
  }
}

/** Answers a packed query on the node thread. @param findOutputs returns the outputs of outpoints, in their order */
export async function answerOutputs(
  packed: Uint8Array,
  findOutputs: (outpoints: readonly Uint8Array[]) => Promise<Outputs>,
): Promise<Uint8Array> {
  const count = packed.length / OUTPOINT_BYTES;
  const outputs = await findOutputs(Array.from({ length: count }, (_, i) => packed.subarray(OUTPOINT_BYTES * i, OUTPOINT_BYTES * (i + 1))));
  const out = new ByteWriter(spentOutputsSize(count));
  writeSpentOutputs(out, outputs);
  return out.finish();
}
