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

/** Returns each kind of operation on each file once. */
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

// A new operation in the log changes this list, and reminds its author that it can be cut too.
test("the suite sees exactly these operations of the log on its files", async () => {
  const whole = homeIn(join(folder, "whole"));
  const made = await recorded("whole.trace", ["check", whole, "1", "1"], whole);

  // Kill the process when the journal has its name but LMDB does not know it, so that the next start sets it
  // aside.
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
