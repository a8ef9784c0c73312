import assert from "node:assert/strict";
import { test } from "node:test";
import { oauthScopes } from "../model/oauth-scopes.ts";
import { languageOf, languages } from "../model/languages.ts";
import { pageTexts } from "./page-texts.ts";
import { consentPage, emailPage, errorPage, gonePage, passwordPage, policyOf } from "./pages.ts";

const hostile = `"><script>alert(1)</script>&'`;
const pagesIn = (language: (typeof languages)[number], text: string): string[] => {
  const shown = { language, client: text };
  const asked = { ...shown, email: text, tenant: text, place: text, scopes: oauthScopes };
  return [
    emailPage(shown, text),
    emailPage(shown, text, "noAddress"),
    passwordPage(shown, text, "wrongPassword"),
    consentPage(asked),
    gonePage(language),
    errorPage(language, text),
  ];
};

test("pages are whole documents without a script, in each language", () => {
  for (const language of languages)
    for (const page of pagesIn(language, "Sauna")) {
      assert.ok(page.startsWith(`<!doctype html><html lang="${language}">`));
      assert.match(page, /<title>[^<{]+ - Ledge<\/title>/);
      assert.equal(page.match(/<main>/g)?.length, 1);
      assert.equal(page.match(/<h1>[^<{]+<\/h1>/g)?.length, 1);
      assert.doesNotMatch(page, /<script|\son\w+=|javascript:|\{\w+\}/);
    }
});

test("each field has a label, each form a button, and what went wrong is announced", () => {
  for (const page of pagesIn("en", "Sauna")) {
    for (const [, id] of page.matchAll(/<input id="(\w+)"/g))
      assert.ok(page.includes(`<label for="${id}">`), id);
    for (const [form] of page.matchAll(/<form.*?<\/form>/g)) assert.match(form, /<button>[^<]+<\/button>/);
  }
  assert.match(emailPage({ language: "en", client: "x" }, "x", "tooMany"), /role="alert"/);
  assert.match(passwordPage({ language: "en", client: "x" }, "x"), /autocomplete="one-time-code"/);
});

test("text from outside is never markup", () => {
  for (const page of pagesIn("en", hostile)) {
    assert.doesNotMatch(page, /<script|&(?!#)/);
    assert.equal(page.includes(hostile), false);
  }
});

test("the policy allows no script, one style, and forms to the cloud and to where the answer goes", () => {
  const policy = policyOf("https://app.example/callback?x=1");
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self' https:\/\/app\.example;/,
  );
  assert.match(policyOf("org.example.app:/callback"), /form-action 'self' org\.example\.app:;/);
  assert.match(policyOf("nowhere; script-src *"), /form-action 'self'; frame-ancestors 'none'/);
  assert.match(policyOf(), /form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/);
});

test("the first language that is asked for and known counts", () => {
  for (const [wishes, language] of [
    [["fi"], "fi"],
    [["de-AT, en;q=0.5"], "de"],
    [["en;q=0.5, sv"], "sv"],
    [["en; q=0.5, sv ; Q=0.4"], "en"],
    [["fr; q=0.9, de; q=0.5"], "de"],
    [["fr-CA fi"], "fi"],
    [["fr", "sv"], "sv"],
    [["sv;q=0, de"], "de"],
    [["*"], "en"],
    [[undefined, ""], "en"],
    [["x".repeat(100_000)], "en"],
    [["fi;q=high, sv"], "sv"],
  ] as const)
    assert.equal(languageOf(...wishes), language, JSON.stringify(wishes).slice(0, 60));
});

test("each language has every text, with the same values to fill in", () => {
  const filledIn = (text: string): string[] =>
    (text.match(/\{\w+\}/g) ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  for (const language of languages) {
    const { scopes, ...texts } = pageTexts[language];
    for (const [name, text] of Object.entries(texts))
      assert.deepEqual(
        filledIn(text),
        filledIn(pageTexts.en[name as keyof typeof texts]),
        `${language} ${name}`,
      );
    assert.deepEqual(Object.keys(scopes), [...oauthScopes]);
  }
});
