// Replaces the journal's thread in tests. The write with number JOURNAL_FAILS_AT (from 1) ends with
// JOURNAL_FAILS_WITH: a number of bytes, a negative errno, or "exit" for the end of the thread.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serveWrites, type Shared } from "./turns.ts";

const at = Number(process.env["JOURNAL_FAILS_AT"]);
const result = process.env["JOURNAL_FAILS_WITH"];
let writes = 0;

serveWrites(workerData as Shared, (descriptor, bytes, offset, length, position) => {
  writes += 1;
  if (writes !== at) return writeSync(descriptor, bytes, offset, length, position);
  if (result === "exit") process.exit(1);
  const count = Number(result);
  if (count < 0) throw Object.assign(new Error("made to fail"), { errno: count });
  return count === 0 ? 0 : writeSync(descriptor, bytes, offset, count, position);
});
