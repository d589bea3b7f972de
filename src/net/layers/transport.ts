// First layer of the network module: sockets, connections with their handshakes and pings, bans, and known addresses.
import os from 'node:os';
import { AddrManager } from '../address/addr-manager.js';
import { LocalAddresses } from '../address/local-addresses.js';
import { TorControl } from '../address/tor-control.js';
import type { NetBase, NetContext } from '../context.js';
import { Bans } from '../peer/bans.js';
import { Connections } from '../peer/connections.js';
import { BindError, Connector, type Reach } from '../peer/connector.js';
import { Handshake } from '../peer/handshake.js';
import { I2p } from '../peer/i2p.js';
import { InlineConnectionFactory } from '../peer/inline-connection-factory.js';
import { Keepalive } from '../peer/keepalive.js';
import { blame } from '../peer/misbehaviour.js';
import { Traffic } from '../peer/traffic.js';
import { UploadTarget } from '../sync/upload-target.js';
import { ThreadedConnectionFactory } from '../thread/threaded-connection-factory.js';
import { KeyExchangeQueue } from '../transport/key-exchange-queue.js';
import { addressText, type NetAddress } from '../wire/net-address.js';
import type { NetDeps } from './base.js';

export class Transport {
  /** The context of the layers above, completed by what the connections can do. */
  readonly context: NetContext;
  readonly bans: Bans;
  readonly traffic = new Traffic();
  readonly connector: Reach;
  readonly connections: Connections;
  readonly addresses: AddrManager;
  readonly local: LocalAddresses;
  readonly upload: UploadTarget;
  readonly handshake: Handshake;
  readonly keepalive: Keepalive;
  readonly #inline: InlineConnectionFactory;
  readonly #tor: TorControl | null;
  readonly #i2p: I2p | null;

  /** @param work functions that schedule the work for peers and measure its time; they become part of the context */
  constructor(base: NetBase, deps: NetDeps, work: Pick<NetContext, 'chargeTo' | 'scheduleRound'>) {
    const { options, params, clock, log, events, random, groupOf } = base;
    const { i2pSam, i2pAccept, connectTimeoutMs, maxSendBytes, maxReceiveBytes } = options;
    const { traffic } = this;
    this.bans = new Bans(
      deps.banFile,
      () => clock.nowSeconds(),
      (text) => log.warn(text),
      (text) => log.info(text),
    );
    log.info(`SetNetworkActive: ${options.active}`);
    const ellSwift = options.v2Transport ? (deps.ellSwift ?? null) : null;
    const settings = { magic: params.magic, maxSendBytes, maxReceiveBytes };
    this.#inline = new InlineConnectionFactory(settings, {
      hashes: deps.crypto,
      keys: ellSwift && new KeyExchangeQueue(ellSwift),
      nowSeconds: () => clock.realSeconds(),
      traffic,
      warn: (text) => log.warn(text),
    });
    const i2pKeyFile = i2pAccept ? (deps.i2pKeyFile ?? null) : null;
    this.#i2p = i2pSam === null ? null : new I2p({ bridge: i2pSam, keyFile: i2pKeyFile, connectTimeoutMs }, log);
    const factory = options.peerThread
      ? new ThreadedConnectionFactory(
          { ...settings, encrypts: ellSwift !== null },
          {
            traffic,
            clock: { monotonicMs: () => performance.now() },
            log,
            startedAgain: () => void events.emit('threadRestarted'),
          },
        )
      : this.#inline;
    const i2p = this.#i2p && { way: this.#i2p, factory: this.#inline };
    this.connector = deps.reach?.(this.#inline) ?? new Connector(options, base.routes, { factory, i2p }, params.p2pPort, log);
    this.local = new LocalAddresses(base);
    this.#tor = onionService(base, deps.onionKeyFile, this.local);
    this.addresses = new AddrManager(() => clock.nowSeconds(), random, groupOf);
    this.upload = new UploadTarget(options.maxUploadBytes, () => clock.nowSeconds(), params.powTargetSpacing);
    const { bans, connector, addresses, upload } = this;
    const connections = new Connections(base, { connector, bans, addresses, upload, traffic, encrypts: ellSwift !== null });
    this.connections = connections;
    this.context = Object.assign(base, {
      ...work,
      misbehaving: (peer, score, reason) => blame(peer, score, reason, { log, bans, connections, strict: !options.legacyPeers }),
      disconnect: (peer, why) => connections.disconnect(peer, why),
    } satisfies Omit<NetContext, keyof NetBase>);
    this.handshake = new Handshake(this.context, connections.all);
    this.keepalive = new Keepalive(this.context);
  }

  /** Opens the listeners and accepts peers that connect. @throws BindError */
  async listen(): Promise<void> {
    const { externalNames, listen } = this.context.options;
    for (const { text, host, port } of externalNames) {
      const [address] = await this.connector.resolve(host, port);
      if (address === undefined) throw new BindError(`Cannot resolve -externalip address: '${text}'`);
      this.local.addManual(address);
    }
    if (listen) await this.connector.listen((inbound) => this.connections.accept(inbound));
    const hosts = this.connector.listening.filter(({ onion }) => !onion).map(({ host }) => host);
    this.local.discover(() => Object.values(os.networkInterfaces()).flatMap((list) => list ?? []), hosts);
  }

  /** Opens the onion service and the I2P listener. */
  start(): void {
    this.#tor?.start();
    this.#i2p?.listen({
      inbound: ({ socket, own }, address) =>
        this.connections.accept({
          connection: this.#inline.wrapSocket(socket),
          address,
          bindText: addressText(own),
          permissions: null,
          onion: false,
        }),
      own: this.local.changing(),
    });
  }

  /** Prevents new connections. */
  stop(): void {
    this.#tor?.stop();
    this.#i2p?.stop();
    this.connections.stop();
  }

  /** Disconnects all peers and closes the listeners. */
  async close(): Promise<void> {
    this.connections.endAll();
    await this.connector.close();
  }

  /** Enables or disables the network (setnetworkactive). Disabling it disconnects all peers. */
  setActive(active: boolean): void {
    this.context.log.info(`SetNetworkActive: ${active}`);
    this.connections.setActive(active);
  }

  /** Returns whether this node does not connect to an address: the address is its own, banned or discouraged. */
  isUnwanted(address: NetAddress): boolean {
    return this.bans.isUnwanted(address) || this.local.has(address);
  }
}

/** Creates the client of Tor's control port; null without -torcontrol, key file or listening address. */
function onionService({ options, params, routes, log }: NetBase, keyFile: string | undefined, local: LocalAddresses): TorControl | null {
  const { torControl, binds } = options;
  const target = binds.find(({ onion }) => onion) ?? binds[0];
  if (torControl === null || keyFile === undefined || target === undefined) return null;
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  return new TorControl(
    {
      control: torControl,
      password: torControl.password,
      keyFile,
      servicePort: params.p2pPort,
      target: `${host}:${target.port}`,
    },
    {
      service: local.changing(),
      proxy: (proxy) => {
        if (options.onionReachable) routes.torProxy = proxy;
      },
    },
    log,
  );
}
