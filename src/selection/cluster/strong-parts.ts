// Strongly connected parts of a directed graph (Kosaraju): nodes from each of which all others of the part are reached.
// Used by spanning-forest.ts; without recursion, since clusters may be long chains.

/** @param next successors of each node @returns a part for each node, numbered from 0, and how many there are */
export function strongParts(next: readonly (readonly number[])[]): { readonly partOf: Int32Array; readonly parts: number } {
  const back: number[][] = next.map(() => []);
  next.forEach((list, node) => {
    for (const other of list) back[other].push(node);
  });
  const finished: number[] = [];
  const seen = new Uint8Array(next.length);
  for (let start = 0; start < next.length; start++) walk(next, start, seen, (node) => finished.push(node));
  const partOf = new Int32Array(next.length);
  seen.fill(0);
  let parts = 0;
  for (const start of finished.reverse()) {
    if (seen[start] !== 0) continue;
    const part = parts++;
    walk(back, start, seen, (node) => {
      partOf[node] = part;
    });
  }
  return { partOf, parts };
}

/** Depth first through what was not seen; each node is told after all that is reached from it. */
function walk(next: readonly (readonly number[])[], start: number, seen: Uint8Array, done: (node: number) => void): void {
  if (seen[start] !== 0) return;
  seen[start] = 1;
  const path = [{ node: start, at: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const other = next[top.node][top.at++];
    if (other === undefined) {
      path.pop();
      done(top.node);
    } else if (seen[other] === 0) {
      seen[other] = 1;
      path.push({ node: other, at: 0 });
    }
  }
}
