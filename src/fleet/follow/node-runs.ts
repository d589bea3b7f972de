// Runs of the fleet's nodes, as far as a front trusts them. A run is trusted after the node has signed a nonce of this front in
// it; then only publications with rising numbers count.
import { randomBytes } from 'node:crypto';
import { encode, type FrontMessage, type NodeFact, type NodeMessage, readFact, readHead, type TemplateHead } from '../messages.js';
import type { FleetFrontOptions } from '../options.js';
import { type Publication, Verifier } from '../signed.js';
import type { TrustReports } from './trust-reports.js';

/** Shortest time between two hello messages to a node whose run is new. */
const HELLO_MS = 250;

interface NodeRun {
  readonly name: string;
  run: string;
  fact: number;
  headNumber: number;
  head: TemplateHead | null;
  epoch: number;
  /** The nonce that the node's next run has to sign. */
  nonce: string;
  greetedMs: number;
}

export interface NodeRunsDeps {
  readonly nodes: FleetFrontOptions['nodes'];
  readonly chain: string;
  readonly trust: TrustReports;
  connected(): boolean;
  sendHello(node: string, body: Uint8Array): void;
  onFact(node: string, run: string, fact: NodeFact): void;
  /** @param isOld true for the head that the node had published before this front greeted it */
  onHead(node: string, run: string, head: TemplateHead, isOld: boolean): void;
}

export class NodeRuns {
  readonly #deps: NodeRunsDeps;
  readonly #verifier: Verifier;
  readonly #runs = new Map<string, NodeRun>();

  constructor(deps: NodeRunsDeps) {
    this.#deps = deps;
    this.#verifier = new Verifier(new Map(deps.nodes.map(({ name, publicKey }) => [name, publicKey])), deps.chain);
    const unknown = { run: '', fact: 0, headNumber: 0, head: null, epoch: 0, nonce: '', greetedMs: Number.NEGATIVE_INFINITY };
    for (const { name } of deps.nodes) this.#runs.set(name, { name, ...unknown });
  }

  /** Returns the epoch of a node's newest fact; infinite for an unknown node. */
  epochOf(node: string): number {
    return this.#runs.get(node)?.epoch ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the newest template head of a node's run; null for none. */
  headOf(node: string, run: string): TemplateHead | null {
    const known = this.#runs.get(node);
    return known?.run === run ? known.head : null;
  }

  greetAll(): void {
    for (const known of this.#runs.values()) this.#greet(known);
  }

  /** Requests a signature over a fresh nonce. Publications of a run are trusted only after that. */
  #greet(known: NodeRun): void {
    if (!this.#deps.connected()) return;
    known.greetedMs = performance.now();
    if (known.nonce === '') known.nonce = randomBytes(16).toString('hex');
    this.#deps.sendHello(known.name, encode({ kind: 'hello', nonce: known.nonce } satisfies FrontMessage));
  }

  onPublication(bytes: Uint8Array): void {
    const publication = this.#verifier.open(bytes);
    const known = publication && this.#runs.get(publication.node);
    if (!known) {
      this.#deps.trust.refused(bytes);
      return;
    }
    this.#deps.trust.accepted();
    if (publication.run !== known.run) {
      if (performance.now() - known.greetedMs >= HELLO_MS) this.#greet(known);
      return;
    }
    if (publication.kind === 'fact') this.#onFact(known, publication, readFact(publication.body));
    else this.#onHead(known, publication, false);
  }

  /** Handles the answer to hello. */
  onHello({ bytes, head }: Extract<NodeMessage, { kind: 'fact' }>): void {
    const publication = this.#verifier.open(bytes);
    const known = publication && this.#runs.get(publication.node);
    const fact = publication && publication.kind === 'fact' ? readFact(publication.body) : null;
    if (!known || fact === null || known.nonce === '' || fact.nonce !== known.nonce) return;
    known.nonce = '';
    if (publication.run !== known.run) {
      known.run = publication.run;
      known.fact = 0;
      known.headNumber = 0;
      known.head = null;
    }
    this.#onFact(known, publication, fact);
    const newest = head && this.#verifier.open(head);
    if (newest?.kind === 'head' && newest.node === known.name && newest.run === known.run) this.#onHead(known, newest, true);
  }

  #onFact(known: NodeRun, { number, run }: Publication, fact: NodeFact | null): void {
    if (fact === null || number <= known.fact) return;
    known.fact = number;
    known.epoch = fact.epoch;
    this.#deps.onFact(known.name, run, fact);
  }

  #onHead(known: NodeRun, { number, body }: Publication, isOld: boolean): void {
    const head = readHead(body);
    if (head === null || number <= known.headNumber) return;
    known.headNumber = number;
    known.head = head;
    this.#deps.onHead(known.name, known.run, head, isOld);
  }
}
