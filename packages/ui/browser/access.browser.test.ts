import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { assertAccessible, assertFits, enter, goTo, launch, openKeyField, visit } from "./testdata/visit.ts";

/** Each language, colour scheme and width at least once, in pairs that cover every two of them. */
const readers = [
  { language: "en", colorScheme: "light", width: 320 },
  { language: "en", colorScheme: "dark", width: 1280 },
  { language: "de", colorScheme: "light", width: 1280 },
  { language: "de", colorScheme: "dark", width: 320 },
] as const;

/** The words by which a test finds its way, by language. */
const words = {
  en: {
    live: "live",
    cause: /^Since|has not changed since/,
    why: /^Why Power switch/,
    offline: /^No connection/,
    none: "No device is like that.",
  },
  de: {
    live: "verbunden",
    cause: /^Seit|nicht geändert, seit/,
    why: /^Warum Schalter/,
    offline: /^Keine Verbindung/,
    none: "Kein Gerät ist so.",
  },
} as const;

describe("the web interface is accessible", () => {
  let hub: TestHub;
  let browser: Browser;
  before(async () => {
    const features = ["CUSTOM_RULES", "EVENTS", "VIEW_HISTORY", "PN_MESSAGING", "MQTT"];
    [hub, browser] = await Promise.all([startHub(true, "none", {}, { features }), launch()]);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  for (const { language, colorScheme, width } of readers) {
    test(`on every screen in ${language}, ${colorScheme}, ${width} px wide`, async () => {
      const viewport = { width, height: 800 };
      const seen = await visit(browser, hub, { locale: language, colorScheme, viewport });
      const { page } = seen;
      const { live, why, offline, none } = words[language];
      await openKeyField(page);
      await assertAccessible(seen, "login");
      await page.locator("textarea").fill(hub.key);
      await page.locator('details button[type="submit"]').click();
      await page.getByText(live, { exact: true }).waitFor();
      await page.getByRole("link", { name: /^Kitchen ceiling/ }).waitFor();
      await assertAccessible(seen, "home");
      await assertFits(seen, "home");
      await page.getByRole("link", { name: /^Kitchen ceiling/ }).press("ContextMenu");
      await page.getByRole("dialog", { name: "Kitchen ceiling" }).getByText(words[language].cause).waitFor();
      await assertAccessible(seen, "sheet");
      await assertFits(seen, "sheet");
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: /^Kitchen ceiling/ }).click();
      await page.getByRole("button", { name: why }).click();
      await page.locator(".chain li").first().waitFor();
      await assertAccessible(seen, "why");
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      const radio = page.locator('[aria-labelledby="radio-title"]');
      await radio.getByRole("button").click();
      await radio.getByRole("definition").first().waitFor();
      await assertAccessible(seen, "device");
      await assertFits(seen, "device");
      await page.goto(`${hub.address}/#/devices?filter=thermostat`);
      await page.getByRole("link", { name: /^Living room thermostat/ }).waitFor();
      await assertAccessible(seen, "devices");
      await assertFits(seen, "devices");
      await page.getByRole("link", { name: /^Living room thermostat/ }).click();
      await page.locator("form input").first().waitFor();
      await assertAccessible(seen, "settings");
      await page.goto(`${hub.address}/#/devices?filter=nothing+at+all`);
      await page.getByText(none).waitFor();
      await assertAccessible(seen, "devices, none found");
      for (const screen of [
        "timeline",
        "rules",
        "alarms",
        "people",
        "network",
        "api",
        "health",
        "system",
        "features",
        "messages",
        "broker",
        "energy",
        "panel",
        "pair",
        "rule",
        "rule?type=SUN_SCHEDULE",
        "custom",
        "custom?example=custom.linger",
        "scenes",
        "scene",
        "group",
        "more",
        "nowhere",
        "device/nothing",
      ]) {
        await goTo(page, screen);
        await assertAccessible(seen, screen);
        await assertFits(seen, screen);
      }
      await page.goto(`${hub.address}/#/`);
      await page.context().setOffline(true);
      await page.getByText(offline).waitFor();
      await assertAccessible(seen, "home, offline");
      assert.deepEqual(seen.problems, []);
      await seen.close();
    });
  }

  test("to somebody who sees forced colours and reads twice as large", async () => {
    const seen = await visit(browser, hub, { forcedColors: "active", viewport: { width: 640, height: 800 } });
    await enter(seen, hub);
    await seen.page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await seen.page.getByRole("switch").first().waitFor();
    await assertFits(seen, "home");
    await seen.close();
  });
});
