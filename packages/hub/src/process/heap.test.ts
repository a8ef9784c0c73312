import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/**
 * Runs a process that keeps more and more objects among garbage; returns the size of its young generation
 * (bytes).
 */
async function youngAfterBurst(before: string): Promise<number> {
  const program = `${before}
    const kept = [];
    for (let i = 0; i < 300_000; i++) {
      const object = JSON.parse('{"id":' + i + ',"values":[1,2,3],"name":"some lamp"}');
      if (i % 10 === 0) kept.push(object);
    }
    if (kept.length !== 30_000) throw new Error("lost");
    const { getHeapSpaceStatistics } = await import("node:v8");
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return Number(stdout);
}

test("keeps the young generation small after a burst", async () => {
  const heap = JSON.stringify(new URL("./heap.ts", import.meta.url).href);
  const small = await youngAfterBurst(`(await import(${heap})).keepHeapSmall();`);
  const large = await youngAfterBurst("");
  assert.ok(small < large / 2, `${small} bytes, ${large} without`);
});
