// Parts of a chain that its faces use.

import type { BlockSubmitter } from './block-submitter.js';
import type { ChainEvents } from './chain-events.js';
import type { Changes } from './changes.js';
import type { Activator } from './connect/activator.js';
import type { DownloadEngine } from './download/download-engine.js';
import type { Persister } from './files/persister.js';
import type { Pruner } from './files/pruner.js';
import type { Importer } from './importer.js';
import type { InitialDownload } from './initial-download.js';
import type { SnapshotChain } from './snapshot/snapshot-chain.js';

export interface ChainParts {
  readonly changes: Changes;
  readonly events: ChainEvents;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
  readonly importer: Importer;
  readonly snapshot: SnapshotChain;
  readonly submitter: BlockSubmitter;
  readonly engine: DownloadEngine;
  readonly initialDownload: InitialDownload;
}
