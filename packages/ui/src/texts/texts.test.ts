import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { de } from "./de.ts";
import { en, type Key, type Texts } from "./en.ts";
import { fi } from "./fi.ts";
import { sv } from "./sv.ts";
import { bestOf, isLanguage, speak, t } from "./texts.ts";

const folder = join(import.meta.dirname, "..");
const sources = globSync("**/*.{ts,tsx}", { cwd: folder })
  .filter((path) => !path.startsWith("texts/") && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
const all: Readonly<Record<string, Texts>> = { en, fi, sv, de };

/** Keys that code puts together from a name of the hub, such as that of an attribute. */
const families = [
  "alarmsFrom",
  "attribute",
  "auditFrom",
  "bacnetAs",
  "bridge",
  "cameraHelp",
  "chip",
  "class",
  "codes",
  "codesNow",
  "commandsFrom",
  "ended",
  "exposed",
  "fan",
  "fares",
  "feature",
  "featureHow",
  "firmware",
  "flaw",
  "heat",
  "link",
  "on",
  "option",
  "parity",
  "phase",
  "plain",
  "player",
  "preset",
  "role",
  "roleName",
  "span",
  "stage",
  "sun",
  "theme",
  "timeline",
  "tokenOf",
  "trend",
  "use",
  "vent",
];

describe("the texts", () => {
  test("are all used", () => {
    const code = sources.map(({ text }) => text).join("\n");
    const unused = (Object.keys(en) as Key[]).filter(
      (key) => !code.includes(`"${key}"`) && !families.some((family) => key.startsWith(`${family}.`)),
    );
    assert.deepEqual(unused, []);
    for (const family of families)
      assert.match(code, new RegExp(`"${family}"|\\b${family}\\.\\$\\{`), family);
  });

  test("have keys that stand in one area each", async () => {
    const areas = globSync("en/*.ts", { cwd: import.meta.dirname });
    const modules = await Promise.all(
      areas.map((path) => import(`./${path}`) as Promise<Readonly<Record<string, object>>>),
    );
    const keys = modules.flatMap((area) => Object.values(area).flatMap((texts) => Object.keys(texts)));
    assert.deepEqual(keys.toSorted(), Object.keys(en).toSorted());
  });

  for (const [language, texts] of Object.entries(all)) {
    test(`have the same parameters in ${language}, and none is empty`, () => {
      for (const key of Object.keys(en) as Key[])
        assert.deepEqual(parametersOf(texts[key]), parametersOf(en[key]), key);
      assert.deepEqual(Object.keys(texts).toSorted(), Object.keys(en).toSorted());
      assert.ok(Object.values(texts).every((text) => JSON.stringify(text).length > 2));
    });
  }

  test("do not stand in views", () => {
    const found = sources
      .filter(({ path }) => path.endsWith(".tsx"))
      .flatMap(({ path, text }) => wordsIn(text).map((words) => `${path}: ${words}`));
    assert.deepEqual(found, []);
    assert.deepEqual(wordsIn('<p class="x">Some words</p>'), ["Some words"]);
    assert.deepEqual(wordsIn('<input placeholder="Some words" />'), ["Some words"]);
  });

  test("come in the language of the page, one or many", async () => {
    assert.equal(t("devices.count", { n: 1 }), "1 device");
    assert.equal(t("devices.count", { n: 0 }), "0 devices");
    await speak("fi");
    assert.equal(t("devices.count", { n: 2 }), "2 laitetta");
    assert.equal(t("nav.home"), "Koti");
    await speak("en");
  });

  test("keep a parameter that is not given, and put in hostile values as they are", () => {
    assert.equal(t("error.status"), "The hub refused with {status}.");
    assert.equal(t("device.identifying", { name: "<b>$&{name}" }), "<b>$&{name} shows itself now");
  });
});

const best: readonly [read: readonly string[], language: string][] = [
  [["fi-FI", "en"], "fi"],
  [["pt-BR", "sv-FI", "fi"], "sv"],
  [["DE"], "de"],
  [["ja"], "en"],
  [["toString", "__proto__"], "en"],
  [[], "en"],
];
for (const [read, language] of best) {
  test(`speaks ${language} to somebody who reads ${read.join(", ") || "nothing"}`, () => {
    assert.equal(bestOf(read), language);
  });
}

test("knows its languages", () => {
  assert.deepEqual([isLanguage("de"), isLanguage("toString"), isLanguage(5)], [true, false, false]);
});

function parametersOf(text: Texts[Key]): readonly string[] {
  return [...new Set(JSON.stringify(text).match(/\{\w+\}/g) ?? [])].toSorted();
}

/** Words for readers that stand in a view: between tags, or in an attribute that is read aloud. */
function wordsIn(text: string): readonly string[] {
  const between = [...text.matchAll(/>\s*([A-Za-zÀ-ÿ][^<>{}=;()]*?)\s*<\//g)].map(([, words]) => words ?? "");
  const aloud = [...text.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]+)"/g)].map(
    ([, words]) => words ?? "",
  );
  return [...between, ...aloud];
}
