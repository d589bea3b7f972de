// Stores found blocks in the broker's stream before the call is answered. If nodes or this process fail, a node that
// returns within the hour still gets them. Only blocks with proof of work are stored, because a client could fill the
// stream with anything else.
import { randomBytes } from 'node:crypto';
import { proofOfWork } from '../../consensus/rules/bits.js';
import { headerOf, sha256d } from '../block-hash.js';
import { encode, type FoundMessage } from '../messages.js';
import { split } from '../pieces.js';
import type { OutgoingCall } from './calls.js';

const BITS_AT = 72;
/** Attempts to store a block. With their pauses they take some minutes; meanwhile the nodes have the block already. */
const MOST_TRIES = 100;
const PAUSE_MS = 500;
const MOST_PAUSE_MS = 5_000;

export interface FoundDeps {
  readonly powLimit: bigint;
  /** Resolves when the stream has stored the message on its number of servers. */
  store(body: Uint8Array, id: string): Promise<void>;
  pieceBytes(): number;
  after(ms: number): Promise<void>;
  onFault(text: string): void;
}

export class FoundBlocks {
  readonly #deps: FoundDeps;
  stored = 0;
  failed = 0;

  constructor(deps: FoundDeps) {
    this.#deps = deps;
  }

  /** Returns true if a submission is a block with proof of work. */
  isFound(call: Pick<OutgoingCall, 'method' | 'body' | 'block'>): boolean {
    const header = call.method === 'submitblock' ? headerOf(call) : null;
    if (header === null) return false;
    const bits = new DataView(header.buffer, header.byteOffset).getUint32(BITS_AT, true);
    return proofOfWork(sha256d(header), bits, this.#deps.powLimit);
  }

  /** Stores a block. Retries while the stream cannot be reached. Resolves when the block is stored or given up. */
  async storeBlock({ method, user, uri, body, block }: OutgoingCall): Promise<void> {
    const { store, pieceBytes, after, onFault } = this.#deps;
    const id = randomBytes(12).toString('hex');
    const whole = block === null ? body : new Uint8Array(Buffer.concat([body, block.bytes]));
    const pieces = split(whole, pieceBytes());
    const common = { kind: 'found' as const, id, method, user, uri, bodyBytes: body.length, token: block?.token ?? '' };
    for (let tried = 0; tried < MOST_TRIES; tried++) {
      try {
        for (const [at, bytes] of pieces.entries()) {
          await store(encode({ ...common, bytes, at, of: pieces.length } satisfies FoundMessage), `${id}-${at}`);
        }
        this.stored++;
        return;
      } catch (error) {
        this.failed++;
        if (tried === 0) onFault(`a found block is not stored in the broker's stream yet: ${(error as Error).message}. Retrying.`);
        await after(Math.min(MOST_PAUSE_MS, PAUSE_MS * (tried + 1)));
      }
    }
    onFault("a found block could not be stored in the broker's stream. The nodes named in the log have it.");
  }
}
