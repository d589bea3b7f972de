// Options about peers, in Core's words: where they come from and go to, what they may do, proxies and networks.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { loadConfig, parseArgs } from '../../../src/config/load.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { networkParams } from '../../../src/node/network-params.js';

function load(conf: string | undefined, ...argv: string[]): ReturnType<typeof loadConfig> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-config-'));
  try {
    if (conf !== undefined) fs.writeFileSync(path.join(dir, 'bitcoin.conf'), conf);
    return loadConfig(parseArgs([`-datadir=${dir}`, ...argv]));
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

t.test('-whitelist grants named permissions, or the default ones when none are named', async (t) => {
  const granted = (...argv: string[]): string[] => {
    const permissions = load(undefined, '-regtest', ...argv).net.whitelist?.[0]?.permissions;
    return Object.entries(permissions ?? {}).flatMap(([name, is]) => (is ? [name] : []));
  };
  const plain = '-whitelist=127.0.0.1';
  t.same(granted(plain).sort(), ['download', 'implicit', 'mempool', 'noban', 'relay']);
  t.same(granted(plain, '-whitelistrelay=0').sort(), ['download', 'implicit', 'mempool', 'noban']);
  t.same(granted(plain, '-blocksonly').sort(), ['download', 'implicit', 'mempool', 'noban']);
  t.same(granted(plain, '-whitelistforcerelay').sort(), ['download', 'forcerelay', 'implicit', 'mempool', 'noban', 'relay']);
  t.same(granted('-whitelist=@127.0.0.1', '-whitelistforcerelay'), [], 'named, though none');
  t.same(granted('-whitelist=noban,mempool@127.0.0.1', '-whitelistrelay').sort(), ['download', 'mempool', 'noban']);
  t.equal(granted('-whitelist=all@127.0.0.1').includes('implicit'), false);
  t.throws(() => granted('-whitelist=implicit@127.0.0.1'), /Invalid P2P permission/);
});

t.test('sets permissions for outbound peers', async (t) => {
  const ways = (text: string) => load(undefined, '-regtest', `-whitelist=${text}`).net.whitelist?.[0]?.ways;
  t.same(ways('127.0.0.1'), ['in']);
  t.same(ways('noban@127.0.0.1'), ['in']);
  t.same(ways('noban,out@127.0.0.1'), ['out']);
  t.same(ways('out,in,all@127.0.0.1'), ['in', 'out']);
  t.throws(() => ways('out@127.0.0.1'), { message: "Only direction was set, no permissions: 'out@127.0.0.1'" });
  t.throws(() => load(undefined, '-regtest', '-whitebind=out@127.0.0.1:5'), /Invalid P2P permission: 'out'/);
});

t.test('sets DNS seeds, bind addresses, Tor control, and seed names by the options', async (t) => {
  const net = (...argv: string[]) => load(undefined, ...argv).net;
  t.equal(net('-proxy=127.0.0.1').dnsSeed, true, 'names are asked through the proxy');
  t.equal(net('-proxy=127.0.0.1').listen, false);
  t.equal(net('-proxy=127.0.0.1', '-dnsseed=0').dnsSeed, false);
  t.equal(net('-connect=1.2.3.4').dnsSeed, false);
  t.equal(net('-connect=1.2.3.4', '-dnsseed').dnsSeed, true);
  t.same([net('-maxconnections=0').dnsSeed, net('-maxconnections=0').listen], [false, false]);
  t.throws(() => net('-port=0'), { message: "Invalid port specified in -port: '0'" });
  t.equal(net('-port=0', '-compat=0.21.1').port, 8333, '0.21.1 takes it for its default');
  const where = (...argv: string[]) => (net(...argv).binds ?? []).map(({ host, port, onion, required }) => [host, port, onion, required]);
  t.same(where('-port=77'), [
    ['0.0.0.0', 77, false, true],
    ['::', 77, false, false],
    ['127.0.0.1', 78, true, false],
  ]);
  t.same(where('-compat=0.21.1', '-port=77')[0], ['0.0.0.0', 77, false, false], 'there IPv6 alone is enough');
  t.same(where('-port=77', '-bind=127.0.0.1', '-bind=127.0.0.1=onion'), [
    ['127.0.0.1', 77, false, true],
    ['127.0.0.1', 78, true, true],
  ]);
  t.throws(() => net('-bind=127.0.0.1:5', '-whitebind=127.0.0.1:5'), /Duplicate binding configuration for address 127.0.0.1:5/);
  t.equal(net('-listen=0').torControl, null);
  t.throws(() => net('-listen=0', '-listenonion'), { message: 'Cannot set -listen=0 together with -listenonion=1' });
  t.same(net('-torcontrol=[::1]', '-torpassword=x').torControl, { host: '::1', port: 9051, password: 'x' });
  const own = net('-externalip=8.8.8.8', '-externalip=node.example:9', '-port=77');
  t.match(own.externalAddresses, [{ network: 'ipv4', port: 77 }]);
  t.same(own.externalNames, [{ text: 'node.example:9', host: 'node.example', port: 9 }]);
  t.throws(() => net('-externalip=not a host'), { message: "Cannot resolve -externalip address: 'not a host'" });
  const seeds = (...argv: string[]) => networkParams(load(undefined, '-signet', ...argv), createPureHashes() as never).dnsSeeds;
  t.same(seeds('-signetseednode=a.example', '-signetseednode=b.example'), ['a.example', 'b.example']);
  t.same(seeds('-signetseednode=a.example', '-signetchallenge=51'), ['a.example']);
  t.same(seeds('-signetchallenge=51'), []);
  t.ok(seeds().length > 0);
  t.throws(() => seeds('-signetchallenge=xy'), { message: "-signetchallenge must be hex, not 'xy'." });
  t.same(networkParams(load(undefined, '-regtest', '-signetchallenge=xy'), createPureHashes() as never).dnsSeeds, [], 'ignored on regtest');
});

t.test('does not query DNS seeds when no clear network may be used', async (t) => {
  const net = (...argv: string[]) => load(undefined, '-regtest', ...argv).net;
  const message = 'Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6';
  t.throws(() => net('-onlynet=onion', '-dnsseed=1'), { message });
  t.equal(net('-onlynet=onion', '-dnsseed=0').dnsSeed, false);
  t.equal(net('-onlynet=onion', '-onlynet=IPv6', '-dnsseed=1').dnsSeed, true);
});

t.test('reads the units of -maxuploadtarget', async (t) => {
  const target = (text: string, compat = 'default') =>
    load(undefined, '-regtest', `-compat=${compat}`, `-maxuploadtarget=${text}`).net.maxUploadBytes;
  for (const compat of ['default', '31']) {
    for (const [text, bytes] of [
      ['5', 5 * 1024 ** 2],
      ['500M', 500 * 1024 ** 2],
      ['1k', 1e3],
      ['1K', 1024],
      ['2m', 2e6],
      ['1g', 1e9],
      ['1G', 1024 ** 3],
      ['3t', 3e12],
      ['1T', 1024 ** 4],
      ['0', 0],
    ] as const) {
      t.equal(target(text, compat), bytes, text);
    }
    for (const text of ['2GB', 'foo', '', '-1', '1.5G', ' 1', 'M', '18446744073709551616', '16777216T'])
      t.throws(() => target(text, compat), { message: `Unable to parse -maxuploadtarget: '${text}'` });
  }
  t.equal(load(undefined, '-nomaxuploadtarget').net.maxUploadBytes, 0);
  t.equal(target('1G', '0.21.1'), 1024 ** 2, '0.21.1 reads a number as far as it goes');
});

t.test('offers filters to peers only with -blockfilterindex', async (t) => {
  const services = (...argv: string[]) => load(undefined, '-regtest', '-compat=0.21.1', '-peerblockfilters', ...argv).net.services;
  const refused = { message: 'Cannot set -peerblockfilters without -blockfilterindex.' };
  t.equal(services('-blockfilterindex'), 1n | 8n | 64n | 1024n);
  t.equal(services('-blockfilterindex=basic'), 1n | 8n | 64n | 1024n);
  for (const argv of [[], ['-blockfilterindex=0'], ['-noblockfilterindex']]) t.throws(() => services(...argv), refused);
});

t.test('offers services by options and activation heights', async (t) => {
  const services = (...argv: string[]) => load(undefined, '-regtest', '-compat=0.21.1', ...argv).net.services;
  t.equal(services(), 1n | 8n | 1024n);
  t.equal(services('-peerbloomfilters'), 1n | 4n | 8n | 1024n);
  t.equal(services('-segwitheight=-1'), 1n | 1024n, 'no witnesses on a test chain without segwit');
  t.equal(services('-segwitheight=200'), 1n | 8n | 1024n);
});

t.test('ignores an empty -addnode, and logs it', async (t) => {
  const { net, notes } = load(undefined, '-regtest', '-addnode=', '-addnode=127.0.0.1');
  t.same(net.addNodes, ['127.0.0.1']);
  t.equal(notes.filter((line) => line === 'Ignoring empty -addnode value').length, 1);
});

t.test('-proxy and -onion set proxies per network, and the last one wins', async (t) => {
  const net = (...argv: string[]) => {
    const config = load(undefined, '-regtest', ...argv).net;
    return { ...config, proxies: config.proxies ?? {} };
  };
  const place = { host: '::1', port: 9050 };
  const all = { ipv4: place, ipv6: place, onion: place, cjdns: place, names: place };
  t.strictSame(net('-noproxy').proxies, {});
  t.strictSame(net('-proxy=[::1]:9050').proxies, all);
  t.equal(net('-proxy=127.0.0.1').onionReachable, true);
  for (const version of ['default', '31']) {
    const compat = `-compat=${version}`;
    const { proxies, onionReachable } = net(compat, '-proxy=[::1]:9050', '-noonion');
    t.strictSame([proxies.onion, proxies.ipv4, onionReachable], [undefined, place, false]);
    t.strictSame(net(compat, '-proxy=[::1]=onion').proxies, { onion: place });
    t.strictSame(net(compat, '-proxy=[::1]=IPv4').proxies, { ipv4: place, names: place });
    t.strictSame(net(compat, '-proxy=[::1]=ipv6', '-proxy=unix:/tor=cjdns').proxies, {
      ipv6: place,
      names: place,
      cjdns: { path: '/tor' },
    });
    t.strictSame(net(compat, '-proxy=unix:/tor.sock').proxies.names, { path: '/tor.sock' });
    t.strictSame(net(compat, '-onion=unix:/tor.sock').onionProxy, { path: '/tor.sock' });
    t.strictSame(net(compat, '-proxy=1.1.1.1', '-proxy=[::1]').proxies, all, 'the last one counts');
    t.strictSame(net(compat, '-proxy=[::1]', '-proxy=0=onion').proxies, { ipv4: place, ipv6: place, cjdns: place, names: place });
    for (const none of ['-proxy=', '-proxy=0', '-noproxy']) {
      const config = load('proxy=1.2.3.4:9050', '-regtest', compat, none);
      t.strictSame([config.net.proxies, config.net.listen], [{}, true], `${none} on the command line undoes the file`);
    }
    t.equal(net(compat, '-proxy=[::1]=onion').listen, false, 'a proxy for one network means not to listen too');
    for (const [text, message] of [
      ['-proxy=[::1]=tor', "Unrecognized network in -proxy='[::1]=tor': 'tor'"],
      ['-proxy=0=tor', "Unrecognized network in -proxy='0=tor': 'tor'"],
      ['-proxy=[::1]=', "Invalid -proxy address or hostname, ends with '=': '[::1]='"],
      ['-proxy=127.0.0.1:port=onion', "Invalid port specified in -proxy: '127.0.0.1:port=onion'"],
      ['-torcontrol=127.0.0.1:99999', "Invalid port specified in -torcontrol: '127.0.0.1:99999'"],
      ['-proxy', 'Error parsing command line arguments: Can not set -proxy with no value. Please specify value with -proxy=value.'],
    ] as const) {
      t.throws(() => net(compat, text), { message });
    }
  }
  const old = (...argv: string[]) => net('-compat=0.21.1', ...argv);
  t.strictSame(old('-proxy=[::1]').proxies, all);
  t.strictSame(old('-proxy=[::1]', '-noonion').proxies, all);
  for (const text of ['-proxy', '-proxy='])
    t.throws(() => old(text), { message: 'No proxy server specified. Use -proxy=<ip> or -proxy=<ip:port>.' });
});

t.test('refuses a network of -onlynet that no option makes reachable', async (t) => {
  const net = (...argv: string[]) => load(undefined, '-regtest', ...argv).net;
  const tor = 'Outbound connections restricted to Tor (-onlynet=onion) but the proxy for reaching the Tor network is';
  for (const version of ['default', '31']) {
    const to = (...argv: string[]) => net(`-compat=${version}`, ...argv).onlyNets;
    const none = { message: `${tor} not provided: none of -proxy, -onion or -listenonion is given` };
    t.throws(() => to('-onlynet=onion', '-listen=0'), none);
    t.throws(() => to('-onlynet=Onion', '-onlynet=ipv4', '-listenonion=0'), none);
    t.throws(() => to('-onlynet=onion', '-proxy=127.0.0.1=ipv4'), none);
    t.throws(() => to('-onlynet=onion', '-noonion', '-proxy=127.0.0.1'), { message: `${tor} explicitly forbidden: -onion=0` });
    for (const way of ['-proxy=127.0.0.1', '-proxy=127.0.0.1=onion', '-onion=127.0.0.1'])
      t.strictSame(to('-onlynet=onion', '-listen=0', way), ['onion']);
    t.strictSame(to('-onlynet=onion'), ['onion'], 'Tor may tell of its proxy');
    const cjdns = 'Outbound connections restricted to CJDNS (-onlynet=cjdns) but -cjdnsreachable is not provided';
    t.throws(() => to('-onlynet=cjdns'), { message: cjdns });
    t.throws(() => to('-onlynet=moon'), { message: "Unknown network specified in -onlynet: 'moon'" });
  }
  t.strictSame(net('-compat=0.21.1', '-onlynet=onion', '-listen=0').onlyNets, ['onion']);
});

t.test('reads -i2psam, and rejects -onlynet=i2p and -privatebroadcast without a reachable network', async (t) => {
  const net = (...argv: string[]) => load(undefined, '-regtest', ...argv).net;
  const sam = (text: string) => net(`-i2psam=${text}`).i2pSam;
  t.same(
    [sam('127.0.0.1'), sam('[::1]:77'), sam('i2p.lan:7'), sam('')],
    [{ host: '127.0.0.1', port: 7656 }, { host: '::1', port: 77 }, { host: 'i2p.lan', port: 7 }, null],
  );
  t.throws(() => sam('def..def:23456'), { message: "Invalid -i2psam address or hostname: 'def..def:23456'" });
  t.throws(() => sam('0'), { message: "Invalid -i2psam address or hostname: '0'" });
  t.throws(() => sam('192.0.0.1:def'), { message: "Invalid port specified in -i2psam: '192.0.0.1:def'" });
  const accepts = (...argv: string[]) => net('-i2psam=127.0.0.1', ...argv).i2pAccept;
  t.same(
    [accepts(), accepts('-noi2pacceptincoming'), accepts('-listen=0'), accepts('-listen=0', '-i2pacceptincoming')],
    [true, false, false, true],
  );
  const message = 'Outbound connections restricted to i2p (-onlynet=i2p) but -i2psam is not provided';
  t.throws(() => net('-onlynet=i2p'), { message });
  t.same(net('-onlynet=i2p', '-i2psam=127.0.0.1').onlyNets, ['i2p']);
  const unreachable = 'Private broadcast of own transactions requested (-privatebroadcast), but none of Tor or I2P networks is reachable';
  t.throws(() => net('-privatebroadcast', '-i2psam=127.0.0.1', '-onlynet=ipv4'), { message: unreachable });
  t.throws(() => net('-privatebroadcast', '-listen=0'), { message: unreachable });
  t.equal(net('-privatebroadcast', '-i2psam=127.0.0.1').privateBroadcast, true);
  t.equal(net('-privatebroadcast').privateBroadcast, true, "Tor's control port may tell of a proxy");
});
