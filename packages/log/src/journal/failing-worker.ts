// Stands in for the journal's thread in tests: the write of number `at` (from 1) ends with `result`, bytes or a
// negative errno, and leaves that many bytes behind; or the thread ends with it, when `result` is "exit".
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serveWrites, type Shared } from "./turns.ts";

const query = new URL(import.meta.url).searchParams;
const at = Number(query.get("at"));
const result = query.get("result") ?? "";
let writes = 0;

serveWrites(workerData as Shared, (descriptor, bytes, offset, length, position) => {
  writes += 1;
  if (writes !== at) return writeSync(descriptor, bytes, offset, length, position);
  if (result === "exit") process.exit(1);
  const count = Number(result);
  if (count < 0) throw Object.assign(new Error("made to fail"), { errno: count });
  return count === 0 ? 0 : writeSync(descriptor, bytes, offset, count, position);
});
