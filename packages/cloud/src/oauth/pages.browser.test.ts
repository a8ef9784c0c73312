// The pages for login and consent in Chromium: for readers of several languages, from a keyboard, on a narrow screen.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { assertAccessible, assertFits, launch, pressUntil, visit } from "@ledge/testkit/browser";
import type { Served } from "../http/test-served.ts";
import type { Language } from "../model/languages.ts";
import type { MadeClient } from "./clients.ts";
import { pageTexts } from "./page-texts.ts";
import { ask, claimsOf, codeForm, makeClient, startOf, startServed } from "./test-flow.ts";

const scope = "openid offline_access platform.read devices.control";
/** No place to break a line. */
const longName = "Sauna".repeat(10);
const longEmail = `${"a".repeat(120)}@example.org`;

/** Each language once, and each colour scheme with each width. */
const readers = [
  { language: "en", colorScheme: "light", width: 320 },
  { language: "fi", colorScheme: "dark", width: 320 },
  { language: "sv", colorScheme: "light", width: 1280 },
  { language: "de", colorScheme: "dark", width: 1280 },
] as const;

describe("the pages for login and consent", () => {
  let served: Served;
  let browser: Awaited<ReturnType<typeof launch>>;
  /** An app on the person's own machine, which waits for its code. */
  let app: Server;
  let client: MadeClient;
  let redirectUri: string;
  before(async () => {
    app = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>App</title><p>Back in the app");
    });
    await new Promise<void>((resolve) => void app.listen(0, "127.0.0.1", resolve));
    redirectUri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/back`;
    [served, browser] = await Promise.all([startServed(), launch()]);
    const scopes = ["openid", "offline_access", "platform.read", "devices.control"] as const;
    client = await makeClient(served, "maker@example.org", scopes, {
      name: longName,
      redirectUris: [redirectUri],
    });
  });
  after(async () => {
    await browser?.close();
    await served?.stop();
    app.closeAllConnections();
    app.close();
  });

  const start = (more: Readonly<Record<string, string>> = {}): string =>
    startOf(served.base, client.clientId, scope, { redirect_uri: redirectUri, ...more });
  const opened = (address: string, language: Language, more: object = {}) =>
    visit(
      browser,
      { address },
      { locale: language, extraHTTPHeaders: { "x-forwarded-for": served.newCaller() }, ...more },
    );

  for (const { language, colorScheme, width } of readers)
    test(`are accessible in ${language}, ${colorScheme}, ${width} px wide`, async () => {
      const texts = pageTexts[language];
      const seen = await opened(start(), language, { colorScheme, viewport: { width, height: 640 } });
      const { page } = seen;
      const looksAt = async (face: string): Promise<void> => {
        await assertAccessible(seen, face);
        await assertFits(seen, face);
      };
      const isDark = await page.evaluate<boolean>(
        "getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches",
      );
      assert.equal(isDark, colorScheme === "dark");
      await page.getByRole("heading", { level: 1, name: texts.logIn }).waitFor();
      await looksAt("address");
      await page.getByLabel(texts.email).fill(`${"x".repeat(290)}@example.org`);
      await page.getByRole("button", { name: texts.sendPassword }).click();
      await page.getByRole("alert").waitFor();
      await looksAt("wrong address");
      await page.getByLabel(texts.email).fill(longEmail.replace("a", language));
      await page.getByRole("button", { name: texts.sendPassword }).click();
      await page.getByLabel(texts.password).waitFor();
      await looksAt("password");
      await page.getByLabel(texts.password).fill("WRONG2");
      await page.getByRole("button", { name: texts.logIn }).click();
      await page.getByRole("alert").waitFor();
      await looksAt("wrong password");
      await page.getByLabel(texts.password).fill(served.passwordOf(longEmail.replace("a", language)));
      await page.getByRole("button", { name: texts.logIn }).click();
      await page.getByRole("button", { name: texts.deny }).waitFor();
      await looksAt("consent");
      await page.getByRole("button", { name: texts.deny }).click();
      await page.getByText("Back in the app").waitFor();
      assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
      await page.goto(`${served.base}/oauth2/interaction/none`);
      await page.getByText(texts.gone).waitFor();
      await looksAt("gone");
      await page.goto(start({ redirect_uri: "https://evil.example/" }));
      await page.getByRole("heading", { level: 1, name: texts.failed }).waitFor();
      await looksAt("error");
      assert.deepEqual(seen.problems, []);
      await seen.close();
    });

  test("lead from a keyboard alone to a code that brings a token", async () => {
    const seen = await opened(start(), "en", { viewport: { width: 320, height: 480 } });
    const { page } = seen;
    /** Whether a field or a button has the focus, and shows that it has it. */
    const focused = (label: string) => async (): Promise<boolean> => {
      const at = "(document.activeElement.labels?.[0] ?? document.activeElement).textContent";
      if ((await page.evaluate<string>(at)) !== label) return false;
      const outline = "getComputedStyle(document.activeElement).outlineStyle";
      return (await page.evaluate<string>(outline)) !== "none";
    };
    const { email, sendPassword, password, logIn, allow } = pageTexts.en;
    await pressUntil(page, "Tab", focused(email));
    await page.keyboard.type("ada@example.org");
    await pressUntil(page, "Tab", focused(sendPassword));
    await page.keyboard.press("Enter");
    await page.getByLabel(password).waitFor();
    await pressUntil(page, "Tab", focused(password));
    await page.keyboard.type(served.passwordOf("ada@example.org").toLowerCase());
    await pressUntil(page, "Tab", focused(logIn));
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: allow, exact: true }).waitFor();
    await pressUntil(page, "Tab", focused(allow));
    await page.keyboard.press("Enter");
    await page.getByText("Back in the app").waitFor();
    const form = codeForm(new URL(page.url()), { redirect_uri: redirectUri });
    const { status, access_token, error } = await ask(served.base, client, form);
    assert.equal(status, 200, error);
    assert.equal(claimsOf(access_token)["sub"], served.accountId("ada@example.org"));
    await seen.close();
  });
});
