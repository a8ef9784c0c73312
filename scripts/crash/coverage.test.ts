import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { said } from "./cut.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { Runner, traceOf } from "./process.ts";
import { homeIn } from "./scenarios.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-coverage-"));
after(() => rmSync(folder, { recursive: true }));
const runner = new Runner(folder);

/** What is done to which file, once each. */
function kindsOf(operations: readonly Operation[]): Set<string> {
  return new Set(
    operations.flatMap((operation) => {
      if (operation.kind === "end" || operation.name === said || operation.name.endsWith("lock.mdb"))
        return [];
      const { kind, name } = operation;
      const target = kind === "rename" ? ` to ${operation.to}` : "";
      return [`${kind} ${name}${target}`.replace(/cut-\d+/, "cut-N")];
    }),
  );
}

async function recorded(
  name: string,
  args: readonly string[],
  home: string,
  killAt?: number,
): Promise<Operation[]> {
  const trace = join(folder, name);
  await runner.run(args, home, trace, { killAt });
  return operationsOf(traceOf(trace));
}

// An operation that comes to the log changes this list, and reminds its author that it can be cut too.
test("what the log does to its files is seen by the suite, and is this", async () => {
  const whole = homeIn(join(folder, "whole"));
  const made = await recorded("whole.trace", ["check", whole, "1", "1"], whole);

  // Killed when the journal has its name and LMDB does not know of it, so that the next start sets it aside.
  const home = homeIn(join(folder, "killed"));
  const counted = made.filter((operation) => !("name" in operation) || operation.name !== said);
  const named = counted.findIndex(
    ({ kind, ...at }) => kind === "rename" && "to" in at && at.to === "log/journal",
  );
  const killed = await recorded("killed.trace", ["write", home, "1", "1"], home, named + 2);
  const begunAnew = await recorded("anew.trace", ["check", home, "2", "1"], home);

  const seen = new Set([made, killed, begunAnew].flatMap((operations) => [...kindsOf(operations)]));
  assert.deepEqual([...seen].toSorted(), [
    "flush log",
    "flush log/data.mdb",
    "flush log/journal.new",
    "flush log/new/data.mdb",
    "rename log/journal to log/journal.cut-N",
    "rename log/journal.new to log/journal",
    "rename log/new/data.mdb to log/data.mdb",
    "write log/data.mdb",
    "write log/journal",
    "write log/journal.new",
    "write log/new/data.mdb",
  ]);
});
