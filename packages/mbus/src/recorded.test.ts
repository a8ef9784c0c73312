// Telegrams of real meters with the XML that an independent decoder made of them. They are no part of the package:
// scripts/peers.ts leaves this suite out, and says so, where their folder is absent.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decode, fromHex, MbusError, toNormalisedXml } from "./index.ts";

const folder = join(import.meta.dirname, "../../../../shared/data/mbus");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const framesIn = (part: string): readonly string[] =>
  readdirSync(join(folder, part)).filter((file) => file.endsWith(".hex"));

const frames = framesIn("");
test("there are recorded telegrams, and recorded errors", () => {
  assert.ok(frames.length >= 38);
  assert.ok(framesIn("errors").length >= 20);
});

for (const file of frames) {
  test(`decodes the telegram ${file} to its XML`, () => {
    const xml = toNormalisedXml(decode(fromHex(read(file))));
    assert.equal(xml.trim(), read(file.replace(/hex$/, "norm.xml")).trim());
  });
}

for (const file of framesIn("errors")) {
  test(`refuses the telegram ${file} with an error that says what is wrong`, () => {
    const isNamed = /^(?:premature|too_short)/.test(file) && !file.endsWith("end_of_record.hex");
    const code = isNamed ? "truncated" : undefined;
    assert.throws(
      () => decode(fromHex(read(`errors/${file}`))),
      (error) =>
        error instanceof MbusError && (code === undefined || error.code === code) && error.message !== "",
    );
  });
}
