// Brings packages/model/events.lock.json up to date with the events of the model. It only adds: where a field
// of a locked event is gone or changed it says so and writes nothing, for somebody's log holds such events.
//
//   node scripts/toolchain.mjs exec scripts/events-lock.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "@ledge/model";
import { type EventsLock, extendedLock, lockMissing, lockProblems } from "@ledge/model/events-lock";

const path = join(import.meta.dirname, "..", "packages", "model", "events.lock.json");
const lock: EventsLock = JSON.parse(readFileSync(path, "utf8"));
const definitions = [...eventDefinitions.values()];

const problems = lockProblems(lock, definitions);
const missing = lockMissing(lock, definitions);
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error("A changed event needs a new version, with an upcaster beside it that reads the old one.");
  process.exitCode = 1;
} else if (missing.length > 0) {
  writeFileSync(path, `${JSON.stringify(extendedLock(lock, definitions), null, 2)}\n`);
  console.log(`added ${missing.join(", ")}`);
} else {
  console.log("nothing to add");
}
