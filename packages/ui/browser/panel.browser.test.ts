// A browser that is a panel on the wall.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Page } from "playwright-core";
import { startHub, type TestHub } from "./testdata/hub.ts";
import {
  assertAccessible,
  assertFits,
  enter,
  launch,
  pressUntil,
  type Visit,
  visit,
} from "./testdata/visit.ts";

describe("a panel on the wall", () => {
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  let kitchen = "";

  before(async () => {
    [hub, browser] = await Promise.all([startHub(), launch()]);
    const devices = await hub.call<Record<string, { id: string; name: string }>>("GET", "/devices");
    const inKitchen = Object.values(devices).filter(({ name }) => name.startsWith("Kitchen"));
    await hub.call("PUT", "/hub/name?name=Cabin");
    await hub.call("PUT", "/hub/autoconfig", {
      name: "Cabin",
      rooms: { names: ["Attic", "Kitchen"] },
      devices: Object.fromEntries(inKitchen.map(({ id }) => [id, { room: "Kitchen" }])),
    });
    const rooms = await hub.call<Record<string, { id: string; name: string }>>("GET", "/rooms");
    kitchen = Object.values(rooms).find(({ name }) => name === "Kitchen")?.id ?? "";
    seen = await visit(browser, hub, { viewport: { width: 1024, height: 700 } });
    ({ page } = seen);
    await page.clock.install();
    await enter(seen, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  test("is chosen under More, by room, with a PIN of digits", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "Panel on the wall" }).click();
    await page.getByLabel("What it shows").selectOption({ label: "Kitchen" });
    await page.getByLabel("PIN to leave it, if you want one").fill("25a");
    await page.getByRole("button", { name: "Show the panel" }).click();
    await page.getByText("A PIN has 4 to 8 digits.").waitFor();
    await assertAccessible(seen, "the way to a panel");
    await page.getByLabel("PIN to leave it, if you want one").fill("2580");
    await page.getByRole("button", { name: "Show the panel" }).click();
    await page.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
  });

  test("shows the room alone, and switches its lamps", async () => {
    const lamp = page.getByRole("switch", { name: /^Kitchen ceiling/ });
    await lamp.waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
    assert.equal(await page.getByRole("link").count(), 0);
    assert.equal(await page.getByText("Hallway ceiling").count(), 0);
    await assertAccessible(seen, "panel");
    await lamp.click();
    await page.locator('[aria-label^="Kitchen ceiling"][aria-checked="true"]:not(.pending)').waitFor();
    const box = await lamp.boundingBox();
    assert.ok((box?.height ?? 0) >= 64, `${box?.height}`);
  });

  test("is left neither by an address nor by loading the page anew", async () => {
    await page.goto(`${hub.address}/#/people`);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
    await page.locator('[aria-label^="Kitchen ceiling"][aria-checked="true"]').waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
  });

  test("dims after a minute, and the touch that wakes it switches nothing", async () => {
    const rest = page.getByRole("dialog", { name: "The panel rests" });
    // The page's clock runs on by itself unless it is held, which is possible at a later time alone.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 120_000);
    const becomes = (isAtRest: boolean): Promise<boolean> =>
      until(`at rest: ${isAtRest}`, async () => {
        await page.clock.runFor(100);
        return (await rest.isVisible()) === isAtRest;
      });
    await becomes(true);
    await page.keyboard.press("Shift");
    await becomes(false);
    await page.keyboard.press("Shift");
    await page.clock.runFor(59_000);
    assert.equal(await page.locator(".night").count(), 0);
    await page.clock.runFor(2000);
    await page.clock.resume();
    await rest.waitFor();
    await assertAccessible(seen, "panel at rest");
    const { x = 0, y = 0 } = (await page.getByRole("switch").first().boundingBox()) ?? {};
    await page.mouse.click(x + 20, y + 20);
    await rest.waitFor({ state: "detached" });
    await page.clock.fastForward(61_000);
    await rest.waitFor();
    await page.keyboard.press("Space");
    await rest.waitFor({ state: "detached" });
    const lamp = '[aria-label^="Kitchen ceiling"][aria-checked="true"]';
    await page.locator(lamp).waitFor();
    assert.equal(await page.locator(".pending").count(), 0);
  });

  test("wakes when an alarm is raised, and says it", async () => {
    const rest = page.getByRole("dialog", { name: "The panel rests" });
    await page.clock.fastForward(61_000);
    await rest.waitFor();
    await hub.ledge("key", "--recover");
    await rest.waitFor({ state: "detached" });
    await page.locator('[role="alert"] .wall-alarm').first().waitFor();
    await assertAccessible(seen, "panel with an alarm");
  });

  test("is left with its PIN from the keyboard, and not with another", async () => {
    const leave = page.getByRole("button", { name: "Leave the panel" });
    const isAtLeave = async (): Promise<boolean> =>
      (await page.evaluate(() => document.activeElement?.textContent)) === "Leave the panel";
    await pressUntil(page, "Tab", isAtLeave);
    await page.keyboard.press("Enter");
    const field = page.getByLabel("PIN", { exact: true });
    await field.fill("2581");
    await field.press("Enter");
    await page.getByText("That is not the PIN.").waitFor();
    await assertAccessible(seen, "panel with a wrong PIN");
    await field.fill("2580");
    await field.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Cabin" }).waitFor();
    assert.equal(await leave.count(), 0);
    await page.getByRole("link", { name: "More" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("says that its room is empty or gone, and what it knew last without a connection", async () => {
    const rooms = await hub.call<Record<string, { id: string; name: string }>>("GET", "/rooms");
    const attic = Object.values(rooms).find(({ name }) => name === "Attic")?.id ?? "";
    await page.goto(`${hub.address}/#/panel/${attic}`);
    await page.getByText("Nothing is in here.").waitFor();
    await assertAccessible(seen, "panel of an empty room");
    await hub.call("DELETE", `/rooms?roomId=${attic}`);
    await page.getByText("This room is gone.").waitFor();
    await assertAccessible(seen, "panel of a room that is gone");
    await page.goto(`${hub.address}/#/panel/${kitchen}`);
    await page.context().setOffline(true);
    await page.getByText(/^No connection\. As of /).waitFor();
    assert.equal(await page.locator('[role="switch"][aria-disabled="false"]').count(), 0);
    await assertAccessible(seen, "panel, offline");
    await page.context().setOffline(false);
    await page.locator('[role="switch"][aria-disabled="false"]').first().waitFor();
    await page.getByRole("button", { name: "Leave the panel" }).click();
    await page.getByRole("link", { name: "More" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("shows the whole home in another language, dark, on a narrow phone", async () => {
    const viewport = { width: 320, height: 800 };
    const other = await visit(browser, hub, { locale: "de", colorScheme: "dark", viewport });
    await other.page.goto(`${hub.address}/#/panel/home`);
    await other.page.locator("details summary").click();
    await other.page.locator("textarea").fill(hub.key);
    await other.page.locator('details button[type="submit"]').click();
    await other.page.getByRole("heading", { level: 2, name: "Kitchen" }).waitFor();
    await other.page.getByRole("switch", { name: /^Hallway ceiling/ }).waitFor();
    await assertAccessible(other, "panel of the whole home");
    await assertFits(other, "panel of the whole home");
    assert.deepEqual(other.problems, []);
    await other.close();
  });
});
