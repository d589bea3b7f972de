// Values of options, one by one: the default, the given value, and bounds. Core 0.21.1's names and defaults.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { loadConfig, parseArgs } from '../../../src/config/load.js';
import { NET_ROWS } from '../../../src/net/option-rows.js';
import { DEFAULT_NET } from '../../../src/net/options.js';

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
  [[], ({ net }) => net.userAgent, '/Satoshi:31.99.0(adit 0.1.0)/'],
  [['-compat=31'], ({ net }) => net.userAgent, '/Satoshi:31.99.0/'],
  [['-compat=0.21.1'], ({ net }) => net.userAgent, '/Satoshi:0.21.1/'],
  [['-uacomment=one', '-uacomment=two'], ({ net }) => net.userAgent, '/Satoshi:31.99.0(adit 0.1.0; one; two)/'],
  [['-compat=31', '-uacomment=one', '-uacomment=two'], ({ net }) => net.userAgent, '/Satoshi:31.99.0(one; two)/'],
  [[`-uacomment=${'x'.repeat(237)}`], ({ net }) => net.userAgent, `/Satoshi:31.99.0(${'x'.repeat(237)})/`],
  [[], ({ net, log }) => [net.logIps, log.ips], [false, false]],
  [['-logips'], ({ net, log }) => [net.logIps, log.ips], [true, true]],
  [[], ({ log }) => [log.timestamps, log.micros, log.threadNames, log.shrink, log.excluded], [true, false, false, undefined, []]],
  [['-logtimestamps=0'], ({ log }) => log.timestamps, false],
  [['-logtimemicros'], ({ log }) => log.micros, true],
  [['-logthreadnames'], ({ log }) => log.threadNames, true],
  [['-shrinkdebugfile'], ({ log }) => log.shrink, true],
  [['-shrinkdebugfile=0'], ({ log }) => log.shrink, false],
  [['-debugexclude=net', '-debugexclude=rpc'], ({ log }) => log.excluded, ['net', 'rpc']],
  [['-debug=net', '-debug=0', '-debug=rpc', '-debug=txpackages'], ({ log }) => log.categories, ['rpc', 'txpackages']],
  [['-compat=0.21.1', '-debug=net', '-debug=0', '-debug=rpc'], ({ log }) => log.categories, []],
  [['-compat=0.21.1', '-debug=net', '-debug=foo', '-debugexclude=0'], ({ log }) => [log.categories, log.excluded], [['net'], ['0']]],
  [[], ({ log }) => [log.levels, log.levelAlways], [[], false]],
  [
    ['-loglevel=info', '-loglevel=net:trace', '-loglevelalways'],
    ({ log }) => [log.levels, log.levelAlways],
    [
      [
        ['', 'info'],
        ['net', 'trace'],
      ],
      true,
    ],
  ],
  [[], ({ log }) => [log.console, log.echoWarnings], [true, false]],
  [['-daemon'], ({ log }) => log.console, false],
  [['-printtoconsole=0', '-announce'], ({ log }) => [log.console, log.echoWarnings], [false, true]],
  [[], ({ background }) => background, null],
  [['-daemon'], ({ background }) => background, { untilReady: false }],
  [['-daemonwait'], ({ background }) => background, { untilReady: true }],
  [['-daemon', '-nodaemonwait'], ({ background }) => background, { untilReady: false }],
  [['-daemon', '-printtoconsole'], ({ log }) => log.console, true],
  [[], ({ announce }) => announce, false],
  [['-announce'], ({ announce }) => announce, true],
  [[], ({ maxTipAgeSeconds, checkpoints }) => [maxTipAgeSeconds, checkpoints], [86_400, false]],
  [['-maxtipage=5', '-checkpoints=1'], ({ maxTipAgeSeconds, checkpoints }) => [maxTipAgeSeconds, checkpoints], [5, true]],
  [['-compat=0.21.1'], ({ checkpoints }) => checkpoints, true],
  [['-compat=0.21.1', '-checkpoints=0'], ({ checkpoints }) => checkpoints, false],
  [['-compat=31', '-checkpoints=1'], ({ checkpoints }) => checkpoints, false],
  [[], ({ regtest }) => regtest, {}],
  [['-compat=31'], ({ regtest }) => regtest, {}],
  [['-compat=0.21.1'], ({ regtest }) => regtest, { powTargetTimespan: 1_209_600, activity: { time: 0, transactions: 0, rate: 0 } }],
  [['-test=bip94', '-test=addrman'], ({ regtest }) => regtest, { enforceBip94: true }],
  [[], ({ scriptCacheBytes }) => scriptCacheBytes, 33_554_432],
  [['-maxsigcachesize=1'], ({ scriptCacheBytes }) => scriptCacheBytes, 1_048_576],
  [['-maxsigcachesize=-1'], ({ scriptCacheBytes }) => scriptCacheBytes, 0],
  [['-maxsigcachesize=99999'], ({ scriptCacheBytes }) => scriptCacheBytes, 17_179_869_184],
  [
    [],
    ({ wallet }) => [wallet.walletBroadcast, wallet.spend.replaceable, wallet.addressType, wallet.changeType],
    [true, true, 'bech32', undefined],
  ],
  [['-compat=0.21.1'], ({ wallet }) => wallet.spend.replaceable, false],
  [['-walletrbf=0'], ({ wallet }) => wallet.spend.replaceable, false],
  [[], ({ wallet }) => [wallet.descriptorWallets, wallet.taprootSeeds], [false, true]],
  [['-compat=31'], ({ wallet }) => [wallet.descriptorWallets, wallet.taprootSeeds], [true, true]],
  [['-compat=0.21.1'], ({ wallet }) => [wallet.descriptorWallets, wallet.taprootSeeds], [false, false]],
  [['-addresstype=bech32m'], ({ wallet }) => [wallet.descriptorWallets, wallet.addressType], [true, 'bech32m']],
  [['-changetype=bech32m'], ({ wallet }) => [wallet.descriptorWallets, wallet.changeType], [true, 'bech32m']],
  [['-mintxfee=0'], ({ wallet }) => wallet.spend.minFeeRate, 0],
  [['-blocksonly'], ({ wallet }) => wallet.walletBroadcast, false],
  [['-blocksonly', '-walletbroadcast'], ({ wallet }) => wallet.walletBroadcast, true],
  [['-maxapsfee=-1', '-maxtxfee=0.2'], ({ wallet: { spend } }) => [spend.maxGroupingFeeSats, spend.maxFeeSats], [-1, 20_000_000]],
  [['-paytxfee=0.000002'], ({ wallet }) => wallet.spend.payFeeRate, 200],
  [[], ({ rpc }) => [rpc.workQueue, rpc.serverTimeoutSeconds, rpc.user, rpc.whitelistDefault, rpc.port], [1024, 30, '', false, undefined]],
  [['-rpcworkqueue=0', '-rpcwhitelist=a:b'], ({ rpc }) => [rpc.workQueue, rpc.whitelistDefault], [1, true]],
  [['-sv2', '-sv2interval=0'], ({ sv2 }) => [sv2?.port, sv2?.intervalSeconds, sv2?.feeDeltaSats, sv2?.perAddress], [18_447, 1, 1_000, 64]],
  [['-zmqpubrawtx=a', '-zmqpubrawtx=b'], ({ notify }) => notify.zmq.map(({ highWaterMark }) => highWaterMark), [undefined, undefined]],
  [['-dbcache=1'], ({ dbCacheBytes }) => dbCacheBytes, 4 << 20],
  [['-checklevel=9', '-checkblocks=-1'], ({ checkLevel, checkBlocks }) => [checkLevel, checkBlocks], [4, 0]],
  [[], ({ pidFile, netDir }) => path.relative(netDir, pidFile ?? ''), 'bitcoind.pid'],
  [['-pid=my.pid'], ({ pidFile, netDir }) => path.relative(netDir, pidFile ?? ''), 'my.pid'],
  [['-nopid'], ({ pidFile }) => pidFile, undefined],
  [
    ['-pid=', '-settings=', '-rpccookiefile=', '-debuglogfile='],
    ({ netDir, pidFile, settingsFile, cookieFile, log }) =>
      [pidFile, settingsFile, cookieFile, log.file].map((file) => path.relative(netDir, file ?? '')),
    ['bitcoind.pid', 'settings.json', '.cookie', 'debug.log'],
  ],
  [['-walletrbf=0'], ({ wallet }) => wallet.spend.warnsOfReplaceable, true],
  [['-walletrbf', '-compat=0.21.1'], ({ wallet }) => wallet.spend.warnsOfReplaceable, false],
  [['-stopafterblockimport'], ({ stopAfterImport }) => stopAfterImport, true],
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

t.test('accepts options of Core without effect here, and logs them', async (t) => {
  const argv = ['-sysperms', '-printpriority', '-rpcserialversion=1', '-maxtimeadjustment=5', '-dblogsize=3'];
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

t.test('rejects invalid values of options with a message', async (t) => {
  for (const [argv, message] of [
    [['-uacomment=a/b'], 'User Agent comment (a/b) contains unsafe characters.'],
    [['-peertimeout=0'], 'peertimeout must be a positive integer.'],
    [['-peertimeout=0', '-compat=0.21.1'], 'peertimeout cannot be configured with a negative value.'],
    [['-compat=0.21.1', '-paytxfee=0.000002'], "Invalid amount for -paytxfee=<amount>: '0.000002' (must be at least 0.00001000 BTC/kvB)"],
    [['-metricsport=0'], "Invalid port specified in -metricsport: '0'"],
    [['-fronts=x'], "Invalid value for -fronts=<n>: 'x' (it must be an integer from 1 to 64)"],
    [['-rpccookieperms=x'], "Invalid -rpccookieperms=x; must be one of 'owner', 'group', or 'all'."],
    [['-mintxfee=0', '-compat=0.21.1'], "Invalid amount for -mintxfee=<amount>: '0'"],
    [['-addresstype=bech32m', '-compat=0.21.1'], "Unknown address type 'bech32m'"],
    [['-changetype=bech32m', '-compat=0.21.1'], "Unknown change type 'bech32m'"],
    [['-addresstype=x'], "Unknown address type 'x'"],
    [['-changetype=x'], "Unknown change type 'x'"],
    [['-noaddresstype'], "Unknown address type '0'"],
    [['-nochangetype'], "Unknown change type '0'"],
    [['-norpccookieperms'], "Invalid -rpccookieperms=0; must be one of 'owner', 'group', or 'all'."],
    [['-blocksdir='], 'Specified blocks directory "" does not exist.'],
    [['-noblocksdir'], 'Specified blocks directory "" does not exist.'],
    [['-walletdir='], 'Specified -walletdir "" does not exist'],
    [['-nowalletdir'], 'Specified -walletdir "" does not exist'],
    [['-walletdir=.'], 'Specified -walletdir "." is a relative path'],
    [['-minimumchainwork=x', '-compat=0.21.1'], 'Invalid non-hex (x) minimum chain work value specified'],
    [['-forcednsseed', '-dnsseed=0'], 'Cannot set -forcednsseed to true when setting -dnsseed to false.'],
    [['-peertimeout=-1'], 'peertimeout must be a positive integer.'],
    [['-maxconnections=-1'], '-maxconnections must be greater or equal than zero'],
    [['-debug=foo'], 'Unsupported logging category -debug=foo.'],
    [['-compat=31', '-debugexclude=0'], 'Unsupported logging category -debugexclude=0.'],
    [['-loglevel=warning'], 'Unsupported global logging level -loglevel=warning. Valid values: info, debug, trace.'],
  ] as const) {
    t.throws(() => load(...argv), { message });
  }
  for (const level of ['net:warning', 'nosuch:debug', 'net:debug:info', 'net:']) {
    t.throws(() => load(`-loglevel=${level}`), {
      message:
        /^Unsupported category-specific logging level -loglevel=.* Valid categories: addrman, .*, zmq\. Valid loglevels: info, debug, trace\.$/,
    });
  }
  t.doesNotThrow(() => load('-peertimeout=1'));
  for (const compat of ['31', 'default']) {
    t.throws(() => load(`-compat=${compat}`, `-uacomment=${'x'.repeat(238)}`), {
      message: 'Total length of network version string (257) exceeds maximum length (256). Reduce the number or size of uacomments.',
    });
  }
});

t.test('passes the default network options when no options are given', async (t) => {
  const { net } = load();
  const names = Object.keys(NET_ROWS) as (keyof typeof NET_ROWS)[];
  t.ok(names.length > 15);
  for (const name of names) t.equal(net[name], DEFAULT_NET[name], name);
});
