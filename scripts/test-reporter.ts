// A reporter for `node --test` that writes one JSON object per line: what ran, what failed and why, what was
// printed. scripts/run-tests.ts reads them.
import { relative } from "node:path";
import { inspect } from "node:util";
import type { TestEvent } from "node:test/reporters";

/** One line of the output. */
export type Line =
  | { readonly type: "fail"; readonly file: string; readonly name: string; readonly why: string }
  | { readonly type: "file"; readonly file: string; readonly milliseconds: number }
  | { readonly type: "said"; readonly file: string; readonly text: string }
  | { readonly type: "counts"; readonly tests: number; readonly passed: number };

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

function lineOf(event: TestEvent): Line | undefined {
  const root = process.cwd();
  const fileOf = (file: string | undefined): string => (file === undefined ? "" : relative(root, file));
  if (event.type === "test:fail") {
    const { file, name, details } = event.data;
    // A test that fails because of a subtest has no reason of its own.
    if (/^\d+ subtests? failed$/.test(details.error.message)) return undefined;
    const why = inspect(details.error.cause ?? details.error, { depth: 8 });
    return { type: "fail", file: fileOf(file), name, why };
  }
  if (event.type === "test:stdout" || event.type === "test:stderr") {
    return { type: "said", file: fileOf(event.data.file), text: event.data.message };
  }
  if (event.type !== "test:summary") return undefined;
  const { file, counts, duration_ms: milliseconds } = event.data;
  if (file !== undefined) return { type: "file", file: fileOf(file), milliseconds };
  return { type: "counts", tests: counts.tests, passed: counts.passed };
}
