// Access of RPC calls to templates: blocks for the generate calls, and getblocktemplate inside a batch, which runs on
// the node thread with the same view as fronts.
import type { ChainView } from '../chain/index.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { templateState } from '../http/front/template-state.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { SharedState } from '../link/shared-state.js';
import { SlabReader, type SlabRing } from '../link/slab-ring.js';
import type { Logger } from '../log/logger.js';
import type { TemplateAccess } from '../rpc/context/mining.js';
import { RpcError } from '../rpc/errors.js';
import { RawBytes, RawJson } from '../rpc/wire/values.js';
import { CoinbaseWatch, type TemplateFacts, type TemplateRequest, type TemplateService } from '../template/index.js';
import { TemplateView } from '../template/view/template-view.js';
import { Submissions } from './submissions.js';

export interface TemplateAccessDeps {
  readonly chain: ChainView;
  readonly templates: TemplateService;
  readonly slabs: SlabRing;
  readonly state: SharedState;
  readonly log: Logger;
  readonly guard: ListenerGuard;
  /** Fires when the node begins to stop. */
  readonly stopping: AbortSignal;
}

/** Access to templates, and its event methods. */
export interface FollowingAccess extends TemplateAccess {
  onTip(hashHex: string): void;
  /** Blocks that clients submitted. */
  readonly submissions: Submissions;
  /** Called when a template was published. */
  onTemplate(facts: TemplateFacts): void;
}

export function createTemplateAccess(deps: TemplateAccessDeps): FollowingAccess {
  const { chain, templates, slabs, state, guard } = deps;
  // The guard catches exceptions of timers.
  const guarded = (run: () => void): (() => void) => guard.wrap('templates of batches', run);
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(guarded(run), ms);
    return () => clearTimeout(timer);
  };
  const view = new TemplateView({
    signet: chain.params.signetChallenge !== null,
    state: templateState(state, () => deps.stopping.aborted),
    timers: { monotonicMs: () => performance.now(), after, soon: (run) => void setImmediate(guarded(run)) },
    tipHex: () => chain.tip.hashHex,
    drain: () => {},
    pin: (workId) => templates.pin(workId),
    limited: (limits) => templates.limited(limits),
    requestTemplate: (done) => {
      templates.refresh().then(
        () => done(0, ''),
        (error: unknown) => done(-1, error instanceof Error ? error.message : String(error)),
      );
    },
    // Growth replaces a slab's memory, so create a new reader for each read.
    lease: (place) => new SlabReader(slabs.control, slabs.slabs).lease(place),
    release: (place) => new SlabReader(slabs.control, slabs.slabs).release(place),
  });
  deps.stopping.addEventListener('abort', () => view.stop());

  // The coinbase check only logs. Its exceptions do not affect the submission.
  const coinbases = new CoinbaseWatch(deps.log);
  const submissions = new Submissions(deps.log);
  return {
    coinbaseSubmitted: guard.wrap('coinbase check', (client: string, coinbase: TxView, height: number) =>
      coinbases.checkSubmitted(client, coinbase, height),
    ),
    blockSubmitted: (client, hash, outcome) => submissions.add({ client, hash, outcome, time: Math.floor(Date.now() / 1000) }),
    submissions,
    next: () => templates.next(),
    verdict: (txid) => templates.verdict(txid),
    onTip: (hashHex) => view.onTip(hashHex),
    onTemplate: (facts) => view.onTemplate(facts, facts.slabIndex < 0 ? null : slabs.publish({ index: facts.slabIndex })),
    getBlockTemplate: (request: TemplateRequest, signal: AbortSignal | undefined) =>
      new Promise<RawJson | RawBytes>((resolve, reject) => {
        const call = {
          request,
          prefix: '',
          suffix: '',
          onAborted: null as (() => void) | null,
          acceptsGzip: false,
          get aborted() {
            return signal?.aborted ?? false;
          },
          send: (body: { parts: readonly Uint8Array[]; slabIndex: number; release(): void }) => {
            if (body.slabIndex < 0) {
              body.release();
              resolve(new RawBytes(body.parts));
              return;
            }
            const text = Buffer.concat(body.parts).toString('latin1');
            body.release();
            resolve(new RawJson(text));
          },
          fail: (code: number, message: string) => reject(new RpcError(code, message)),
        };
        signal?.addEventListener('abort', () => {
          call.onAborted?.();
          reject(new RpcError(-9, 'Shutting down'));
        });
        view.call(call);
      }),
    buildBlock: async (script, { empty }) => (await templates.assembleBlock(script, { empty, extraNonce: 0 })).bytes(),
    pinned: (workId) => templates.pinned(workId),
    minFeeRate: templates.minFeeRate,
    isOptimal: () => templates.optimal,
    lastAssembled: () => {
      const last = templates.lastAssembly;
      return last === null ? null : { weight: last.weight, transactions: last.txCount };
    },
  };
}
