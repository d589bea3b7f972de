// Options and bitcoin.conf, in Core's order of strength and with Core's messages.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { convertArguments } from '../../../src/cli/arguments.js';
import { prettyJson } from '../../../src/cli/run.js';
import { Args, leadingInteger } from '../../../src/config/args.js';
import { parseConf } from '../../../src/config/conf-file.js';
import { loadFrontConfig, parseFrontArgs } from '../../../src/config/front-config.js';
import { helpText } from '../../../src/config/help.js';
import { loadConfig, parseArgs } from '../../../src/config/load.js';
import { defaultFronts } from '../../../src/config/rpc-options.js';
import { version } from '../../../src/config/version.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { httpOptions } from '../../../src/node/http-options.js';
import { mempoolOptions } from '../../../src/node/mempool-options.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { JsonObject, type JsonValue } from '../../../src/rpc/wire/values.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function load(conf: string | undefined, ...argv: string[]): ReturnType<typeof loadConfig> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'));
  try {
    if (conf !== undefined) fs.writeFileSync(path.join(dir, 'bitcoin.conf'), conf);
    return loadConfig(parseArgs([`-datadir=${dir}`, ...argv]));
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

t.test('chooses the number of front threads by cores and -rpcthreads', async (t) => {
  t.same(
    [1, 2, 7, 8, 16, 32, 64].map((cores) => defaultFronts(cores)),
    [1, 1, 1, 2, 4, 8, 8],
  );
  t.same([defaultFronts(8, 4), defaultFronts(4, 16), defaultFronts(1, 4)], [4, 3, 1]);
  t.equal(load(undefined, '-regtest', '-fronts=5', '-rpcthreads=2').rpc.fronts, 5);
});

t.test('-prune sets target and services, and rejects incompatible options', async (t) => {
  const by = (...argv: string[]) => load(undefined, '-regtest', ...argv);
  const plain = by();
  t.equal(plain.prune, null);
  t.equal((plain.net.services ?? 0n) & 0x401n, 0x401n);
  t.equal(by('-prune=0', '-txindex').prune, null);
  const byHand = by('-prune=1');
  t.same(byHand.prune, { targetBytes: Number.POSITIVE_INFINITY });
  t.equal((byHand.net.services ?? 0n) & 0x401n, 0x400n, 'the newest blocks are still offered');
  t.ok(byHand.notes.some((line) => line.startsWith('Block pruning enabled.  Use RPC call pruneblockchain(height)')));
  t.same(by('-prune=550', '-coinstatsindex').prune, { targetBytes: 550 * 1024 * 1024 });
  const filters = by('-prune=550', '-blockfilterindex', '-peerblockfilters');
  t.same([filters.prune, filters.indexes.filters], [{ targetBytes: 550 * 1024 * 1024 }, true], 'indexes hold pruning back');
  t.equal((filters.net.services ?? 0n) & 0x40n, 0x40n, 'and filters are offered');
  t.same(by('-prune=2', '-fastprune').prune, { targetBytes: 2 * 1024 * 1024 });
  for (const [argv, message] of [
    [['-prune=-1'], 'Prune cannot be configured with a negative value.'],
    [['-prune=549'], 'Prune configured below the minimum of 550 MiB.  Please use a higher number.'],
    [['-prune=550', '-txindex'], 'Prune mode is incompatible with -txindex.'],
    [['-prune=550', '-txospenderindex'], 'Prune mode is incompatible with -txospenderindex.'],
    [['-prune=1', '-blockfilterindex=basic', '-compat=0.21.1'], 'Prune mode is incompatible with -blockfilterindex.'],
    [['-prune=1', '-reindex-chainstate'], 'Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.'],
  ] as const) {
    t.throws(() => by(...argv), { message });
  }
});

t.test('passes policy and limits to the mempool, by -compat and options', async (t) => {
  const received = (...argv: string[]) => mempoolOptions(load(undefined, '-regtest', '-compat=0.21.1', ...argv), chainParams('regtest'));
  const policy = {
    requireStandard: true,
    minRelayFeeRate: 1_000,
    incrementalFeeRate: 1_000,
    dustFeeRate: 3_000,
    dataCarrier: true,
    dataCarrierBytes: 83,
    permitBareMultisig: true,
    bytesPerSigop: 20,
    maxVersion: 2,
    minStrippedBytes: 82,
    dataCarrierTogether: false,
    ephemeralDust: false,
    anchors: false,
    fullRbf: false,
    clusters: false,
    roundUp: false,
    packages: false,
    blameForTxs: true,
    detailed: false,
  };
  const plain = {
    policy,
    maxUsageBytes: 300_000_000,
    expirySeconds: 14 * 86_400,
    limitAncestorCount: 25,
    limitAncestorSize: 101_000,
    limitDescendantCount: 25,
    limitDescendantSize: 101_000,
    evictChunks: false,
    replaceByDiagram: false,
    limitClusterCount: Number.POSITIVE_INFINITY,
    limitClusterSize: Number.POSITIVE_INFINITY,
    limitLegacySigops: true,
  };
  t.strictSame(received(), plain);
  const rules: [string, Partial<typeof policy>][] = [
    ['-acceptnonstdtxn', { requireStandard: false }],
    ['-minrelaytxfee=0.00002', { minRelayFeeRate: 2_000 }],
    ['-incrementalrelayfee=0.000005', { incrementalFeeRate: 500 }],
    ['-incrementalrelayfee=0.00003', { incrementalFeeRate: 3_000, minRelayFeeRate: 3_000 }],
    ['-dustrelayfee=0.00005', { dustFeeRate: 5_000 }],
    ['-datacarrier=0', { dataCarrier: false }],
    ['-datacarriersize=40', { dataCarrierBytes: 40 }],
    ['-permitbaremultisig=0', { permitBareMultisig: false }],
    ['-bytespersigop=50', { bytesPerSigop: 50 }],
  ];
  for (const [option, change] of rules) {
    const limitLegacySigops = change.requireStandard ?? true;
    t.strictSame(received(option), { ...plain, policy: { ...policy, ...change }, limitLegacySigops }, option);
  }
  const limits: [string, Partial<typeof plain>][] = [
    ['-maxmempool=50', { maxUsageBytes: 50_000_000 }],
    ['-mempoolexpiry=2', { expirySeconds: 7_200 }],
    ['-limitancestorcount=3', { limitAncestorCount: 3 }],
    ['-limitancestorsize=7', { limitAncestorSize: 7_000 }],
    ['-limitdescendantcount=4', { limitDescendantCount: 4 }],
    ['-limitdescendantsize=8', { limitDescendantSize: 8_000 }],
    ['-templatemode=live', { evictChunks: true, replaceByDiagram: true }],
    ['-limitclustercount=64', { limitClusterCount: 64 }],
    ['-limitclustersize=9', { limitClusterSize: 9_000 }],
  ];
  for (const [option, change] of limits) t.strictSame(received(option), { ...plain, ...change }, option);
  const modern = mempoolOptions(load(undefined, '-regtest', '-compat=31'), chainParams('regtest'));
  t.match(modern, {
    limitClusterCount: 64,
    limitClusterSize: 101_000,
    limitAncestorCount: Number.POSITIVE_INFINITY,
    replaceByDiagram: true,
  });
  t.match(modern.policy, {
    minRelayFeeRate: 100,
    incrementalFeeRate: 100,
    dataCarrierBytes: 100_000,
    maxVersion: 3,
    fullRbf: true,
  });
  t.match(load(undefined, '-regtest', '-compat=31').templates, { maxWeight: 4_000_000, reservedWeight: 8000, minFeeRate: 1 });
  t.throws(() => load(undefined, '-regtest', '-compat=31', '-limitclustercount=65'), {
    message: 'limitclustercount must be less than or equal to 64',
  });
  const standard = (...argv: string[]) => load(undefined, ...argv).policy.requireStandard;
  t.equal(standard('-testnet'), true, 'as since release 27');
  t.equal(standard('-testnet', '-acceptnonstdtxn=1'), false);
  t.equal(standard('-testnet', '-compat=0.21.1'), false);
  t.equal(standard('-testnet', '-compat=0.21.1', '-acceptnonstdtxn=0'), true);
  t.equal(standard('-testnet4', '-compat=0.21.1'), true);
  t.equal(standard('-compat=0.21.1'), true);
  for (const compat of ['0.21.1', '31']) {
    t.throws(() => received(`-compat=${compat}`, '-maxmempool=4'), { message: '-maxmempool must be at least 5 MB' });
    t.throws(() => received(`-compat=${compat}`, '-maxmempool=-1'), { message: '-maxmempool must be at least 5 MB' });
  }
  t.throws(() => received('-compat=0.21.1', '-maxmempool=0'), { message: '-maxmempool must be at least 5 MB' });
  t.equal(load(undefined, '-compat=31', '-nomaxmempool').mempool.maxUsageBytes, 0, 'allowed since release 28');
});

t.test('-compat sets the defaults of a version, which other options override', async (t) => {
  const seen = (...argv: string[]) => {
    const { compat, templates, net, rpc } = load(undefined, ...argv);
    return [compat.name, compat.descriptors, templates.mode, net.v2Transport, rpc.jsonRpc2];
  };
  for (const network of ['-regtest', '-signet', '-testnet', '-testnet4', '-chain=main']) {
    t.strictSame(seen(network), ['default', 'master', 'live', true, false], network);
    t.strictSame(seen(network, '-compat=default'), seen(network), `${network}, said`);
    t.strictSame(seen(network, '-compat=0.21.1'), ['0.21.1', '0.21', 'core', false, false], network);
    t.strictSame(seen(network, '-compat=31'), ['31', 'master', 'chunks', true, true], network);
  }
  const own = ['-templatemode=live', '-v2transport', '-jsonrpc2'];
  t.strictSame(seen('-compat=0.21.1', ...own), ['0.21.1', '0.21', 'live', true, true], 'options of their own count more');
  t.throws(() => seen('-compat=22'), { message: "-compat must be 0.21.1, 31 or default, not '22'." });
});

t.test('parses the command line as Core does, and rejects unknown options', async (t) => {
  t.throws(() => parseArgs(['-nosuchopt=1']), { message: 'Error parsing command line arguments: Invalid parameter -nosuchopt=1' });
  t.throws(() => parseArgs(['--bogus']), { message: 'Error parsing command line arguments: Invalid parameter --bogus' });
  t.throws(() => parseArgs(['foo']), { message: /unexpected token 'foo'/ });
  t.throws(() => parseArgs(['-includeconf=x']), { message: /-includeconf cannot be used from commandline; -includeconf="x"$/ });
  t.throws(() => parseArgs(['-includeconf=x', '-compat=0.21.1']), { message: /-includeconf=x$/ });
  t.throws(() => parseArgs(['-noincludeconf=0']), { message: /-includeconf=true$/ });
  const args = parseArgs(['-rpcuser=a', '--rpcuser=b', '-nolisten', '-server=0', '-rpcauth=x', '-rpcauth=y', '-par=2x', '-debug']);
  t.equal(args.text('rpcuser'), 'b', 'the last one counts');
  t.equal(args.bool('listen', true), false);
  t.equal(args.bool('server', true), false);
  t.same(args.list('rpcauth'), ['x', 'y']);
  t.equal(args.int('par', 0), 2, 'numbers are read as far as they go');
  t.same(args.list('debug'), ['']);
  t.equal(parseArgs(['-nolisten=0']).bool('listen', false), true, 'a double negative');
  t.equal(parseArgs(['-server=true']).bool('server', true), false, 'Core reads "true" as 0');
  t.equal(leadingInteger(' -12abc'), -12);
  t.equal(leadingInteger('abc'), 0);
});

t.test('parses bitcoin.conf with sections and negations, and rejects misplaced options', async (t) => {
  t.throws(() => parseConf('server=1\n-rpcport=2', 'f', () => {}), {
    message: 'parse error on line 2: -rpcport=2, options in configuration file must be specified without leading -',
  });
  t.throws(() => parseConf('nolisten', 'f', () => {}), {
    message: 'parse error on line 1: nolisten, if you intended to specify a negated option, use nolisten=1 instead',
  });
  t.throws(() => parseConf('rpcpassword=a#b', 'f', () => {}), { message: /using # in rpcpassword can be ambiguous/ });
  t.same(
    parseConf('a=1 # note\n[regtest]\nb = 2\n\n', 'f', () => {}),
    [
      { section: '', name: 'a', value: '1', number: 1 },
      { section: 'regtest', name: 'b', value: '2', number: 3 },
    ],
  );
  t.same(
    parseConf('test.rpcport=5', 'f', () => {}),
    [{ section: 'test', name: 'rpcport', value: '5', number: 1 }],
  );
  const config = load('regtest=1\nrpcuser=first\nrpcuser=second\nblockmintxfee=0.00005\n[regtest]\nrpcport=1234\n');
  t.equal(config.chain, 'regtest', 'the file may choose the chain');
  t.equal(config.rpc.user, 'first', 'in a file the first one counts');
  t.equal(config.rpc.port, 1234);
  t.equal(config.templates.minFeeRate, 5000);
  t.equal(load('rpcuser=file', '-regtest', '-rpcuser=line').rpc.user, 'line');
  t.throws(() => load('rpcport=1', '-regtest'), {
    message: 'Config setting for -rpcport only applied on regtest network when in [regtest] section.',
  });
  t.match(load('\nnonsense=1', '-regtest').notes, ['Warning: bitcoin.conf:2 Ignoring unknown configuration value nonsense']);
  t.equal(load('rpcuser=file', '-regtest', '-noconf').rpc.user, '', 'no file is read with -noconf');
  t.match(load('rpcuser=file', '-regtest', '-noconf').notes.join('\n'), /^Config file: <disabled>$/m);
  const inFile =
    'Error reading configuration file: conf cannot be set in the configuration file; use includeconf= if you want to include additional config files';
  t.throws(() => load('conf=other.conf', '-regtest'), { message: inFile });
  t.doesNotThrow(() => load('conf=other.conf', '-regtest', '-compat=0.21.1'));
  t.throws(() => load('signet=1', '-regtest', '-announce'), { message: /Can use at most one\. npm start adds -regtest unless/ });
  t.throws(() => load('x', '-regtest'), { message: 'Error reading configuration file: parse error on line 1: x' });
});

t.test('refuses configuration files that exist and cannot be read', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'bitcoin.conf');
  const start = () => loadConfig(parseArgs([`-datadir=${dir}`, '-regtest']));
  const refuses = (what: string): void => {
    t.throws(start, { message: `Error reading configuration file: Config file "${file}" ${what}` });
    t.doesNotThrow(() => loadConfig(parseArgs([`-datadir=${dir}`, '-regtest', '-noconf'])));
    fs.rmSync(file, { recursive: true });
  };
  fs.mkdirSync(file);
  refuses('is a directory.');
  // Stands for a file without read permission, which root can read.
  fs.symlinkSync('bitcoin.conf', file);
  refuses('could not be read (ELOOP); check its permissions.');
  for (const mark of ['fffe', 'feff']) {
    fs.writeFileSync(file, Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from('regtest=1', 'utf16le')]));
    refuses('is UTF-16 text; save it as UTF-8.');
  }
  t.doesNotThrow(start, 'no file');
  fs.writeFileSync(file, 'includeconf=more.conf');
  fs.mkdirSync(path.join(dir, 'more.conf'));
  t.throws(start, { message: `Error reading configuration file: Included config file "${path.join(dir, 'more.conf')}" is a directory.` });
});

t.test('refuses streams of shares without miners', async (t) => {
  const fleet = ['-regtest', '-fleet=nats://127.0.0.1', '-fleetshares'];
  t.throws(() => load(undefined, ...fleet), { message: '-fleetshares needs -stratum' });
  t.equal(load(undefined, ...fleet, '-stratum').fleet?.shares, true);
  t.throws(() => load(undefined, '-regtest', '-zmqpubshare=tcp://127.0.0.1:1'), { message: '-zmqpubshare needs -stratum' });
});

t.test('adit-front refuses options outside their section as aditd does', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'front.conf');
  const start = (conf: string) => {
    fs.writeFileSync(file, conf);
    const nodes = [`-fleetnode=a:${'00'.repeat(32)}`, '-fleet=nats://127.0.0.1', '-rpcuser=u', '-rpcpassword=p'];
    return loadFrontConfig(parseFrontArgs(['-regtest', `-conf=${file}`, ...nodes]));
  };
  t.throws(() => start('rpcport=1234'), {
    message: 'Config setting for -rpcport only applied on regtest network when in [regtest] section.',
  });
  const config = start('dbcache=100\nnolisten=1\nrpcprot=1\n[regtest]\nrpcport=1234');
  t.equal(config.rpc.port, 1234);
  t.same(
    config.notes.filter((note) => note.includes('unknown')),
    ['dbcache', 'nolisten']
      .map((name, i) => `${file}:${i + 1} Ignoring unknown configuration value ${name}`)
      .concat(`Warning: ${file}:3 Ignoring unknown configuration value rpcprot`),
    'only what no command knows is a warning',
  );
});

t.test("rejects invalid values with Core's messages", async (t) => {
  t.throws(() => load(undefined, '-regtest', '-testnet'), {
    message: 'Invalid combination of -regtest, -signet, -testnet and -chain. Can use at most one.',
  });
  t.throws(() => load(undefined, '-chain=moon'), { message: /Unknown chain moon/ });
  t.throws(() => load(undefined, '-blockmintxfee=x'), { message: "Invalid amount for -blockmintxfee=<amount>: 'x'" });
  t.throws(() => load(undefined, '-rpcport=99999'), { message: /-rpcport/ });
  t.throws(() => loadConfig(parseArgs(['-datadir=/nonexistent/folder'])), {
    message: 'Specified data directory "/nonexistent/folder" does not exist.',
  });
  t.throws(() => load(undefined, '-regtest', '-vbparams=testdummy:0'), { message: /Version bits parameters malformed/ });
  t.throws(() => load(undefined, '-regtest', '-vbparams=testdumy:0:1'), { message: 'Invalid deployment (testdumy)' });
  const taproot = ['-regtest', '-vbparams=taproot:0:1'];
  t.equal(load(undefined, ...taproot).vbparams.length, 1);
  t.throws(
    () => load(undefined, ...taproot, '-compat=31'),
    { message: 'Invalid deployment (taproot)' },
    'no deployment of its own any more',
  );
  const versions = ['536870912', '4294967297', '2147483648', '99999999999999999999', '-99999999999999999999'];
  t.same(
    versions.map((text) => load(undefined, '-regtest', `-blockversion=${text}`).templates.blockVersion),
    [536_870_912, 1, -(2 ** 31), -1, 0],
    'cut to 32 bits as by Core',
  );
  t.equal(
    load(undefined, '-regtest', '-incrementalrelayfee=0.00003').policy.minRelayFeeRate,
    3000,
    'raising the increment lifts the minimum',
  );
  for (const [version, most] of [
    ['default', 4_000_000],
    ['0.21.1', 3_996_000],
  ] as const) {
    const heavy = load(undefined, '-regtest', `-compat=${version}`, '-blockmaxweight=99999999');
    t.equal(heavy.templates.maxWeight, most);
    t.ok(heavy.notes.includes(`Warning: -blockmaxweight=99999999 is out of range; templates are built with ${most} (4000 to ${most})`));
  }
});

t.test('enforces the bounds of -blockmaxweight and -blockreservedweight', async (t) => {
  const weights = (...argv: string[]) => {
    const { maxWeight, reservedWeight } = load(undefined, '-regtest', ...argv).templates;
    return [maxWeight, reservedWeight];
  };
  const refused = (message: string, ...argv: string[]) => t.throws(() => weights(...argv), { message });
  t.strictSame(weights('-compat=31'), [4_000_000, 8_000]);
  t.strictSame(weights('-compat=31', '-blockmaxweight=2001', '-blockreservedweight=2000'), [2_001, 2_000], 'no other bound below');
  t.strictSame(weights('-blockmaxweight=2001', '-blockreservedweight=2000'), [4_000, 2_000]);
  t.strictSame(weights('-compat=31', '-blockreservedweight=4000000'), [4_000_000, 4_000_000]);
  for (const version of ['31', 'default']) {
    const compat = `-compat=${version}`;
    refused('-blockreservedweight (1999) is lower than minimum safety value of (2000)', compat, '-blockreservedweight=1999');
    refused('-blockreservedweight (4000001) exceeds consensus maximum block weight (4000000)', compat, '-blockreservedweight=4000001');
    refused('-blockreservedweight (8000) exceeds -blockmaxweight (7999)', compat, '-blockmaxweight=7999');
  }
  refused('-blockmaxweight (4000001) exceeds consensus maximum block weight (4000000)', '-compat=31', '-blockmaxweight=4000001');
});

t.test('logs each warning of the options once', async (t) => {
  const { notes } = load(undefined, '-privatebroadcast', '-onion=127.0.0.1:9050', '-proxyrandomize=0');
  t.equal(notes.filter((note) => /^Warning: Private broadcast .* -proxyrandomize is disabled/.test(note)).length, 1);
});

t.test("reads -limitclustercount and -limitclustersize, and rejects values above Core's", async (t) => {
  const limits = (...argv: string[]) => {
    const { limitClusterCount, limitClusterSize } = load(undefined, '-regtest', ...argv).mempool;
    return [limitClusterCount, limitClusterSize];
  };
  t.strictSame(limits(), [64, 101_000]);
  t.strictSame(limits('-limitclustercount=63', '-limitclustersize=100'), [63, 100_000]);
  t.strictSame(limits('-limitclustercount=0', '-limitclustersize=0'), [0, 0], 'nothing is taken then, as in Core');
  t.throws(() => limits('-limitclustercount=-1'), { message: 'limitclustercount must be less than or equal to 64' });
  t.strictSame(limits('-compat=0.21.1'), [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], 'off unless they are given');
  t.strictSame(limits('-compat=0.21.1', '-limitclustercount=64', '-limitclustersize=101'), [64, 101_000]);
});

t.test('sets activation heights on regtest by -compat and -testactivationheight', async (t) => {
  const heights = (...argv: string[]) => load(undefined, ...argv).activationHeights;
  t.strictSame(heights('-regtest'), {});
  t.strictSame(heights('-regtest', '-compat=31'), { bip34: 1, dersig: 1, cltv: 1, csv: 1 }, 'as since release 24');
  t.strictSame(heights('-regtest', '-segwitheight=-1'), { segwit: -1 });
  const asked = ['-testactivationheight=segwit@20', '-testactivationheight=cltv@0'];
  t.strictSame(heights('-regtest', '-compat=31', ...asked), { bip34: 1, dersig: 1, cltv: 0, csv: 1, segwit: 20 });
  t.strictSame(heights('-signet', ...asked), {});
  for (const [text, what] of [
    ['cltv', 'format'],
    ['cltv@', 'height value'],
    ['cltv@-1', 'height value'],
    ['cltv@2147483647', 'height value'],
    ['bip65@7', 'name'],
  ]) {
    t.throws(() => heights('-regtest', `-testactivationheight=${text}`), {
      message: `Invalid ${what} (${text}) for -testactivationheight=name@height.`,
    });
  }
});

t.test('warns of options that lost their effect or are unknown', async (t) => {
  const warnings = (...argv: string[]) => load(undefined, ...argv).notes.filter((line) => line.startsWith('Warning: '));
  const gone = "Warning: Option '-checkpoints' is set but checkpoints were removed. This option has no effect.";
  t.same(warnings('-regtest', '-compat=31', '-checkpoints=0'), [gone]);
  t.same(warnings('-regtest', '-checkpoints=0'), []);
  t.same(warnings('-regtest', '-test=bip94', '-test=foo'), ['Warning: Unrecognised option "foo" provided in -test=<option>.']);
  t.equal(load(undefined, '-regtest', '-acceptstalefeeestimates').acceptStaleFees, true);
  t.throws(() => load(undefined, '-acceptstalefeeestimates'), { message: 'acceptstalefeeestimates is not supported on main chain.' });
  t.throws(() => load(undefined, '-signet', '-test=bip94'), { message: '-test=<option> can only be used with regtest' });
});

t.test('rejects or ignores options of other networks than the chosen one', async (t) => {
  for (const [name, value] of [
    ['testactivationheight', 'csv@1'],
    ['vbparams', 'testdummy:0:1'],
  ] as const) {
    t.throws(() => load(undefined, `-${name}=${value}`), { message: `The -${name} option may not be used on mainnet.` });
    for (const argv of [['-compat=0.21.1'], ['-signet']]) {
      const { notes } = load(undefined, `-${name}=${value}`, ...argv);
      t.equal(notes.filter((line) => line === `-${name} is for regtest only and was ignored`).length, 1, argv.join());
    }
  }
  const twice = ['-signetchallenge=51', '-signetchallenge=52'];
  t.throws(() => load(undefined, '-signet', ...twice), { message: '-signetchallenge cannot be multiple values.' });
  t.doesNotThrow(() => load(undefined, '-regtest', ...twice));
});

t.test('helpText fills in all defaults and fits a terminal', async (t) => {
  t.match(helpText(), /-blockmaxweight=<n>/);
  const words = helpText().replace(/\s+/g, ' ');
  t.notMatch(words, /[{}]/, 'every default is filled in');
  t.match(
    words,
    /-maxmempool=<n> Keep the mempool below this many megabytes \(default: 300, with -blocksonly 5\)/,
    "in the operator's unit",
  );
  t.match(words, /-dustrelayfee=<amt> .* BTC\/kvB \(default: 0\.00003\)/);
  t.match(words, /-limitclustersize=<n> .* \(default: 101; with -compat=0\.21\.1 0, no limit\)/);
  t.match(words, /-v2transport Encrypt connections .* default: 1, with -compat=0\.21\.1 0\)/);
  t.ok(
    helpText()
      .split('\n')
      .every((line) => line.length <= 80),
    'fits a terminal',
  );
  const manifest = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, '../../../../package.json'), 'utf8')) as {
    version: string;
  };
  t.equal(version, manifest.version);
  t.ok(new Args().knows('datadir'));
});

t.test('adit-cli converts arguments to JSON as the method declares them', async (t) => {
  const spec = METHODS.get('getblockhash');
  t.ok(Array.isArray(convertArguments(spec, ['5'], false)));
  t.equal((convertArguments(METHODS.get('getblock'), ['00ff', '1'], false) as unknown[])[0], '00ff', 'text stays text');
  t.throws(() => convertArguments(spec, ['zz'], false), { message: 'Error parsing JSON: zz' });
  const [, work] = convertArguments(METHODS.get('submitblock'), ['00', '{"workid":"7"}'], false) as JsonValue[];
  t.ok(work instanceof JsonObject && work.get('workid') === '7', 'parameters of BIP22');
  t.equal((convertArguments(METHODS.get('submitblock'), ['00', 'dummy'], false) as unknown[])[1], 'dummy', 'or any text, as in Core');
  const named = convertArguments(spec, ['height=7'], true);
  t.ok(named instanceof JsonObject && named.has('height'));
  const mixed = (method: string, ...words: string[]): string => encodeJson(convertArguments(METHODS.get(method), words, true));
  t.equal(mixed('getblockhash', '7'), '{"args":[7]}', 'a word without a name is the next argument');
  t.equal(mixed('finalizepsbt', 'cHNi=', 'extract=false'), '{"extract":false,"args":["cHNi="]}', 'so is a text that contains =');
  t.equal(mixed('getnewaddress', 'my=label', 'address_type=bech32'), '{"address_type":"bech32","args":["my=label"]}');
  t.equal(mixed('getnewaddress', 'label=my=label'), '{"label":"my=label"}');
  t.equal(mixed('echojson', '["key=value"]', '42', 'arg2=[1]'), '{"arg2":[1],"args":[["key=value"],42]}', 'and JSON');
  t.equal(mixed('getblock', 'nope=1'), '{"nope":"1"}', 'a hash never contains =, so the node reports the unknown name');
  t.equal(mixed('getblockhash', 'nope=x'), '{"nope":"x"}');
  t.equal(mixed('echo', 'arg0=0', 'arg1=1', 'arg0=3'), '{"arg0":"3","arg1":"1"}', 'the last value of a name counts');
  t.equal(mixed('echo', 'args=[0]', '4'), '{"args":"[0]","args":["4"]}');
  t.equal(mixed('fundrawtransaction', '00', 'changePosition=1', 'fee_rate=2'), '{"changePosition":1,"fee_rate":2,"args":["00"]}');
  t.equal(prettyJson(parseJson(bytes('{"a":[1.50,{}],"b":[]}'))), '{\n  "a": [\n    1.50,\n    {\n    }\n  ],\n  "b": [\n  ]\n}');
});

t.test('parses -rpcauth, and rejects malformed values or, as 0.21.1, ignores them', async (t) => {
  const auth = (text: string, ...argv: string[]) => load(undefined, '-regtest', `-rpcauth=${text}`, ...argv).rpc.auth;
  for (const compat of ['-compat=default', '-compat=31']) {
    t.strictSame(auth('bob:salt$AB', compat), [{ user: 'bob', salt: 'salt', hashHex: 'ab' }]);
    for (const text of ['foo', 'a:b', 'a:b$c$d', 'a:b:c$d', ''])
      t.throws(
        () => auth(text, compat),
        { message: 'Invalid -rpcauth argument. Use user:salt$hash, as printed by adit-cli -newrpcauth=USER.' },
        text,
      );
  }
  t.strictSame(auth('foo', '-server=0'), [], 'no client is let in then');
  const old = load(undefined, '-regtest', '-compat=0.21.1', '-rpcauth=foo', '-rpcauth=a:b:c', '-rpcauth=a:b:c$d');
  t.strictSame(old.rpc.auth, [{ user: 'a', salt: 'b', hashHex: 'c' }]);
  t.equal(old.notes.filter((line) => line.startsWith('Ignoring a malformed -rpcauth.')).length, 2);
});

t.test('-blocksonly lowers the default of -maxmempool to 5 MB, except with -compat=0.21.1', async (t) => {
  const bytes = (...argv: string[]) => load(undefined, '-regtest', ...argv).mempool.maxUsageBytes;
  t.equal(bytes('-blocksonly'), 5_000_000);
  t.equal(bytes('-blocksonly', '-compat=31'), 5_000_000);
  t.equal(bytes('-blocksonly', '-maxmempool=20'), 20_000_000);
  t.equal(bytes('-blocksonly', '-compat=0.21.1'), 300_000_000);
  t.equal(bytes('-blocksonly=0'), 300_000_000);
});

t.test('-asmap without a file name uses ip_asn.map, or is rejected', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const map = (...argv: string[]) => loadConfig(parseArgs([`-datadir=${dir}`, ...argv])).asmapFile;
  const usual = path.join(dir, 'ip_asn.map');
  const refused = /^Embedded asmap data not available/;
  for (const text of ['-asmap', '-asmap=1']) {
    t.throws(() => map(text), { message: refused });
    t.throws(() => map(text, '-compat=31'), { message: refused });
  }
  t.equal(map('-asmap', '-compat=0.21.1'), usual, 'whether it is there shows later');
  t.equal(map('-asmap=x.map'), path.join(dir, 'x.map'));
  fs.writeFileSync(usual, '');
  t.same([map('-asmap'), map('-asmap=1'), map('-asmap=1', '-compat=0.21.1')], [usual, usual, path.join(dir, '1')]);
  t.throws(() => map('-asmap', '-compat=31'), { message: refused });
  t.equal(map('-noasmap'), undefined);
});

t.test('refuses an ignored bitcoin.conf unless -allowignoredconf is set', async (t) => {
  const [dir, other] = [0, 1].map(() => fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'))) as [string, string];
  t.teardown(() => [dir, other].map((folder) => fs.rmSync(folder, { recursive: true, force: true })));
  const conf = path.join(other, 'my.conf');
  fs.writeFileSync(conf, 'server=0\n');
  const start = (...argv: string[]) => loadConfig(parseArgs([`-datadir=${dir}`, ...argv]));
  t.equal(start(`-conf=${conf}`).rpc.enabled, false);
  fs.writeFileSync(path.join(dir, 'bitcoin.conf'), '');
  const refused = `Data directory "${dir}" contains a "bitcoin.conf" file which is ignored, because a different configuration file "${conf}" from command line argument "-conf=${conf}" is being used instead.`;
  for (const compat of ['-compat=default', '-compat=31']) t.throws(() => start(`-conf=${conf}`, compat), new RegExp(refused));
  t.equal(start(`-conf=${conf}`, '-compat=0.21.1').rpc.enabled, false);
  t.equal(start(`-conf=${conf}`, '-allowignoredconf').notes.filter((line) => line.includes(refused)).length, 1);
  t.doesNotThrow(() => start('-conf=bitcoin.conf'));
  fs.symlinkSync(path.join(dir, 'bitcoin.conf'), path.join(other, 'link.conf'));
  t.doesNotThrow(() => start(`-conf=${path.join(other, 'link.conf')}`), 'the same file by another path');
});

t.test('warns of unknown values of -deprecatedrpc', async (t) => {
  const warned = (...argv: string[]) => load(undefined, ...argv).notes.filter((line) => line.startsWith('Warning: -deprecatedrpc='));
  t.same(warned('-deprecatedrpc=warnings', '-deprecatedrpc=bumpfee'), []);
  t.match(warned('-deprecatedrpc=fees', '-deprecatedrpc=warnings'), [/^Warning: -deprecatedrpc=fees has no effect\. adit knows /]);
});

t.test('parses -rpcallowip subnets, and rejects invalid ones', async (t) => {
  const allowed = (text: string) => httpOptions(load(undefined, '-regtest', `-rpcallowip=${text}`), 1, 'a:b', () => {}).allow;
  t.same(allowed('[::1]'), [{ address: '::1', prefix: 128 }]);
  t.same(allowed('fe80::/10'), [{ address: 'fe80::', prefix: 10 }]);
  t.same(allowed('1.2.3.0/255.255.255.0'), [{ address: '1.2.3.0', prefix: 24 }]);
  for (const text of ['[1.2.3.4]', '[::1', '1.2.3.4/33', 'host']) t.throws(() => allowed(text), /Invalid -rpcallowip subnet specification/);
});

t.test('refuses names of wallets in settings.json that are no texts', async (t) => {
  const dir = t.testdir({ regtest: {} });
  const start = (wallet: unknown, ...argv: string[]): unknown => {
    fs.writeFileSync(path.join(dir, 'regtest', 'settings.json'), JSON.stringify({ wallet }));
    return loadConfig(parseArgs([`-datadir=${dir}`, '-regtest', ...argv]));
  };
  for (const wallet of [[10], [true], [[]], [{}], ['w1', 10], ['w1', false], 10, true])
    t.throws(() => start(wallet), { message: /^Invalid value detected for '-wallet' or '-nowallet'/ }, JSON.stringify(wallet));
  for (const wallet of [[], ['w1', 'w2'], 'w1', false]) t.doesNotThrow(() => start(wallet), JSON.stringify(wallet));
  t.doesNotThrow(() => start([10], '-disablewallet'));
});

t.test('reads a negated amount as 0', async (t) => {
  t.equal(mempoolOptions(load(undefined, '-regtest', '-nominrelaytxfee'), chainParams('regtest')).policy.minRelayFeeRate, 0);
});
