import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./csv.ts";

test("writes rows that a spreadsheet reads as they are", () => {
  const rows = [
    ["Name", "Battery"],
    ['Lamp "old", hall', 4.5],
    ["=HYPERLINK(1)", -3],
    ["two\nlines", ""],
    ["-x", "@y"],
  ];
  assert.equal(
    csvOf(rows),
    'Name,Battery\r\n"Lamp ""old"", hall",4.5\r\n\'=HYPERLINK(1),-3\r\n"two\nlines",\r\n\'-x,\'@y\r\n',
  );
  assert.equal(csvOf([]), "");
});
