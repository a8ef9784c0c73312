import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isLoopback } from "./loopback.ts";
import { drawn } from "./qr.ts";

/** Returns the rows of a code, `#` for a dark module. */
function rowsOf(text: string): readonly string[] {
  const { size, path } = drawn(text);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => "."));
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    const row = rows[Number(y)];
    if (row !== undefined) row[Number(x)] = "#";
  }
  return rows.map((row) => row.join(""));
}

const finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];

describe("a QR code", () => {
  test("has a quiet zone of four modules, and its three finders", () => {
    const rows = rowsOf("http://10.0.0.7:8893/#/people?code=BCDFGHJ");
    const last = rows.length - 4 - 7;
    assert.ok(rows.slice(0, 4).every((row) => !row.includes("#")));
    assert.ok(rows.every((row) => row.startsWith("....") && row.endsWith("....")));
    for (const [x, y] of [
      [4, 4],
      [last, 4],
      [4, last],
    ] as const)
      assert.deepEqual(
        rows.slice(y, y + 7).map((row) => row.slice(x, x + 7)),
        finder,
      );
  });

  test("differs with its text", () => {
    assert.notDeepEqual(rowsOf("code=BCDFGHJ"), rowsOf("code=BCDFGHK"));
  });
});

test("an address that means the device itself leads no phone to the hub", () => {
  const hosts = ["127.0.0.1", "localhost", "[::1]", "hub.localhost", "ledge.local", "10.0.0.7", "[fd00::1]"];
  assert.deepEqual(hosts.map(isLoopback), [true, true, true, true, false, false, false]);
});
