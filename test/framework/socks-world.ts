// A SOCKS5 proxy (RFC 1928) behind which the whole internet is the test's: whoever a node calls through it answers as a peer of the test's own.
import net from 'node:net';
import { P2pClient } from './p2p-client.js';

/** A connection that the node asked for. */
export interface ProxyCall {
  readonly host: string;
  readonly port: number;
  readonly peer: P2pClient;
}

export class SocksWorld {
  /** Every call, in order. */
  readonly calls: ProxyCall[] = [];

  private constructor(
    private readonly server: net.Server,
    readonly port: number,
  ) {}

  /** @param answer what the peer does, its handshake too; what it throws ends with the connection */
  static async open(answer: (call: ProxyCall) => Promise<void>): Promise<SocksWorld> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const world = new SocksWorld(server, (server.address() as net.AddressInfo).port);
    server.on('connection', (socket) => {
      serve(socket, (call) => {
        world.calls.push(call);
        answer(call).catch(() => call.peer.close());
      });
    });
    return world;
  }

  /** Calls to a host. */
  to(host: string): ProxyCall[] {
    return this.calls.filter((call) => call.host === host);
  }

  close(): void {
    for (const { peer } of this.calls) peer.close();
    this.server.close();
  }
}

/** Two requests, then the connection belongs to the peer. The client says nothing before it has its reply. */
function serve(socket: net.Socket, connected: (call: ProxyCall) => void): void {
  let buffer = Buffer.alloc(0);
  let greeted = false;
  socket.on('error', () => {});
  socket.on('data', function read(chunk: Buffer) {
    buffer = Buffer.concat([buffer, chunk]);
    if (!greeted) {
      if (buffer.length < 2 || buffer.length < 2 + (buffer[1] as number)) return;
      buffer = buffer.subarray(2 + (buffer[1] as number));
      greeted = true;
      socket.write(Buffer.of(5, 0));
    }
    if (buffer.length < 5 || buffer.length < 7 + (buffer[4] as number)) return;
    const end = 5 + (buffer[4] as number);
    socket.off('data', read);
    socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    connected({ host: buffer.subarray(5, end).toString('latin1'), port: buffer.readUInt16BE(end), peer: P2pClient.accept(socket) });
  });
}
