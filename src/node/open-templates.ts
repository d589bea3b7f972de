// Opens the sources of work for miners: templates for RPC, Stratum V1 and V2, and pinned jobs.

import type { Chain } from '../chain/index.js';
import { timerAfter } from '../lib/supervised-thread.js';
import { STATE_FLAG } from '../link/shared-state.js';
import { JobPins, type Mempool } from '../mempool/index.js';
import { TemplateService } from '../template/index.js';
import type { NodeBase } from './open-base.js';
import type { OpenedFronts } from './open-fronts.js';
import type { OpenedThreads } from './open-threads.js';
import { createStratum, type Stratum } from './stratum.js';
import { createSv2, type Sv2 } from './sv2.js';
import { createTemplateAccess } from './template-access.js';

export interface OpenedTemplates {
  readonly templates: TemplateService;
  /** Access of RPC calls to templates. */
  readonly access: ReturnType<typeof createTemplateAccess>;
  /** The Stratum V2 provider; null without -sv2. */
  readonly sv2: Sv2 | null;
  /** null without -stratum. */
  readonly stratum: Stratum | null;
  readonly jobs: JobPins;
}

export interface TemplateEvents {
  /** Called with a tip's hash when its template is published. */
  readonly reached: (hash: Uint8Array) => void;
  /** Publishes records of shares of Stratum V1 miners. Resolves with false if the broker may not have them. */
  readonly publishShares: (records: Uint8Array) => Promise<boolean>;
}

/**
 * Opens the templates.
 * @throws ConfigError
 */
export function openTemplates(
  base: NodeBase,
  modules: { readonly chain: Chain; readonly mempool: Mempool },
  { assembler }: OpenedThreads,
  { slabs }: OpenedFronts,
  { reached, publishShares }: TemplateEvents,
): OpenedTemplates {
  const { config, crypto, keyMath, state, clock, log, guard, stop, teardown, observe } = base;
  const { chain } = modules;
  const templates = new TemplateService(config.templates, {
    chain: chain.view,
    mempool: modules.mempool,
    assembler,
    slabs,
    clock,
    hashes: crypto,
    versionBits: chain.view.versionBits,
    log,
    guard,
    epoch: () => state.epoch,
    wanted: () => state.has(STATE_FLAG.TEST_CHAIN) || !state.has(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD),
    after: (ms, run) => timerAfter(ms, guard.wrap('templates', run)),
    observe: guard.wrap('metrics', (name: string, seconds: number) => {
      if (name === 'template_build') observe.templateBuild(seconds);
      else if (name === 'tip_to_template') {
        observe.tipToTemplate(seconds);
        reached(chain.view.tip.hash);
      }
    }),
  });
  teardown.add(() => templates.close());
  const access = createTemplateAccess({ chain: chain.view, templates, slabs, state, log, guard, stopping: stop.signal });
  const mining = {
    ...config.templates,
    netDir: config.netDir,
    chain,
    templates,
    hashes: crypto,
    clock,
    log,
    guard,
    submissions: access.submissions,
    wanted: () => (state.has(STATE_FLAG.TEST_CHAIN) || !chain.view.isInitialBlockDownload()) && !templates.clockBehind,
  };
  const sv2 = config.sv2 && createSv2(config.sv2, { ...mining, keys: keyMath });
  const publishesShares = config.fleet?.shares === true || config.notify.zmq.some(({ topic }) => topic === 'share');
  const stratum =
    config.stratum &&
    createStratum(config.stratum, {
      ...{ ...mining, network: config.chain },
      publishShares: publishesShares ? publishShares : null,
    });
  return { templates, access, sv2, stratum, jobs: new JobPins() };
}
