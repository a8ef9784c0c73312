import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownTable, withRegion } from "./page.ts";

test("a table has columns of one width, and escapes what would end a cell", () => {
  assert.equal(
    markdownTable(["a", "unit"], [["x|y", "°C"]]),
    ["| a    | unit |", "| ---- | ---- |", "| x\\|y | °C   |"].join("\n"),
  );
});

test("a text takes its place in a page, once more as at first, and only if there is one", () => {
  const page = "# Page\n\n<!-- list -->\n<!-- /list -->\n\nafter\n";
  const written = withRegion(page, "list", "one");
  assert.equal(written, "# Page\n\n<!-- list -->\n\none\n\n<!-- /list -->\n\nafter\n");
  assert.equal(
    withRegion(written, "list", "$1"),
    written.replace("one", () => "$1"),
  );
  assert.throws(() => withRegion(page, "table", "one"), /no <!-- table -->/);
  assert.throws(() => withRegion("<!-- list -->", "list", "one"), /no <!-- list --> or no <!-- \/list -->/);
});
