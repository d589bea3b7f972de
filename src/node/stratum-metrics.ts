// Metrics of the Stratum V1 server; without -stratum they have no samples.
import type { Metrics } from '../metrics/index.js';
import type { SolutionOutcome } from '../mining/index.js';
import { FIRST_BYTE_BUCKETS, firstByteHistogram } from '../mining/serve/index.js';
import { SHARE_RESULTS } from '../stratum/index.js';
import { CLOSE_REASONS, type StratumFigures } from '../stratum/serve/index.js';

/** Figures of the server. */
export interface StratumMeasures {
  readonly serving: StratumFigures;
  readonly outcomes: Readonly<Record<SolutionOutcome, number>>;
  /** Records of shares that the thread posted and that the broker did not take. */
  readonly unpublished: number;
}

/** Adds the metrics. @param stratum undefined without -stratum */
export function addStratumMetrics(metrics: Metrics, stratum: () => StratumMeasures | undefined): void {
  metrics.group(
    () => stratum()?.serving,
    [
      [
        'adit_stratum_connections',
        'Open Stratum V1 connections; miner: those with an authorized name',
        (s) => Object.entries({ pending: s.connectionsOpen - s.minersOpen, miner: s.minersOpen }),
        'state',
      ],
      [
        'adit_stratum_closed_total',
        'Connections that this node closed or refused, by reason',
        (s) => CLOSE_REASONS.map((reason) => [reason, s[`closed ${reason}`]]),
        'reason',
      ],
      ['adit_stratum_jobs_total', 'Jobs made', (s) => s.jobs],
      ['adit_stratum_shares_total', 'Shares, by result', (s) => SHARE_RESULTS.map((result) => [result, s[`shares ${result}`]]), 'result'],
      ['adit_stratum_workers', 'Workers with statistics', (s) => s.workers],
      ['adit_stratum_rows_waiting', 'Changed workers that are not in the database yet', (s) => s.rowsWaiting],
      [
        'adit_stratum_last_share_timestamp_seconds',
        'Time of the last accepted share; 0 if there was none since the start',
        (s) => s.lastShareMs / 1000,
      ],
      ['adit_stratum_best_share', 'Difficulty of the best share since the start', (s) => s.bestShare],
      ['adit_stratum_work_total', 'Difficulty of accepted shares; times 2^32 it is the number of hashes', (s) => s.workAccepted],
      [
        'adit_stratum_bytes_total',
        'Bytes of Stratum V1 connections',
        (s) => Object.entries({ in: s.bytesReceived, out: s.bytesSent }),
        'direction',
      ],
      ['adit_stratum_unsent_bytes', 'Bytes that wait for miners to read', (s) => s.unsentBytes],
      ['adit_stratum_pauses_total', 'Times that a connection was paused because it sent too much', (s) => s.pauses],
    ],
  );
  metrics.group(stratum, [
    [
      'adit_stratum_stream_records_total',
      'Records of shares for programs outside; lost: the node or the broker could not take them',
      ({ serving, unpublished }) => Object.entries({ sent: serving.streamRecords - unpublished, lost: serving.streamLost + unpublished }),
      'end',
    ],
    [
      'adit_stratum_blocks_total',
      'Blocks that miners found, by what the chain made of them; late ones build on the tip before',
      ({ serving, outcomes }) => [...Object.entries(outcomes), ['late', serving.blocksLate]],
      'outcome',
    ],
  ]);
  metrics.readHistogram(
    'adit_stratum_first_byte_seconds',
    "From a block's acceptance to the first byte of its job to all miners",
    FIRST_BYTE_BUCKETS,
    () => {
      const serving = stratum()?.serving;
      return serving === undefined ? undefined : firstByteHistogram(serving);
    },
  );
}
