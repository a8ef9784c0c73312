import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { languages } from "@ledge/model";
import { languageFor } from "./language.ts";

describe("languages", () => {
  for (const [header, language] of [
    [undefined, "en"],
    ["", "en"],
    ["fi", "fi"],
    ["fi-FI,fi;q=0.9,en;q=0.8", "fi"],
    ["fr-CH, fr;q=0.9, de;q=0.7, *;q=0.5", "de"],
    ["en;q=0.3, sv;q=0.8", "sv"],
    ["sv;q=0.5, de;q=0.5", "sv"],
    ["SV-se", "sv"],
    ["fr", "en"],
    ["fr;q=1, *;q=0.1", "en"],
    ["fi;q=0", "en"],
    ["fi;q=2, de;q=0.1", "de"],
    ["fi;q=x", "en"],
    ["*", "en"],
    ["fin", "en"],
    [";;;,,=", "en"],
    ["de ; q=0.9", "de"],
  ] as const) {
    test(`picks ${language} for ${JSON.stringify(header)}`, () => {
      assert.equal(languageFor(header), language);
      assert.equal(languageFor(header), language);
    });
  }

  test("picks a language of the hub for any header", () => {
    fc.assert(fc.property(fc.string(), (header) => assert.ok(languages.includes(languageFor(header)))));
  });
});
