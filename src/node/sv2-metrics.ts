// Metrics of the Stratum V2 template provider. Without -sv2 they have no samples.
import type { Metrics } from '../metrics/index.js';
import type { SolutionOutcome } from '../mining/index.js';
import { FIRST_BYTE_BUCKETS, firstByteHistogram } from '../mining/serve/index.js';
import { CLOSE_REASONS, type ServeFigures } from '../sv2/serve/index.js';

/** Figures of the provider. */
export interface Sv2Figures {
  readonly serving: ServeFigures;
  readonly outcomes: Readonly<Record<SolutionOutcome, number>>;
}

const OUTCOMES: readonly SolutionOutcome[] = ['accepted', 'duplicate', 'lost', 'invalid', 'fault'];

/**
 * Adds the metrics.
 * @param sv2 returns undefined without -sv2
 */
export function addSv2Metrics(metrics: Metrics, sv2: () => Sv2Figures | undefined): void {
  metrics.group(
    () => sv2()?.serving,
    [
      [
        'adit_sv2_connections',
        'Open Stratum V2 connections; client: after SetupConnection; pending: before it',
        (s) => Object.entries({ pending: s.connectionsOpen - s.clientsOpen, client: s.clientsOpen }),
        'state',
      ],
      ['adit_sv2_handshakes_total', 'Noise handshakes answered', (s) => s.handshakes],
      [
        'adit_sv2_closed_total',
        'Connections that this node closed or rejected, by reason',
        (s) => CLOSE_REASONS.map((reason) => [reason, s[`closed ${reason}`]]),
        'reason',
      ],
      [
        'adit_sv2_templates_total',
        'Templates sent, by kind',
        (s) => Object.entries({ empty: s.templatesEmpty, full: s.templatesFull, staged: s.templatesStaged }),
        'kind',
      ],
      [
        'adit_sv2_tips_total',
        'SetNewPrevHash messages sent; staged: for a template that the client already had',
        (s) => Object.entries({ staged: s.activated, fresh: s.prevHashes - s.activated }),
        'template',
      ],
      [
        'adit_sv2_transaction_data_total',
        'Answers to RequestTransactionData',
        (s) => Object.entries({ success: s.dataReplies, error: s.dataErrors }),
        'answer',
      ],
      [
        'adit_sv2_bytes_total',
        'Bytes of Stratum V2 connections',
        (s) => Object.entries({ in: s.bytesReceived, out: s.bytesSent }),
        'direction',
      ],
      ['adit_sv2_unread_bytes', 'Bytes that clients have not read yet', (s) => s.unreadBytes],
      ['adit_sv2_messages_ignored_total', 'Messages of unknown types or extensions', (s) => s.messagesIgnored],
    ],
  );
  metrics.group(sv2, [
    [
      'adit_sv2_solutions_total',
      'Solutions received, by outcome; late solutions are also counted as late',
      ({ serving, outcomes }) => [
        ...OUTCOMES.map((outcome) => [outcome, outcomes[outcome]]),
        ...[
          ['unknown', serving.solutionsUnknown],
          ['bad', serving.solutionsBad],
          ['late', serving.solutionsLate],
        ],
      ],
      'outcome',
    ],
  ]);
  metrics.readHistogram(
    'adit_sv2_first_byte_seconds',
    "From a block's acceptance to the first byte of its news to a client",
    FIRST_BYTE_BUCKETS,
    () => {
      const serving = sv2()?.serving;
      if (serving === undefined) return undefined;
      return firstByteHistogram(serving);
    },
  );
}
