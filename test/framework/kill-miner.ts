// A miner for kill tests: submits blocks, transactions and reorganisations to a daemon, remembers which of them the
// daemon acknowledged, and checks after a SIGKILL that the daemon still has them.
import { type BlockTree, ROOT, type TreeBlock } from './block-tree.js';
import { Connection } from './connection.js';
import { CallError, type Daemon } from './daemon.js';

/** Depth of the deepest reorganisation. */
const MAX_DEPTH = 5;
const MAX_TRANSACTIONS = 6;

/** Shares of the actions of a miner. */
export interface KillMix {
  /**
   * Percentage of steps that begin a reorganisation, and percentage that invalidate a block and reconsider it. All
   * other steps mine on the tip.
   */
  readonly reorganise: number;
  readonly invalidate: number;
  /** Depth of the deepest reorganisation. */
  readonly depth?: number;
  /** Most transactions of a block. */
  readonly transactions?: number;
  /** Number of outputs without value in the coinbase of each block. */
  readonly extraCoins?: number;
}

export class KillMiner {
  readonly tree: BlockTree;
  readonly #node: Daemon;
  readonly #mix: KillMix;
  /** Blocks whose submission was answered, in the order of the answers. */
  readonly acknowledged: TreeBlock[] = [];
  readonly #byHash = new Map<string, TreeBlock>([[ROOT.hashHex, ROOT]]);
  /** The tip according to the daemon's answers. */
  tip: TreeBlock = ROOT;
  /** True if an acknowledged call may have changed the tip although its answer does not tell so. */
  #tipMayDiffer = false;
  /** Block that was submitted and is not answered yet; null if there is none. */
  inFlight: TreeBlock | null = null;
  /** Branch that is being built to replace the tip, and number of its blocks that are still missing. */
  #rival: { tip: TreeBlock; left: number } | null = null;
  /**
   * A block that was, or may have been, invalidated and is not reconsidered yet. `certain` is false if the answer to
   * the call is missing.
   */
  invalidated: { block: TreeBlock; certain: boolean } | null = null;
  /** Answers to submissions that must never occur. */
  readonly strange: unknown[] = [];
  counts = { reorganisations: 0, invalidations: 0, payments: 0 };

  constructor(node: Daemon, tree: BlockTree, mix: KillMix) {
    this.#node = node;
    this.tree = tree;
    this.#mix = mix;
  }

  /** Returns the block with a hash, if it was submitted. */
  block(hashHex: string): TreeBlock | undefined {
    return this.#byHash.get(hashHex);
  }

  #grow(prev: TreeBlock): TreeBlock {
    return this.tree.grow(prev, this.#mix.transactions ?? MAX_TRANSACTIONS, this.#mix.extraCoins);
  }

  /** Height of the highest acknowledged block. */
  get best(): number {
    return this.acknowledged.reduce((best, block) => Math.max(best, block.height), 0);
  }

  /** Submits blocks until `enough` returns true or the daemon ends. @returns false if the daemon has ended */
  async feed(enough: () => boolean): Promise<boolean> {
    const connection = new Connection(this.#node);
    try {
      await this.#settleUp(connection);
      while (!enough()) await this.#step(connection);
      return true;
    } catch (error) {
      // An error reply is a fault that the test must report. The end of the daemon is intended.
      if (error instanceof CallError && error.code !== -1) throw error;
      return false;
    } finally {
      connection.close();
    }
  }

  /** Submits transactions and requests templates until `enough` returns true or the daemon ends. */
  async bother(enough: () => boolean): Promise<void> {
    const connection = new Connection(this.#node);
    try {
      while (!enough()) {
        const payment = this.tree.payment(this.tip);
        if (payment !== null) {
          await connection.call('sendrawtransaction', payment).then(
            () => this.counts.payments++,
            (error) => {
              if (!(error instanceof CallError)) throw error;
            },
          );
        }
        await connection.call('getblocktemplate', { rules: ['segwit'] });
      }
    } catch {
      // The daemon has ended.
    } finally {
      connection.close();
    }
  }

  /** Called after a restart: reconsiders an invalidated block, and submits the unanswered block again. */
  async #settleUp(connection: Connection): Promise<void> {
    if (this.invalidated !== null) await this.#reconsider(connection);
    if (this.inFlight !== null) await this.#submit(connection, this.inFlight);
    await this.#lookAtTip(connection);
  }

  async #step(connection: Connection): Promise<void> {
    if (this.#rival !== null) {
      this.#rival.tip = this.#grow(this.#rival.tip);
      if (--this.#rival.left === 0) {
        const { tip } = this.#rival;
        this.#rival = null;
        this.counts.reorganisations++;
        await this.#submit(connection, tip);
      } else await this.#submit(connection, this.#rival.tip);
      return;
    }
    const { reorganise, invalidate, depth: deepest = MAX_DEPTH } = this.#mix;
    const dice = this.tree.pick(100);
    const depth = 1 + this.tree.pick(deepest);
    if (this.tip.height <= 2 * deepest || dice >= reorganise + invalidate) await this.#submit(connection, this.#grow(this.tip));
    else if (dice < reorganise) this.#rival = { tip: this.#ancestor(depth), left: depth + 1 };
    else await this.#invalidate(connection, this.#ancestor(depth));
  }

  #ancestor(depth: number): TreeBlock {
    let block = this.tip;
    for (let i = 0; i < depth; i++) block = block.prev;
    return block;
  }

  async #submit(connection: Connection, block: TreeBlock): Promise<void> {
    const again = this.inFlight === block;
    this.inFlight = block;
    this.#byHash.set(block.hashHex, block);
    const answer = await connection.call('submitblock', block.bytes.toString('hex'));
    this.inFlight = null;
    this.acknowledged.push(block);
    if (answer === null) this.tip = block;
    // A daemon that is stopping stores the block, answers 'inconclusive', and connects the block at the next start.
    if (again || (answer === 'inconclusive' && block.height > this.tip.height)) this.#tipMayDiffer = true;
    const fine = answer === null || answer === 'inconclusive' || (again && (answer === 'duplicate' || answer === 'duplicate-inconclusive'));
    if (!fine) this.strange.push(answer);
  }

  async #invalidate(connection: Connection, block: TreeBlock): Promise<void> {
    this.counts.invalidations++;
    this.invalidated = { block, certain: false };
    await connection.call('invalidateblock', block.hashHex);
    this.invalidated = { block, certain: true };
    await this.#reconsider(connection);
    await this.#lookAtTip(connection);
  }

  async #reconsider(connection: Connection): Promise<void> {
    const { block } = this.invalidated!;
    // From here on the block may or may not be invalid: the daemon reconsiders it when the call arrives, even if no
    // answer is sent.
    this.invalidated = { block, certain: false };
    this.#tipMayDiffer = true;
    await connection.call('reconsiderblock', block.hashHex);
    this.invalidated = null;
  }

  async #lookAtTip(connection: Connection): Promise<void> {
    const hash: string = await connection.call('getbestblockhash');
    const tip = this.#byHash.get(hash);
    if (tip === undefined) throw new Error(`the daemon stands at ${hash}, which nobody mined`);
    if (tip.height < this.best) throw new Error(`the daemon stands at height ${tip.height} and was given ${this.best}`);
    this.tip = tip;
    this.#tipMayDiffer = false;
  }

  /** Checks the state of a restarted daemon. @returns the faults */
  async check(exactTip: boolean): Promise<string[]> {
    const wrong: string[] = [];
    const hash: string = await this.#node.call('getbestblockhash');
    const tip = this.#byHash.get(hash);
    if (tip === undefined) return [`the tip ${hash} was never sent`];
    const { certain = false, block: marked } = this.invalidated ?? {};
    let below = tip;
    while (marked !== undefined && below.height > marked.height) below = below.prev;
    if (certain && below === marked) wrong.push(`the tip is on ${marked.hashHex}, which was marked invalid`);
    if (this.invalidated === null) {
      if (tip.height < this.best) wrong.push(`height ${tip.height} after ${this.best} was acknowledged`);
      if (exactTip && !this.#tipMayDiffer && tip !== this.tip && tip !== this.inFlight)
        wrong.push(`tip ${hash} (${tip.height}) instead of ${this.tip.hashHex} (${this.tip.height})`);
    }
    const active = new Set<TreeBlock>();
    for (let block = tip; block !== ROOT; block = block.prev) active.add(block);
    const asked = this.acknowledged.flatMap(({ hashHex }) => [
      { id: hashHex, method: 'getblockheader', params: [hashHex] },
      { id: hashHex, method: 'getblock', params: [hashHex, 0] },
    ]);
    const replies: { id: string; result: { confirmations: number; height: number } | string | null; error: unknown }[] = [];
    for (let at = 0; at < asked.length; at += 500) {
      replies.push(...JSON.parse((await this.#node.post(JSON.stringify(asked.slice(at, at + 500)))).body));
    }
    for (const { id, result, error } of replies) {
      const block = this.#byHash.get(id)!;
      if (result === null) wrong.push(`block ${id} (${block.height}) was acknowledged: ${JSON.stringify(error)}`);
      else if (typeof result === 'string') {
        if (result !== block.bytes.toString('hex')) wrong.push(`block ${id} has other bytes`);
      } else {
        const confirmations = active.has(block) ? tip.height - block.height + 1 : -1;
        if (result.confirmations !== confirmations) wrong.push(`block ${id}: ${result.confirmations} confirmations, not ${confirmations}`);
      }
    }
    return wrong;
  }
}
