// What adit-cli reads from standard input besides arguments: passwords, first lines of a pipe or typed without an echo.

/** The first line of a text, and what follows it. */
export function firstLine(text: string): { line: string; rest: string } {
  const end = text.indexOf('\n');
  return end < 0 ? { line: text, rest: '' } : { line: text.slice(0, end), rest: text.slice(end + 1) };
}

/** Asks for a line at the terminal; what is typed is not shown. */
export function passwordLine(prompt: string): Promise<string> {
  const { stdin } = process;
  process.stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (): void => {
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      process.stderr.write('\n');
    };
    const take = (chunk: string): void => {
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
    stdin.on('data', take);
  });
}
