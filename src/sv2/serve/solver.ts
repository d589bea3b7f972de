// Handles SubmitSolution: finds the template, makes the block, writes it to disk and passes it to the node thread. Logs
// every solution that is not passed on.
import type { Hashes } from '../../crypto/crypto.js';
import { BlockKeeper, type ServeLog } from '../../mining/serve/index.js';
import type { SubmitSolution } from '../codec/template-messages.js';
import type { Client } from './client.js';
import type { ServeCounters } from './counters.js';
import type { FromServe, ServeOptions } from './messages.js';
import { type ReadSolution, readSolution } from './solution.js';
import type { NumberedTemplate, TemplateTable } from './template-table.js';

export interface SolverDeps {
  readonly hashes: Hashes;
  readonly options: Pick<ServeOptions, 'powLimit' | 'solutionsDir'>;
  readonly counters: ServeCounters;
  readonly post: (message: FromServe, transfer?: readonly ArrayBuffer[]) => void;
}

export class Solver {
  readonly #table: TemplateTable;
  readonly #deps: SolverDeps;
  readonly #log: ServeLog;
  readonly #keeper: BlockKeeper;

  constructor(board: TemplateTable, deps: SolverDeps, notes: ServeLog) {
    this.#table = board;
    this.#deps = deps;
    this.#log = notes;
    this.#keeper = new BlockKeeper({ name: 'Stratum V2', dir: deps.options.solutionsDir, notes, post: deps.post });
  }

  solve(client: Client, solution: SubmitSolution): void {
    const { options, counters, hashes } = this.#deps;
    const { templateId } = solution;
    client.solutions++;
    counters.add('solutionsRead');
    const template = this.#table.get(templateId);
    if (template === null) {
      counters.add('solutionsUnknown');
      this.#log.limited(`Stratum V2: a solution of ${client.name} is for the unknown template ${templateId}. A block may be lost.`);
      return;
    }
    const read = readSolution(solution, template, options.powLimit, hashes);
    if (read.kind === 'bad') {
      counters.add('solutionsBad');
      this.#log.limited(`Stratum V2: a solution of ${client.name} for template ${templateId} is not a block: ${read.why}`);
      return;
    }
    if (!this.#keeper.isNew(read.key)) {
      this.#log.limited(`client ${client.id}: block ${read.hashHex} again`, 'debug');
      return;
    }
    this.#handOver(client, template, read);
  }

  #handOver(client: Client, template: NumberedTemplate, { hashHex, block }: Extract<ReadSolution, { kind: 'block' }>): void {
    const late = template.tip !== this.#table.tip;
    if (late) this.#deps.counters.add('solutionsLate');
    this.#keeper.keepBlock({
      ...{ hashHex, block, late },
      finder: `client ${client.id}`,
      address: client.host,
      height: template.served.height,
    });
  }
}
