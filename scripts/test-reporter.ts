// A reporter for Node's test runner that writes one JSON object per line: each failure with its reason, the duration of
// each file of a shared process, and the totals. scripts/run-tests.ts reads them.
import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { inspect } from "node:util";
import type { TestEvent } from "node:test/reporters";
import { propertyRuns } from "./properties.ts";

/** One line of the output. */
export type Line =
  | { readonly type: "fail"; readonly file: string; readonly name: string; readonly why: string }
  | { readonly type: "file"; readonly file: string; readonly milliseconds: number }
  | Total;

/** The totals of a process. */
export interface Total {
  readonly type: "total";
  readonly tests: number;
  readonly passed: number;
  /** Processor time of this process and of its children that have ended. */
  readonly cpuMs: number;
  /** Processes that the tests started. */
  readonly processes: number;
  /** Runs of properties. */
  readonly runs: number;
}

let processes = 0;
subscribe("child_process", () => (processes += 1));

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

function lineOf(event: TestEvent): Line | undefined {
  const root = process.cwd();
  if (event.type === "test:summary") {
    const { tests, passed } = event.data.counts;
    return { type: "total", tests, passed, cpuMs: cpuMs(), processes, runs: propertyRuns() };
  }
  if (event.type === "test:fail") {
    const { file, name, details } = event.data;
    // A test that fails because of a subtest has no reason of its own.
    if (!/^\d+ subtests? failed$/.test(details.error.message)) {
      const why = inspect(details.error.cause ?? details.error, { depth: 8 });
      return { type: "fail", file: file === undefined ? "" : relative(root, file), name, why };
    }
  }
  if (event.type !== "test:fail" && event.type !== "test:pass") return undefined;
  // scripts/test-group.ts makes a top-level suite of each file.
  const { name, nesting, details } = event.data;
  const isFile = nesting === 0 && details.type === "suite" && name.endsWith(".test.ts");
  return isFile ? { type: "file", file: name, milliseconds: details.duration_ms } : undefined;
}

/** Processor time of this process and, on Linux, of its children that have ended. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000) + endedMs();
}

function endedMs(): number {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // cutime and cstime of proc(5), in hundredths of a second.
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}
