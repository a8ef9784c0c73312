import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, fromHex, toNormalisedXml } from "./index.ts";
import { exampleFrames } from "./testdata/frames.ts";

for (const { title, hex, lines } of exampleFrames) {
  test(`decodes ${title}`, () => {
    assert.deepEqual(linesOf(toNormalisedXml(decode(fromHex(hex)))), lines);
  });
}

/** The records of an XML text, one line each. */
function linesOf(xml: string): readonly string[] {
  return [...xml.matchAll(/<DataRecord[^>]*>(.*?)<\/DataRecord>/gs)].map(([, record = ""]) => {
    const of = (name: string): string | undefined =>
      new RegExp(`<${name}>(.*?)</${name}>`).exec(record)?.[1]?.replaceAll("&amp;", "&");
    const parts = of("Tariff") === undefined ? "-" : `${of("Tariff")}/${of("Device")}`;
    const isFixed = of("StorageNumber") === undefined;
    const fields = isFixed
      ? [of("Function"), of("Unit"), of("Value")]
      : [of("Function"), of("StorageNumber"), parts, of("Unit"), of("Quantity"), of("Value")];
    return fields.join("|");
  });
}
