// The limit for bench/sv2-fanout.ts: writes the same number of prepared bytes to as many plain sockets when it is
// ordered to. Runs in a process of its own.
import net from 'node:net';

const sockets: net.Socket[] = [];

process.once('message', (bytes: number) => {
  const news = Buffer.alloc(bytes, 7);
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  });
  process.on('message', () => {
    for (const socket of sockets) socket.write(news);
  });
  server.listen(0, '127.0.0.1', () => process.send!({ kind: 'listening', port: (server.address() as net.AddressInfo).port }));
});
