import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { limits } from "@ledge/model";

const folder = join(import.meta.dirname, "../packages/model/src");

test("no limit's name stands in two files: `limits` spreads them, and one would overwrite the other", async () => {
  const own = readFileSync(join(folder, "limits.ts"), "utf8").matchAll(/^ {2}(\w+): /gm);
  const holders = new Map([...own].map(([, name = ""]) => [name, "limits.ts"]));
  for (const file of readdirSync(folder).filter((name) => name.endsWith("-limits.ts"))) {
    const parts = Object.values((await import(join(folder, file))) as Record<string, object>);
    for (const name of parts.flatMap((part) => Object.keys(part))) {
      assert.equal(holders.get(name), undefined, `${name} stands in ${file} as well`);
      holders.set(name, file);
    }
  }
  assert.deepEqual([...holders.keys()].toSorted(), Object.keys(limits).toSorted());
});
