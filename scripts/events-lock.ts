// Updates the events.lock.json of each package that declares events. It only adds entries. When a field of a
// locked event is missing or changed, it reports that and writes nothing, because existing logs hold such events.
//
//   node scripts/toolchain.mjs exec scripts/events-lock.ts
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloudEvents } from "@ledge/cloud/model";
import { type EventDefinition, eventDefinitions } from "@ledge/model";
import { type EventsLock, extendedLock, lockMissing, lockProblems } from "@ledge/model/events-lock";

const locks: Readonly<Record<string, ReadonlyMap<string, EventDefinition>>> = {
  model: eventDefinitions,
  cloud: cloudEvents,
};

for (const [folder, declared] of Object.entries(locks)) {
  const path = join(import.meta.dirname, "..", "packages", folder, "events.lock.json");
  const lock: EventsLock = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const definitions = [...declared.values()];
  const problems = lockProblems(lock, definitions);
  const missing = lockMissing(lock, definitions);
  if (problems.length > 0) {
    for (const problem of problems) console.error(`${folder}: ${problem}`);
    console.error("A changed event needs a new version, and an upcaster that reads the old one.");
    process.exitCode = 1;
  } else if (missing.length > 0) {
    writeFileSync(path, `${JSON.stringify(extendedLock(lock, definitions), null, 2)}\n`);
    console.log(`${folder}: added ${missing.join(", ")}`);
  } else {
    console.log(`${folder}: nothing to add`);
  }
}
