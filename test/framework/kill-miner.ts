// A miner for kill tests: feeds a daemon blocks, transactions and reorganisations, remembers what was acknowledged, and
// knows after a SIGKILL what the daemon must still know.
import { type BlockTree, ROOT, type TreeBlock } from './block-tree.js';
import { Connection } from './connection.js';
import { CallError, type Daemon } from './daemon.js';

/** Depth of the deepest reorganisation. */
const MAX_DEPTH = 5;
const MAX_TRANSACTIONS = 6;

/** How a miner spends its time. */
export interface KillMix {
  /**
   * Number of 100 steps that begin a reorganisation, and number that mark a block invalid and take the mark back. The
   * other steps mine on the tip.
   */
  readonly reorganise: number;
  readonly invalidate: number;
  /** Depth of the deepest reorganisation. */
  readonly depth?: number;
  /** Most transactions of a block. */
  readonly transactions?: number;
  /** Coins without value that every block makes in addition. */
  readonly extraCoins?: number;
}

const USUAL: KillMix = { reorganise: 15, invalidate: 5 };

export class KillMiner {
  readonly tree: BlockTree;
  readonly #node: Daemon;
  readonly #mix: KillMix;
  /** Blocks whose submission was answered, in that order. */
  readonly acknowledged: TreeBlock[] = [];
  readonly #byHash = new Map<string, TreeBlock>([[ROOT.hashHex, ROOT]]);
  /** The tip by what the daemon said. */
  tip: TreeBlock = ROOT;
  /** Something was acknowledged that may have moved the tip without saying so. */
  #tipMayDiffer = false;
  /** Sent, but not answered. */
  inFlight: TreeBlock | null = null;
  /** Blocks of a branch that is being built to overtake. */
  #rival: { tip: TreeBlock; left: number } | null = null;
  /** A block that was, or may have been, marked invalid and not reconsidered yet. */
  invalidated: { block: TreeBlock; certain: boolean } | null = null;
  /** Answers that a block must never get. */
  readonly strange: unknown[] = [];
  counts = { reorganisations: 0, invalidations: 0, payments: 0 };

  constructor(node: Daemon, tree: BlockTree, mix: KillMix = USUAL) {
    this.#node = node;
    this.tree = tree;
    this.#mix = mix;
  }

  /** The block of a hash, when it was sent. */
  block(hashHex: string): TreeBlock | undefined {
    return this.#byHash.get(hashHex);
  }

  #grow(prev: TreeBlock): TreeBlock {
    return this.tree.grow(prev, this.#mix.transactions ?? MAX_TRANSACTIONS, this.#mix.extraCoins);
  }

  /** Highest block that was acknowledged. */
  get best(): number {
    return this.acknowledged.reduce((best, block) => Math.max(best, block.height), 0);
  }

  /** Feeds until `enough` says so or the daemon goes away. @returns whether it still answers */
  async feed(enough: () => boolean): Promise<boolean> {
    const connection = new Connection(this.#node);
    try {
      await this.#settleUp(connection);
      while (!enough()) await this.#step(connection);
      return true;
    } catch (error) {
      // An error that the daemon returns concerns the test. Its death is planned.
      if (error instanceof CallError && error.code !== -1) throw error;
      return false;
    } finally {
      connection.close();
    }
  }

  /** Feeds transactions and asks for templates until the daemon goes away or `enough`. */
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
      // The daemon died.
    } finally {
      connection.close();
    }
  }

  /** After a restart: the block under way is sent again, marks are taken back. */
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
    // A daemon that stops stores the block, says this, and connects it at the next start.
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
    // From here on either may be: the mark is gone once the call arrived, whether or not it was answered.
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

  /** Checks what a restarted daemon must know. @returns the faults */
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
