#!/usr/bin/env bash
# zeromq 6.8.0 on Node.js 20: Publisher.send() returns a promise, and a publisher never waits for its subscribers, so one
# expects a burst of sends to resolve, or some of them to reject. In fact the first 513 sends of a socket within one tick
# of the event loop succeed and the next one THROWS synchronously:
#   EBUSY "Socket is busy writing; only one send operation may be in progress at any time"
# A `.catch()` on the promise does not see it. No subscriber is connected here. With `sendTimeout: 0` nothing throws.
#
# Output seen:
#   default: 513 sends returned, then a synchronous EBUSY
#   sendTimeout 0: 2000 sends returned
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund zeromq@6.8.0 >/dev/null
cat > run.mjs <<'JS'
import { Publisher } from 'zeromq';
async function burst(options) {
  const socket = new Publisher(options);
  await socket.bind('tcp://127.0.0.1:0');
  let returned = 0;
  try {
    for (; returned < 2000; returned++) socket.send(['topic', String(returned)]).catch(() => {});
  } catch (error) {
    return `${returned} sends returned, then a synchronous ${error.code}`;
  } finally {
    socket.close();
  }
  return `${returned} sends returned`;
}
console.log(`default: ${await burst({})}`);
console.log(`sendTimeout 0: ${await burst({ sendTimeout: 0 })}`);
JS
node run.mjs | tee seen
diff seen - <<'TXT'
default: 513 sends returned, then a synchronous EBUSY
sendTimeout 0: 2000 sends returned
TXT
