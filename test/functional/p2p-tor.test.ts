// Tests an onion service of the node, made by the real tor program through its control port. Tor has no network here
// but accepts the service. The test plays a peer of the service with a connection to the node's listener for Tor.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Daemon } from '../framework/daemon.js';
import { P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

interface NetworkInfo {
  readonly networks: readonly { readonly name: string; readonly reachable: boolean; readonly proxy: string }[];
  readonly localaddresses: readonly { readonly address: string; readonly port: number; readonly score: number }[];
}

const skip = spawnSync('tor', ['--version']).status === 0 ? false : 'needs the tor program';

/** A tor process without a network. */
class Tor {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-tor-'));
  readonly control: number;
  readonly socks: number;
  #child: ChildProcess | undefined;

  private constructor(control: number, socks: number) {
    this.control = control;
    this.socks = socks;
  }

  static async begin(t: Test): Promise<Tor> {
    const tor = new Tor(await freePort(), await freePort());
    t.teardown(() => tor.end());
    await tor.start();
    return tor;
  }

  async start(): Promise<void> {
    const file = path.join(this.folder, 'torrc');
    const lines = [
      `DataDirectory ${path.join(this.folder, 'data')}`,
      `ControlPort 127.0.0.1:${this.control}`,
      `SocksPort 127.0.0.1:${this.socks}`,
      'CookieAuthentication 1',
      // Prevents connections to the internet: the only bridge is a closed port.
      'UseBridges 1',
      'Bridge 127.0.0.1:1',
    ];
    fs.writeFileSync(file, `${lines.join('\n')}\n`);
    let said = '';
    const child = spawn('tor', ['-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (bytes) => {
      said += bytes;
    });
    this.#child = child;
    await until('tor to listen', () => {
      if (child.exitCode !== null) throw new Error(`tor ended: ${said.slice(-1500)}`);
      return said.includes('Opened Control listener');
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async end(): Promise<void> {
    await this.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

t.test('creates an onion service when Tor runs, and keeps its address', { skip }, async (t) => {
  const tor = await Tor.begin(t);
  const [port, onionPort] = [await freePort(), await freePort()];
  const options = [
    `-bind=127.0.0.1:${port}`,
    `-bind=127.0.0.1:${onionPort}=onion`,
    `-torcontrol=127.0.0.1:${tor.control}`,
    '-listenonion',
    '-connect=0',
    '-debug=tor',
  ];
  const node = await Daemon.startFor(t, ...options);
  const info = () => node.call('getnetworkinfo') as Promise<NetworkInfo>;
  const service = async () => (await info()).localaddresses.find(({ address }) => address.endsWith('.onion'));
  await until('the service', async () => (await service()) !== undefined);
  const first = await service();
  t.equal(fs.statSync(path.join(node.networkDir, 'onion_v3_private_key')).mode & 0o777, 0o600);
  t.match(first, { address: /^[a-z2-7]{56}\.onion$/, port: 18_444, score: 4 });
  const onion = (await info()).networks.find(({ name }) => name === 'onion');
  t.match(onion, { reachable: true, proxy: `127.0.0.1:${tor.socks}` });
  t.equal((await info()).networks.find(({ name }) => name === 'ipv4')?.proxy, '', 'others are called as before');

  // A peer at the service's listener is shown as of the onion network, a peer at the other listener is not.
  const peers = [await P2pClient.connect(onionPort), await P2pClient.connect(port)];
  await until('peers', async () => ((await node.call('getpeerinfo')) as unknown[]).length === 2);
  const shown = (await node.call('getpeerinfo')) as { network: string; addrbind: string }[];
  t.same(
    new Map(shown.map(({ addrbind, network }) => [addrbind, network])),
    new Map([
      [`127.0.0.1:${onionPort}`, 'onion'],
      [`127.0.0.1:${port}`, 'not_publicly_routable'],
    ]),
  );
  for (const peer of peers) peer.close();

  await tor.stop();
  await until('the end of the service', async () => (await service()) === undefined);
  await tor.start();
  await until('the service again', async () => (await service()) !== undefined);
  t.same(await service(), first, 'its key was kept');
});
