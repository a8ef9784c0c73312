import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { languages } from "@ledge/model";
import { isTestFile } from "./fences.ts";
import { textFindings, textsIn } from "./texts.ts";

const root = join(import.meta.dirname, "..");
const whole = `{ en: "A {x}", fi: "B {x}",\n sv: "C {x}", de: "D {x}" }`;

test("every text of every package exists in every language", () => {
  const exclude = ["**/node_modules", "packages/testkit"];
  const sources = globSync("packages/**/src/**/*.ts", { cwd: root, exclude })
    .filter((path) => !isTestFile(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  assert.ok(sources.flatMap(({ text }) => textsIn(text)).length > 30);
  assert.deepEqual(sources.flatMap(textFindings), []);
});

test("reports what is wrong with a text, and where", () => {
  const found = (text: string): readonly string[] => textFindings({ path: "a.ts", text });
  assert.deepEqual(found(whole), []);
  for (const language of languages) {
    const without = whole.replace(new RegExp(`${language}: "[^"]*",?`), "");
    assert.deepEqual(found(`\n${without}`), [`a.ts:2: has no ${language}`]);
  }
  assert.deepEqual(found(whole.replace('"C {x}"', '""')), [
    "a.ts:1: is empty in sv",
    "a.ts:1: names other parameters in sv",
  ]);
  assert.deepEqual(found(whole.replace("D {x}", "D {y}")), ["a.ts:1: names other parameters in de"]);
  assert.deepEqual(found(whole.replace("A {x}", 'A \\"{x}')), []);
  assert.deepEqual(found(whole.replace("{ en", '{ en: "Z {x}", en')), ["a.ts:1: has a language twice"]);
});
