// Categories and levels of the log, in Bitcoin Core's names.

/** Categories of release 0.21, in the order of its `logging` call. */
const OLD = [
  'net',
  'tor',
  'mempool',
  'http',
  'bench',
  'zmq',
  'walletdb',
  'rpc',
  'estimatefee',
  'addrman',
  'selectcoins',
  'reindex',
  'cmpctblock',
  'rand',
  'prune',
  'proxy',
  'mempoolrej',
  'libevent',
  'coindb',
  'qt',
  'leveldb',
  'validation',
] as const;
/** Category of 0.21 that release 31 accepts but does not list. */
const DROPPED = 'libevent';
/** Categories added after 0.21. */
const NEW = ['blockstorage', 'i2p', 'ipc', 'kernel', 'privatebroadcast', 'scan', 'txpackages', 'txreconciliation'] as const;

/** All categories. */
export const logCategories: readonly string[] = [...OLD, ...NEW];

/** Returns the categories that the `logging` call shows, in its order: by name since release 22. */
export function listedCategories({ name }: { readonly name: '0.21.1' | '31' | 'default' }): readonly string[] {
  if (name === '0.21.1') return OLD;
  return logCategories.filter((category) => name !== '31' || category !== DROPPED).sort();
}

/** Names that stand for all categories. */
export const ALL_CATEGORIES: ReadonlySet<string> = new Set(['1', 'all', '']);
/** Names that stand for no category. */
export const NO_CATEGORIES: ReadonlySet<string> = new Set(['0', 'none']);

/** Levels of -loglevel, the most detailed first. */
export const logLevels = ['trace', 'debug', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];
