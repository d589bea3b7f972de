// Makes the texts about the whole mempool, each once for every state of the mempool, and shares them between replies.
// The node thread only copies the tables; render threads write the text.
import { Semaphore } from '../../lib/semaphore.js';
import { copyTables, type WholeTables } from '../../mempool/index.js';
import type { RenderPool } from '../../parallel/render-pool.js';
import type { MempoolTextAccess, TextForm, TextStyle } from '../context/mempool.js';
import { RawBytes } from '../wire/values.js';
import { type TextJob, writeText } from './mempool-text.js';

/** Number of transactions that the node thread writes at once, in less time than a job takes to start. */
const AT_ONCE = 32;
/** Number of relatives up to which the node thread writes them itself, which takes less time than a copy of the tables. */
const RELATIVES_AT_ONCE = 128;
/** Number of texts that are written at once. Each holds a copy of the tables: 54 MB for 300,000 transactions. */
const TEXTS_AT_ONCE = 2;
/** Most bytes of texts that are retained for later replies. */
const MOST_BYTES = 64 << 20;

/** The mempool as this module reads it. */
export interface TextSource {
  readonly size: number;
  readonly sequence: number;
  readonly tables: WholeTables;
  /** Resolves when no change is in progress. Default: there never is one. */
  settled?(): Promise<void>;
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
  readonly #permits = new Semaphore(TEXTS_AT_ONCE);

  constructor(mempool: TextSource, threads: Pick<RenderPool<unknown>, 'runNamed'>, style: TextStyle) {
    this.#mempool = mempool;
    this.#threads = threads;
    this.style = style;
  }

  /** Returns a text about the whole mempool, as it is now. Call it when the mempool is settled. */
  whole(form: TextForm): RawBytes | Promise<RawBytes> {
    if (this.#mempool.size <= AT_ONCE) return this.#write(form, null);
    const wait = async (): Promise<RawBytes> => {
      await this.#mempool.settled?.();
      return this.#known(form) ?? this.#make(form);
    };
    return this.#known(form) ?? this.#permits.run(wait);
  }

  /** Returns the text of the current state if it was made, or is being made. */
  #known(form: TextForm): Promise<RawBytes> | null {
    const known = this.#texts.get(form);
    return known?.generation === this.#mempool.tables.rows.generation ? known.text : null;
  }

  #make(form: TextForm): Promise<RawBytes> {
    const { generation } = this.#mempool.tables.rows;
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

  /**
   * Returns a text about some rows of the mempool, as they are now.
   * @param find returns the rows; called again if the text has to wait
   */
  of(form: 'ids' | 'entries', find: () => Int32Array): RawBytes | Promise<RawBytes> {
    const rows = find();
    if (rows.length <= RELATIVES_AT_ONCE) return this.#write(form, rows);
    return this.#permits.run(async () => {
      await this.#mempool.settled?.();
      return this.#post(form, find());
    });
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
