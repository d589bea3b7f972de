// Strongly connected components of a directed graph (Kosaraju): sets of nodes that can all reach each other. Not
// recursive, because clusters may be long chains.

/** @param next successors of each node @returns the component of each node, numbered from 0, and the number of components */
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

/** Walks depth first over nodes that were not seen. Calls `done` for each node after all nodes reachable from it. */
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
