// Reads passwords from standard input: the first line of a pipe, or typed without echo.

/** Splits a text into its first line and the rest. */
export function firstLine(text: string): { line: string; rest: string } {
  const end = text.indexOf('\n');
  return end < 0 ? { line: text, rest: '' } : { line: text.slice(0, end), rest: text.slice(end + 1) };
}

/** Reads a line from the terminal without showing it. */
export function passwordLine(prompt: string): Promise<string> {
  const { stdin } = process;
  process.stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (): void => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      process.stderr.write('\n');
    };
    const onData = (chunk: string): void => {
      for (const c of chunk) {
        if (c === '\r' || c === '\n') {
          done();
          resolve(line);
          return;
        }
        if (c === '\u0003') {
          done();
          reject(new Error('interrupted'));
          return;
        }
        if (c === '\u007f') line = line.slice(0, -1);
        else line += c;
      }
    };
    stdin.on('data', onData);
  });
}
