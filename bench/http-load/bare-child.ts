// The limit for benches of fronts: a uWebSockets.js server that reads a request and sends prepared bytes, nothing else.
// With --park it holds replies back until load.ts orders it to send all of them. load.ts starts this process.
import { type HttpResponse, uws } from './uws.js';

/** Replies that wait for the parent's order. */
let parked: HttpResponse[] = [];
const parks = process.argv.includes('--park');

// If the parent failed, it sends no order to end.
process.on('disconnect', () => process.exit(0));
process.once('message', (message: Uint8Array) => {
  const body = new Uint8Array(message);
  const app = uws.App();
  const send = (res: HttpResponse) => {
    res.cork(() => {
      res.writeHeader('Content-Type', 'application/json');
      if (body.byteLength < 65_536) {
        res.end(body);
        return;
      }
      const [ok, done] = res.tryEnd(body, body.byteLength);
      if (ok || done) return;
      res.onWritable((offset) => res.tryEnd(body.subarray(offset), body.byteLength)[0]);
    });
  };
  app.any('/*', (res) => {
    let gone = false;
    res.onAborted(() => {
      gone = true;
    });
    res.onData((_chunk, isLast) => {
      if (!isLast || gone) return;
      if (parks) parked.push(res);
      else send(res);
    });
  });
  process.on('message', () => {
    const waiting = parked;
    parked = [];
    for (const res of waiting) send(res);
  });
  app.listen('127.0.0.1', 0, (socket) => {
    if (!socket) throw new Error('no port');
    process.send!({ kind: 'listening', port: uws.us_socket_local_port(socket as never) });
  });
});
