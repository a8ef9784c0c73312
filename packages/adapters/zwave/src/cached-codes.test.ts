import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { db } from "@zwave-js/core/bindings/db/jsonl";
import { keepCodesOut } from "./cached-codes.ts";

const keyOf = (commandClass: number, property: string, propertyKey?: number): string =>
  JSON.stringify({ nodeId: 2, commandClass, endpoint: 0, property, propertyKey });
const codes = [
  keyOf(0x63, "userCode", 2),
  keyOf(0x63, "adminCode"),
  keyOf(0x83, "credential", 0x01_0001),
  keyOf(0x83, "adminPinCode"),
];
const status = keyOf(0x63, "userIdStatus", 2);

const list = "controller.provisioningList";

test("the library's cache takes no codes of locks, and loses those that it had", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-codes-"));
  try {
    const file = join(folder, "values.jsonl");
    const line = (key: string, value: unknown): string => JSON.stringify({ k: key, v: value });
    writeFileSync(
      file,
      [...[...codes, list].map((key) => line(key, "11731173")), line(status, 1), ""].join("\n"),
    );
    const database = keepCodesOut(db.createInstance<unknown>(file, {}));
    await database.open();
    assert.deepEqual([...database.keys()], [status]);
    assert.doesNotMatch(readFileSync(file, "utf8"), /11731173/);
    for (const key of codes) database.set(key, "24982498");
    assert.deepEqual([database.has(list), database.get(list)], [false, undefined]);
    database.set(list, "24982498");
    assert.deepEqual([database.has(list), database.get(list)], [true, "24982498"]);
    database.set(keyOf(0x63, "userIdStatus", 3), 1);
    assert.deepEqual([database.delete(list), database.has(list)], [true, false]);
    database.set(list, "24982498");
    await database.close();
    const kept = readFileSync(file, "utf8");
    assert.doesNotMatch(kept, /11731173|24982498/);
    assert.equal(kept.split("userIdStatus").length - 1, 2, kept);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
