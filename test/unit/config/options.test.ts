// What options become, one by one: the default, the value that is given, and bounds. Core 0.21.1's names and defaults.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { loadConfig, parseArgs } from '../../../src/config/load.js';

type Config = ReturnType<typeof loadConfig>;

/** A temporary folder stands as DIR in what comes back. */
function load(...argv: string[]): Config {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-options-'));
  try {
    return loadConfig(parseArgs([`-datadir=${dir}`, '-regtest', ...argv]));
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Options, what is looked at, and what it is. */
const rows: readonly [argv: readonly string[], of: (config: Config) => unknown, wanted: unknown][] = [
  [[], ({ net }) => [net.maxSendBytes, net.maxReceiveBytes], [1_000_000, 5_000_000]],
  [['-maxsendbuffer=7', '-maxreceivebuffer=9'], ({ net }) => [net.maxSendBytes, net.maxReceiveBytes], [7_000, 9_000]],
  [['-maxsendbuffer=0', '-maxreceivebuffer=-5'], ({ net }) => [net.maxSendBytes, net.maxReceiveBytes], [1_000, 1_000]],
  [[], ({ net }) => net.banSeconds, 86_400],
  [['-bantime=60'], ({ net }) => net.banSeconds, 60],
  [[], ({ net }) => [net.active, net.dns, net.forceDnsSeed, net.feeFilter, net.advertiseLoopback], [true, true, false, true, false]],
  [['-networkactive=0'], ({ net }) => net.active, false],
  [['-nonetworkactive'], ({ net }) => net.active, false],
  [['-dns=0'], ({ net }) => net.dns, false],
  [['-forcednsseed'], ({ net }) => net.forceDnsSeed, true],
  [['-feefilter=0'], ({ net }) => net.feeFilter, false],
  [['-addrmantest'], ({ net }) => net.advertiseLoopback, true],
  [[], ({ net }) => [net.orphanScore, net.extraTxs], [3_000, 100]],
  [['-compat=0.21.1'], ({ net }) => [net.orphanScore, net.extraTxs], [100, 100]],
  [[], ({ net }) => net.legacyPeers, false],
  [['-compat=0.21.1'], ({ net }) => net.legacyPeers, true],
  [['-maxorphantx=3', '-blockreconstructionextratxn=4'], ({ net }) => [net.orphanScore, net.extraTxs], [3, 4]],
  [['-maxorphantx=-1', '-blockreconstructionextratxn=-1'], ({ net }) => [net.orphanScore, net.extraTxs], [0, 0]],
  [['-uacomment=one', '-uacomment=two'], ({ net }) => /\(one; two\)\/$/.test(net.userAgent ?? ''), true],
  [[], ({ net, log }) => [net.logIps, log.ips], [false, false]],
  [['-logips'], ({ net, log }) => [net.logIps, log.ips], [true, true]],
  [[], ({ log }) => [log.timestamps, log.micros, log.threadNames, log.shrink, log.excluded], [true, false, false, undefined, []]],
  [['-logtimestamps=0'], ({ log }) => log.timestamps, false],
  [['-logtimemicros'], ({ log }) => log.micros, true],
  [['-logthreadnames'], ({ log }) => log.threadNames, true],
  [['-shrinkdebugfile'], ({ log }) => log.shrink, true],
  [['-shrinkdebugfile=0'], ({ log }) => log.shrink, false],
  [['-debugexclude=net', '-debugexclude=rpc'], ({ log }) => log.excluded, ['net', 'rpc']],
  [[], ({ log }) => log.console, true],
  [['-daemon'], ({ log }) => log.console, false],
  [['-daemon', '-printtoconsole'], ({ log }) => log.console, true],
  [[], ({ announce }) => announce, false],
  [['-announce'], ({ announce }) => announce, true],
  [[], ({ maxTipAgeSeconds, checkpoints }) => [maxTipAgeSeconds, checkpoints], [86_400, true]],
  [['-maxtipage=5', '-checkpoints=0'], ({ maxTipAgeSeconds, checkpoints }) => [maxTipAgeSeconds, checkpoints], [5, false]],
  [[], ({ scriptCacheBytes }) => scriptCacheBytes, 33_554_432],
  [['-maxsigcachesize=1'], ({ scriptCacheBytes }) => scriptCacheBytes, 1_048_576],
  [['-maxsigcachesize=-1'], ({ scriptCacheBytes }) => scriptCacheBytes, 0],
  [['-maxsigcachesize=99999'], ({ scriptCacheBytes }) => scriptCacheBytes, 17_179_869_184],
  [[], ({ pidFile, netDir }) => path.relative(netDir, pidFile), 'bitcoind.pid'],
  [['-pid=my.pid'], ({ pidFile, netDir }) => path.relative(netDir, pidFile), 'my.pid'],
  [['-pid=/run/x.pid'], ({ pidFile }) => pidFile, '/run/x.pid'],
  [[], ({ settingsFile, netDir }) => path.relative(netDir, settingsFile ?? ''), 'settings.json'],
  [['-settings=other.json'], ({ settingsFile, netDir }) => path.relative(netDir, settingsFile ?? ''), 'other.json'],
  [['-nosettings'], ({ settingsFile }) => settingsFile, undefined],
];

for (const [argv, of, wanted] of rows) {
  t.test(argv.length === 0 ? `default: ${JSON.stringify(wanted)}` : argv.join(' '), async (t) => {
    t.same(of(load(...argv)), wanted);
  });
}

t.test('options that Core has and that change nothing here are taken, and the log says so', async (t) => {
  const argv = ['-daemonwait', '-sysperms', '-printpriority', '-rpcserialversion=1', '-maxtimeadjustment=5', '-dblogsize=3'];
  const { notes } = load(...argv);
  for (const option of argv) {
    const name = (/^-(\w+)/.exec(option) as RegExpExecArray)[1] as string;
    t.equal(notes.filter((note) => note.includes(`-${name}`)).length, 1, name);
  }
  t.same(
    load().notes.filter((note) => argv.some((option) => note.includes(option.split('=')[0] as string))),
    [],
  );
});

t.test('values that are refused', async (t) => {
  for (const [argv, message] of [
    [['-uacomment=a/b'], 'User Agent comment (a/b) contains unsafe characters.'],
    [['-peertimeout=0'], 'peertimeout cannot be configured with a negative value.'],
    [['-peertimeout=-1'], 'peertimeout cannot be configured with a negative value.'],
  ] as const) {
    t.throws(() => load(...argv), { message });
  }
  t.doesNotThrow(() => load('-peertimeout=1'));
  t.throws(
    () => load(`-uacomment=${'x'.repeat(256)}`),
    /^Error: Total length of network version string \(\d+\) exceeds maximum length \(256\)|Total length/,
  );
});
