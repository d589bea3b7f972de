// SubmitSolution: found its template, made into a block, written down, handed to the node thread. Everything that is
// not handed on is said.
import type { Hashes } from '../../crypto/crypto.js';
import type { Notes } from '../../mining/serve/notes.js';
import { syncSolution, writeSolution } from '../../mining/serve/solution-file.js';
import type { SubmitSolution } from '../codec/template-messages.js';
import type { Board, BoardTemplate } from './board.js';
import type { Client } from './client.js';
import type { ServeCounters } from './counters.js';
import type { FromServe, ServeOptions } from './messages.js';
import { type ReadSolution, readSolution } from './solution.js';

/** Hashes of solutions that are remembered, so that the same one is handed on once. */
const MOST_HASHES = 256;

export interface SolverDeps {
  readonly hashes: Hashes;
  readonly options: Pick<ServeOptions, 'powLimit' | 'solutionsDir'>;
  readonly counters: ServeCounters;
  readonly post: (message: FromServe, transfer?: readonly ArrayBuffer[]) => void;
}

export class Solver {
  readonly #board: Board;
  readonly #deps: SolverDeps;
  readonly #notes: Notes;
  readonly #seen = new Set<string>();

  constructor(board: Board, deps: SolverDeps, notes: Notes) {
    this.#board = board;
    this.#deps = deps;
    this.#notes = notes;
  }

  solve(client: Client, solution: SubmitSolution): void {
    const { options, counters, hashes } = this.#deps;
    const { templateId } = solution;
    client.solutions++;
    counters.add('solutionsRead');
    const template = this.#board.get(templateId);
    if (template === null) {
      counters.add('solutionsUnknown');
      this.#notes.limited(
        `Stratum V2: a solution of ${client.name} is for template ${templateId}, which is unknown: it may be a lost block`,
      );
      return;
    }
    const read = readSolution(solution, template, options.powLimit, hashes);
    if (read.kind === 'bad') {
      counters.add('solutionsBad');
      this.#notes.limited(`Stratum V2: a solution of ${client.name} for template ${templateId} is no block: ${read.why}`);
      return;
    }
    if (this.#seen.has(read.key)) {
      this.#notes.limited(`client ${client.id}: block ${read.hashHex} again`, 'debug');
      return;
    }
    this.#seen.add(read.key);
    if (this.#seen.size > MOST_HASHES) this.#seen.delete(this.#seen.keys().next().value as string);
    this.#hand(client, template, read);
  }

  /**
   * Written first: however the process ends now, the next start finds the block. It is synced while it is judged and on
   * its way to peers: what a loss of power takes in these milliseconds others have.
   */
  #hand(client: Client, template: BoardTemplate, { hashHex, block }: Extract<ReadSolution, { kind: 'block' }>): void {
    const { options, counters, post } = this.#deps;
    let file = '';
    try {
      if (options.solutionsDir !== '') file = writeSolution(options.solutionsDir, hashHex, block);
    } catch (error) {
      // It may still become a block.
      this.#notes.say('error', `Stratum V2: block ${hashHex} cannot be written to ${options.solutionsDir}: ${(error as Error).message}`);
    }
    const late = template.tip !== this.#board.tip;
    if (late) counters.add('solutionsLate');
    const { height } = template.served;
    const from = { finder: `client ${client.id}`, address: client.host, height, late };
    post({ kind: 'solution', hashHex, block, file, ...from }, [block.buffer as ArrayBuffer]);
    if (file === '') return;
    syncSolution(file).catch((error: NodeJS.ErrnoException) => {
      // Judged already, and taken away.
      if (error.code !== 'ENOENT') this.#notes.say('error', `Stratum V2: block ${hashHex} in ${file} cannot be synced: ${error.message}`);
    });
  }
}
