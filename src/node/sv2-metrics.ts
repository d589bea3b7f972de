// Metrics of the Stratum V2 template provider; without -sv2 they have no samples.
import type { Metrics, Sample } from '../metrics/registry.js';
import { CLOSE_REASONS, FIRST_BYTE_BUCKETS, type ServeFigures } from '../sv2/serve/counters.js';
import type { SolutionOutcome } from '../sv2/serve/messages.js';

/** Figures of the provider. */
export interface Sv2Figures {
  readonly serving: ServeFigures;
  readonly outcomes: Readonly<Record<SolutionOutcome, number>>;
}

export interface Sv2Sources {
  /** undefined without -sv2. */
  readonly sv2: () => Sv2Figures | undefined;
}

const OUTCOMES: readonly SolutionOutcome[] = ['accepted', 'duplicate', 'lost', 'invalid', 'fault'];

/** Adds the metrics. @param from reads a figure once the rooms are there */
export function addSv2Metrics(metrics: Metrics, from: <T>(read: (s: Sv2Sources) => T) => () => T | undefined): void {
  const of = (read: (figures: Sv2Figures) => Sample): (() => Sample) =>
    from((s) => {
      const figures = s.sv2();
      return figures === undefined ? undefined : read(figures);
    });
  const each = (label: string, values: readonly (readonly [string, number])[]): Sample =>
    values.map(([name, value]) => ({ labels: { [label]: name }, value }));

  metrics.gauge(
    'adit_sv2_connections',
    'Open Stratum V2 connections; clients: those that have set up',
    of(({ serving }) =>
      each('state', [
        ['pending', serving.connectionsOpen - serving.clientsOpen],
        ['client', serving.clientsOpen],
      ]),
    ),
    ['state'],
  );
  metrics.total(
    'adit_sv2_handshakes_total',
    'Noise handshakes answered',
    of(({ serving }) => serving.handshakes),
  );
  metrics.total(
    'adit_sv2_closed_total',
    'Connections that this node closed or turned away, by reason',
    of(({ serving }) =>
      each(
        'reason',
        CLOSE_REASONS.map((reason) => [reason, serving[`closed ${reason}`]]),
      ),
    ),
    ['reason'],
  );
  metrics.total(
    'adit_sv2_templates_total',
    'Templates sent, by kind',
    of(({ serving }) =>
      each('kind', [
        ['empty', serving.templatesEmpty],
        ['full', serving.templatesFull],
        ['staged', serving.templatesStaged],
      ]),
    ),
    ['kind'],
  );
  metrics.total(
    'adit_sv2_tips_total',
    'SetNewPrevHash messages sent; staged: for a template that the client held already',
    of(({ serving }) =>
      each('template', [
        ['staged', serving.activated],
        ['fresh', serving.prevHashes - serving.activated],
      ]),
    ),
    ['template'],
  );
  metrics.total(
    'adit_sv2_transaction_data_total',
    'Answers to RequestTransactionData',
    of(({ serving }) =>
      each('answer', [
        ['success', serving.dataReplies],
        ['error', serving.dataErrors],
      ]),
    ),
    ['answer'],
  );
  metrics.total(
    'adit_sv2_bytes_total',
    'Bytes of Stratum V2 connections',
    of(({ serving }) =>
      each('direction', [
        ['in', serving.bytesReceived],
        ['out', serving.bytesSent],
      ]),
    ),
    ['direction'],
  );
  metrics.gauge(
    'adit_sv2_unread_bytes',
    'Bytes that wait for clients to read',
    of(({ serving }) => serving.unreadBytes),
  );
  metrics.total(
    'adit_sv2_messages_ignored_total',
    'Messages of unknown types or extensions',
    of(({ serving }) => serving.messagesIgnored),
  );
  metrics.total(
    'adit_sv2_solutions_total',
    'Solutions read, by what came of them; late ones are also counted by their outcome',
    of(({ serving, outcomes }) =>
      each('outcome', [
        ...OUTCOMES.map((outcome) => [outcome, outcomes[outcome]] as const),
        ['unknown', serving.solutionsUnknown],
        ['bad', serving.solutionsBad],
        ['late', serving.solutionsLate],
      ]),
    ),
    ['outcome'],
  );
  metrics.readHistogram(
    'adit_sv2_first_byte_seconds',
    "From a block's acceptance to the first byte of its news to a client",
    FIRST_BYTE_BUCKETS,
    from((s) => {
      const serving = s.sv2()?.serving;
      if (serving === undefined) return undefined;
      const counts = FIRST_BYTE_BUCKETS.map((bound) => serving[`firstByte ${bound}`]);
      return { counts, sum: serving.firstByteSum, count: serving.firstByteCount };
    }),
  );
}
