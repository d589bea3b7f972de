// A SOCKS5 proxy (RFC 1928) for tests. Every host to which a node connects through it is a peer that the test controls.
import net from 'node:net';
import { P2pClient } from './p2p-client.js';

/** A connection that the node requested. */
export interface ProxyCall {
  readonly host: string;
  readonly port: number;
  readonly peer: P2pClient;
  /** Name and password that the node sent to the proxy (RFC 1929); null if the proxy did not request them. */
  readonly credentials: readonly [string, string] | null;
}

export class SocksWorld {
  /** All connections in order. */
  readonly calls: ProxyCall[] = [];

  private constructor(
    private readonly server: net.Server,
    readonly port: number,
  ) {}

  /**
   * @param answer plays the peer, including its handshake; if it throws, the connection is closed
   * @param asking true: the proxy requests name and password if the client offers to send them
   */
  static async open(answer: (call: ProxyCall) => Promise<void>, asking = false): Promise<SocksWorld> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const world = new SocksWorld(server, (server.address() as net.AddressInfo).port);
    server.on('connection', (socket) => {
      serve(socket, asking, (call) => {
        world.calls.push(call);
        answer(call).catch(() => call.peer.close());
      });
    });
    return world;
  }

  /** Returns the connections to a host. */
  to(host: string): ProxyCall[] {
    return this.calls.filter((call) => call.host === host);
  }

  close(): void {
    for (const { peer } of this.calls) peer.close();
    this.server.close();
  }
}

/**
 * Handles one connection: two requests of SOCKS5, or three with credentials. Then the connection belongs to the peer.
 * The client must send nothing before it has the last reply.
 */
function serve(socket: net.Socket, asking: boolean, connected: (call: ProxyCall) => void): void {
  let buffer = Buffer.alloc(0);
  let stage: 'methods' | 'credentials' | 'request' = 'methods';
  let credentials: readonly [string, string] | null = null;
  socket.on('error', () => {});
  /** Removes the first bytes of the buffer and returns them. @returns null while fewer bytes have arrived */
  const cut = (length: number): Buffer | null => {
    if (buffer.length < length) return null;
    const piece = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return piece;
  };
  const sized = (at: number): number => (buffer.length > at ? (buffer[at] as number) : Number.POSITIVE_INFINITY);
  socket.on('data', function read(chunk: Buffer) {
    buffer = Buffer.concat([buffer, chunk]);
    if (stage === 'methods') {
      const methods = cut(2 + sized(1));
      if (methods === null) return;
      const asked = asking && methods.subarray(2).includes(2);
      stage = asked ? 'credentials' : 'request';
      socket.write(Buffer.of(5, asked ? 2 : 0));
    }
    if (stage === 'credentials') {
      const name = sized(1);
      const given = cut(3 + name + sized(2 + name));
      if (given === null) return;
      credentials = [given.subarray(2, 2 + name).toString('latin1'), given.subarray(3 + name).toString('latin1')];
      stage = 'request';
      socket.write(Buffer.of(1, 0));
    }
    const request = cut(7 + sized(4));
    if (request === null) return;
    socket.off('data', read);
    socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    const [host, port] = [request.subarray(5, -2).toString('latin1'), request.readUInt16BE(request.length - 2)];
    connected({ host, port, peer: P2pClient.accept(socket), credentials });
  });
}
