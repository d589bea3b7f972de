// Entry of the daemon: reads the options, starts a node, and stops it on a signal, the stop call, or a fault. An error
// at the start is printed on stderr as `Error: ...` with exit status 1, as in Bitcoin Core.
import {
  type Args,
  ConfigError,
  compatOption,
  helpText,
  loadConfig,
  type NodeConfig,
  parseArgs,
  rewriteSettings,
  versionText,
} from './config/index.js';
import { outliveConsole } from './lib/console.js';
import { ListenerGuard } from './lib/listener-guard.js';
import { threadsLoaded } from './lib/loading-threads.js';
import { createLogger, type NodeLogger } from './log/create-logger.js';
import { announcement } from './node/announce.js';
import { inBackground, reportReady, startInBackground } from './node/background.js';
import { prepareFolders } from './node/data-folder.js';
import { operatorError, withAdvice } from './node/fault-advice.js';
import { type RunningNode, startNode } from './node/start.js';
import { follows } from './policy/compat.js';
import { stopWriting } from './storage/write-stop.js';

function refuse(message: string): never {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(1);
}

/** Writes warnings about options to stderr, because the log is not open yet. The log gets them later. */
function warn(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`Warning: ${line}\n`);
}

/** Returns the message of an error that the operator can fix, or the stack of any other error. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return withAdvice(error.message, error);
  return operatorError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Milliseconds for closing sockets after a fault. */
const lastWordsMs = 4000;

/** Returns the text of an error at the start. Adds the path of the log where Core's text only mentions the log. */
function explainStart(error: unknown, { compat, log: { file } }: NodeConfig): string {
  const text = explain(error);
  return compat.name !== 'default' || file === undefined ? text : text.replace('See debug log for details.', `See ${file} for details.`);
}

async function run(config: NodeConfig, log: NodeLogger): Promise<number> {
  // Handles exceptions that no module caught. Everything acknowledged is on disk, so the safest reaction is to log the
  // fault and end.
  let abandon = (): Promise<void> => Promise.resolve();
  let dying = false;
  const die = (error: unknown): void => {
    if (dying) return;
    dying = true;
    // Unfinished work must not write any more: memory may disagree with the disk.
    stopWriting('the process ends after a fault');
    log.fatal(`Unexpected error, the node stops: ${explain(error)}`);
    const end = (): never => {
      log.close();
      process.exit(1);
    };
    const closed = Promise.race([abandon(), new Promise((resolve) => setTimeout(resolve, lastWordsMs))]);
    // Do not exit while sockets are open or a thread loads a native library: either would abort the process.
    Promise.allSettled([closed, threadsLoaded()]).then(end);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  process.on('SIGHUP', new ListenerGuard(log).wrap('SIGHUP', log.reopen));
  process.on('SIGPIPE', () => {});

  const signalled = new Promise<undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(undefined));
  });
  const aborted = new AbortController();
  void signalled.then(() => aborted.abort());
  const node: RunningNode = await startNode(config, log, aborted.signal, (close) => {
    abandon = close;
  });
  reportReady();
  const announce = (text: string): void => {
    if (config.announce) process.stdout.write(text);
  };
  announce(announcement(config, node.addresses));
  const fault = await Promise.race([signalled, node.stopRequested]);
  if (fault) log.fatal(withAdvice(fault.message.replaceAll('\n', ' '), fault));
  announce('adit is stopping\n');
  await node.stop();
  announce('adit has stopped\n');
  return fault ? 1 : 0;
}

async function main(): Promise<number> {
  outliveConsole();
  let args: Args;
  let config: NodeConfig;
  let log: NodeLogger;
  try {
    args = parseArgs(process.argv.slice(2));
    if (args.bool('version', false)) {
      const { coreVersion } = compatOption(args);
      process.stdout.write(`adit daemon version ${versionText()}\nfollows Bitcoin Core ${coreVersion.text} (${coreVersion.number})\n`);
      return 0;
    }
    if (['?', 'h', 'help', 'help-debug'].some((name) => args.isSet(name))) {
      process.stdout.write(helpText());
      return 0;
    }
    // Only the operator may read files that the node creates.
    process.umask(0o077);
    config = loadConfig(args, prepareFolders);
    if (config.background !== null && !inBackground) {
      warn(args.loudWarnings);
      return await startInBackground(config.background.untilReady, config.log.file ?? 'the messages above');
    }
    if (config.settingsFile !== undefined) rewriteSettings(config.settingsFile, follows(config.compat, 28));
    // If the log echoes warnings, it writes them to stderr itself.
    if (!inBackground && (config.log.console || !config.log.echoWarnings)) warn(args.loudWarnings);
    log = createLogger(config.log);
  } catch (error) {
    refuse(explain(error));
  }
  try {
    const status = await run(config, log);
    log.info('Shutdown: done');
    log.close();
    return status;
  } catch (error) {
    log.fatal(explainStart(error, config));
    log.close();
    await threadsLoaded();
    process.exit(1);
  }
}

// Keep the process alive: promises do not, and during a start or shutdown nothing else may, so that the process would
// end early with status 0.
setInterval(() => {}, 2 ** 30);
// Exit explicitly, so that slow threads and sockets do not keep a stopped node in the process table.
main().then(async (status) => {
  await threadsLoaded();
  process.exit(status);
});
