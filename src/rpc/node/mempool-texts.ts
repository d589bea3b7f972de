// Makes the texts about the whole mempool, each once for every state of the mempool, and shares them between replies.
// The node thread only copies the tables; render threads write the text.
import { copyTables, type WholeTables } from '../../mempool/pool-tables.js';
import type { RenderPool } from '../../parallel/render-pool.js';
import type { MempoolTextAccess, TextForm, TextStyle } from '../context/mempool.js';
import { RawBytes } from '../wire/values.js';
import { type TextJob, writeText } from './mempool-text.js';

/** Number of transactions that the node thread writes at once, in less time than a job takes to start. */
const AT_ONCE = 32;
/** Most bytes of texts that are retained for later replies. */
const MOST_BYTES = 64 << 20;

/** The mempool as this module reads it. */
export interface TextSource {
  readonly size: number;
  readonly sequence: number;
  readonly tables: WholeTables;
}

interface Text {
  readonly generation: number;
  readonly text: Promise<RawBytes>;
}

export class MempoolTexts implements MempoolTextAccess {
  readonly style: TextStyle;
  readonly #mempool: TextSource;
  readonly #threads: Pick<RenderPool<unknown>, 'runNamed'>;
  readonly #texts = new Map<TextForm, Text>();

  constructor(mempool: TextSource, threads: Pick<RenderPool<unknown>, 'runNamed'>, style: TextStyle) {
    this.#mempool = mempool;
    this.#threads = threads;
    this.style = style;
  }

  /** Returns a text about the whole mempool, as it is now. Call it when the mempool is settled. */
  whole(form: TextForm): RawBytes | Promise<RawBytes> {
    if (this.#mempool.size <= AT_ONCE) return this.#write(form, null);
    const { generation } = this.#mempool.tables.rows;
    const known = this.#texts.get(form);
    if (known?.generation === generation) return known.text;
    const made = { generation, text: this.#post(form, null) };
    this.#texts.set(form, made);
    const forget = (): void => {
      if (this.#texts.get(form) === made) this.#texts.delete(form);
    };
    made.text.then(({ parts: [{ length }] }) => {
      if (length > MOST_BYTES / 4) forget();
    }, forget);
    return made.text;
  }

  /** Returns a text about some rows of the mempool, as they are now. */
  of(form: 'ids' | 'entries', rows: Int32Array): RawBytes | Promise<RawBytes> {
    return rows.length <= AT_ONCE ? this.#write(form, rows) : this.#post(form, rows);
  }

  #write(form: TextForm, rows: Int32Array | null): RawBytes {
    const { tables, sequence } = this.#mempool;
    return new RawBytes(writeText(tables, { form, rows, sequence }, this.style).parts());
  }

  async #post(form: TextForm, rows: Int32Array | null): Promise<RawBytes> {
    const { tables, sequence } = this.#mempool;
    const job: TextJob = { copy: copyTables(tables), style: this.style, form, rows, sequence };
    return new RawBytes([await this.#threads.runNamed<Uint8Array>('writeMempool', job)]);
  }
}
