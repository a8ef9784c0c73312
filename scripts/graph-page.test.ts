import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { graphRows } from "@ledge/cloud/graph";
import { withTypes } from "./graph-types.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "graph.md"), "utf8");

test("docs/graph.md lists the types of Graph as they are: else run scripts/graph-page.ts", () => {
  assert.ok(withTypes(page) === page, "the page is not what the rows say");
  for (const { type } of graphRows) assert.ok(page.includes(`\`${type}\``), type);
});
