// docs/api.md: calls every row, chapter by chapter.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rowName, rows } from "@ledge/api";
import { playPage, shapeOf, stepsIn } from "./session.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "api.md"), "utf8");
/** Rows that do not end on their own. */
const streams: ReadonlySet<string> = new Set(["GET /events"]);

test("the page calls every served row, and no other", () => {
  const called = stepsIn(page, "api").flatMap(({ command }) => [
    ...[...command.matchAll(/\bcall (GET|PUT|POST|DELETE) ['"]?(\/[\w/]+)/g)].map(
      ([, method, path]) => `${method} ${path}`,
    ),
    ...[...command.matchAll(/curl -s http:\/\/[\d.:]+(\/\w*)/g)].map(([, path]) => `GET ${path}`),
  ]);
  const served = rows.map((row) => rowName(row).replace(/\/:\w+$/, "")).filter((name) => !streams.has(name));
  assert.deepEqual([...new Set(called)].toSorted(), served.toSorted());
});

test("the session prints what the page shows, except for values", async () => {
  const { shown, played } = await playPage("api");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});
