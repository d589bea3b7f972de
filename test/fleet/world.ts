// A fleet of real processes on one machine: nats-servers in a cluster, nodes that are each other's peers, processes of
// fronts, and a wire on every connection between two of them.
import fs from 'node:fs';
import path from 'node:path';
import { Daemon, freePort } from '../framework/daemon.js';
import { Broker, FrontProcess, followOption } from '../framework/fleet.js';
import { until } from '../framework/until.js';
import { Wire } from './wire.js';

export interface WorldSize {
  /** One or three: two cannot agree when they fall apart. */
  readonly servers: number;
  readonly nodes: number;
  readonly fronts: number;
}

/** A process with the wires that it has opened itself. */
export interface Member<Process> {
  readonly name: string;
  readonly process: Process;
  /** To each nats-server. */
  readonly wires: readonly Wire[];
}

/** Servers notice a peer that says nothing within two seconds, as nodes and fronts do. */
const CONFIGURATION = ['ping_interval: "1s"', 'ping_max: 2', 'max_payload: 1048576'];

export class World {
  readonly servers: Broker[] = [];
  readonly nodes: Member<Daemon>[] = [];
  readonly fronts: Member<FrontProcess>[] = [];
  /** Between servers, by those who opened them. */
  readonly routes: Wire[][] = [];
  /** Between nodes, as peers. */
  readonly peers: Wire[] = [];
  #options: readonly string[] = [];

  /** Starts everything and waits until each front answers. */
  static async start(size: WorldSize, nodeOptions: readonly string[] = []): Promise<World> {
    const world = new World();
    try {
      await world.#startServers(size.servers);
      await world.#startNodes(size.nodes, nodeOptions);
      for (let i = 0; i < size.fronts; i++) await world.addFront(`front${i}`);
      await Promise.all(world.fronts.map(({ process }) => process.answers()));
    } catch (error) {
      await world.end();
      throw error;
    }
    return world;
  }

  async #startServers(count: number): Promise<void> {
    const ports: number[] = [];
    for (let i = 0; i < count; i++) ports.push(await freePort());
    const started: Promise<Broker>[] = [];
    for (let i = 0; i < count; i++) {
      const wires: Wire[] = [];
      for (const [j, port] of ports.entries()) if (j !== i) wires.push(await Wire.to(port));
      this.routes.push(wires);
      const lines = [...CONFIGURATION];
      if (count > 1) {
        // Announce only addresses of the proxies, so that no connection bypasses them.
        const routes = wires.map(({ port }) => `"nats://127.0.0.1:${port}"`).join(', ');
        lines.push(`server_name: "server${i}"`);
        lines.push(`cluster { name: "fleet", listen: "127.0.0.1:${ports[i]}", advertise: "127.0.0.1:1"`);
        lines.push(`  no_advertise: true, routes: [${routes}] }`);
      }
      started.push(Broker.start(lines.join('\n')));
    }
    this.servers.push(...(await Promise.all(started)));
  }

  async #wires(): Promise<Wire[]> {
    const wires: Wire[] = [];
    for (const { port } of this.servers) wires.push(await Wire.to(port));
    return wires;
  }

  /** Returns the option with the broker's servers, in another order for each process. */
  #fleetOption(wires: readonly Wire[], first: number): string {
    const ordered = wires.map((_, i) => wires[(i + first) % wires.length] as Wire);
    return `-fleet=${ordered.map(({ port }) => `nats://127.0.0.1:${port}`).join(',')}`;
  }

  async #startNodes(count: number, more: readonly string[]): Promise<void> {
    const ports: number[] = [];
    for (let i = 0; i < count; i++) {
      const port = await freePort();
      const wires = await this.#wires();
      const connect: string[] = [];
      for (const earlier of ports) {
        const wire = await Wire.to(earlier);
        this.peers.push(wire);
        connect.push(`-connect=127.0.0.1:${wire.port}`);
      }
      ports.push(port);
      const name = `node${i}`;
      const process = await Daemon.start(
        this.#fleetOption(wires, i),
        `-fleetname=${name}`,
        '-fleetaccount=fronts',
        '-templatemode=live',
        '-debuglogfile=debug.log',
        '-fronts=1',
        '-disablewallet',
        '-listen=1',
        `-port=${port}`,
        '-bind=127.0.0.1',
        ...(connect.length > 0 ? connect : ['-connect=0']),
        ...more,
      );
      this.nodes.push({ name, process, wires });
    }
    this.#options = this.nodes.map(({ process }) => followOption(process));
  }

  /** One more process of fronts; it may not answer yet. */
  async addFront(name: string, ...more: string[]): Promise<Member<FrontProcess>> {
    const wires = await this.#wires();
    const process = await FrontProcess.begin(this.#fleetOption(wires, this.fronts.length), ...this.#options, '-fronts=1', ...more);
    const member = { name, process, wires };
    this.fronts.push(member);
    return member;
  }

  nodeLog({ process }: Member<Daemon>): string {
    return fs.readFileSync(path.join(process.networkDir, 'debug.log'), 'utf8');
  }

  /** Every wire, with all others whole again. */
  heal(): void {
    const wires = [...this.nodes, ...this.fronts].flatMap((member) => member.wires);
    for (const wire of [...wires, ...this.routes.flat(), ...this.peers]) wire.heal();
  }

  /** Waits until all nodes have one tip. */
  async agree(): Promise<string> {
    let tip = '';
    await until('all nodes have one tip', async () => {
      const tips = await Promise.all(this.nodes.map(({ process }) => process.call('getbestblockhash')));
      [tip = ''] = tips as string[];
      return tips.every((other) => other === tip);
    });
    return tip;
  }

  /** Ends and removes everything. */
  async end(): Promise<void> {
    for (const { child } of [...this.nodes, ...this.fronts].map(({ process }) => process)) child?.kill('SIGCONT');
    for (const { wires } of [...this.nodes, ...this.fronts]) for (const wire of wires) wire.close();
    for (const wire of [...this.routes.flat(), ...this.peers]) wire.close();
    await Promise.all(this.fronts.map(({ process }) => process.remove()));
    await Promise.all(this.nodes.map(({ process }) => process.remove()));
    await Promise.all(this.servers.map((server) => server.remove()));
  }
}
