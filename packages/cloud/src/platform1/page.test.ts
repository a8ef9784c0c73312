import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withEndpoints } from "./test-page.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/platform1.md"), "utf8");

test("docs/platform1.md lists the endpoints as they are: else run platform1/test-page.ts", () => {
  assert.ok(withEndpoints(page) === page, "the page is not what the rows say");
});
