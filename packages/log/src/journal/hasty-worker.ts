// Replaces the journal's thread in tests. It notifies before each write, as a notification of the write before does
// when it comes late, and writes slowly.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serveWrites, type Shared, words } from "./turns.ts";

const shared = workerData as Shared;
const milliseconds = 20;

serveWrites(shared, (descriptor, bytes, offset, length, position) => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) Atomics.notify(shared.words, words.turn);
  return writeSync(descriptor, bytes, offset, length, position);
});
