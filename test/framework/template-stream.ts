// Reads the templates of GET /template/stream (server-sent events).
import http from 'node:http';

/** An event of the stream. */
export interface StreamEvent {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: totals or a whole template
  readonly data: any;
}

/** Reads events until `enough` returns true for them. @param server a node or a process of fronts; auth: user:password */
export function readStream(
  server: { readonly port: number; readonly auth: string },
  path: string,
  enough: (events: readonly StreamEvent[]) => boolean,
): Promise<StreamEvent[]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Basic ${Buffer.from(server.auth).toString('base64')}` };
    const request = http.get({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
      const events: StreamEvent[] = [];
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const lines = text.slice(0, end).split('\n');
          text = text.slice(end + 2);
          const of = (name: string): string => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
          if (of('event') === 'template') events.push({ id: of('id'), data: JSON.parse(of('data')) });
        }
        if (!enough(events)) return;
        request.destroy();
        resolve(events);
      });
      response.on('end', () => reject(new Error(`the stream ended, status ${response.statusCode}`)));
      // Without this listener the reader would wait for ever if the connection is closed.
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
