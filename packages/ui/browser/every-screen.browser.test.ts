// What holds on every screen: what it costs, times of the home, and what it shows while the hub is away.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import type { Browser, Page, Request, Route } from "playwright-core";
import { until } from "@ledge/testkit";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { assertAccessible, enter, launch, type Visit, visit } from "./testdata/visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** How many rows of the API each screen asks for when it is opened. */
const requests: Readonly<Record<string, number>> = {
  "": 0,
  devices: 1,
  rules: 1,
  rule: 1,
  "rule?type=SUN_SCHEDULE": 0,
  custom: 1,
  scenes: 0,
  scene: 0,
  group: 0,
  // It reads pages of events until its window is whole.
  timeline: 12,
  alarms: 0,
  people: 1,
  network: 4,
  energy: 4,
  features: 1,
  messages: 1,
  broker: 1,
  health: 1,
  system: 6,
  api: 1,
  pair: 4,
  more: 0,
};

const mostNodes = 1500;

/** Preact calls a hook of this name before each rendering, that of an inherited property too. */
const countRenders = `
  globalThis.rendered = [];
  Object.defineProperty(Object.prototype, "__r", {
    value({ type, props }) { if (typeof type === "function") rendered.push([type, props.id ?? props.device?.id ?? null]); },
    writable: true,
    configurable: true,
  });
`;

/** Ends when the page has drawn a frame and has nothing left to do. */
const drawn = "new Promise((done) => requestAnimationFrame(() => requestIdleCallback(() => done())))";

/** Returns the zone of the home that the browser has kept. */
function keptZone(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>(`new Promise((resolve) => {
    const opening = indexedDB.open("ledge");
    opening.onsuccess = () => {
      const asked = opening.result.transaction("kept").objectStore("kept").get("snapshot");
      asked.onsuccess = () => (opening.result.close(), resolve(asked.result?.zone));
    };
  })`);
}

describe("every screen in a browser", () => {
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  let page: Page;

  before(async () => {
    [hub, browser] = await Promise.all([startHub(), launch()]);
    await hub.call("PUT", "/hub/tz?timezone=America/New_York");
    seen = await visit(browser, { address: "about:blank" }, { timezoneId: "Pacific/Auckland" });
    ({ page } = seen);
    await page.addInitScript(countRenders);
    await page.goto(hub.address);
    await enter(seen, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  const show = async (screen: string): Promise<void> => {
    await page.goto(`${hub.address}/#/${screen}`);
    await page.locator("main h1").waitFor();
  };

  test("writes times in the zone of the home, not in that of the browser", async () => {
    await page.getByRole("link", { name: "Devices" }).first().click();
    const time = page.locator("li time").first();
    const shown = { dateStyle: "medium", timeStyle: "short", timeZone: "America/New_York" } as const;
    const format = new Intl.DateTimeFormat("en", shown);
    const isOfHome = async (): Promise<boolean> => {
      const at = Date.parse((await time.getAttribute("datetime")) ?? "");
      return (await time.getAttribute("title")) === format.format(at);
    };
    await until("times are those of the home", isOfHome);
    // A page that is hidden has the browser keep the home.
    await page.evaluate(`
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    await until("the browser has kept the zone", async () => (await keptZone(page)) === "America/New_York");
    // The next visit begins with what the browser has kept: the hub does not say the zone again.
    const { promise: asked, resolve: hear } = Promise.withResolvers<Route>();
    await page.route("**/hub/tz", hear);
    await page.reload();
    await time.waitFor();
    await until("times are those of the home that was kept", isOfHome);
    await (await asked).fallback();
    await page.unroute("**/hub/tz");
  });

  test(`asks the hub for little, and draws at most ${mostNodes} elements`, async () => {
    const found: Record<string, string[]> = {};
    const open = new Set<Request>();
    const note = (request: Request): void => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/ui/") || pathname.endsWith("/hub/poll")) return;
      open.add(request);
      const screen = page.url().split("#/")[1] ?? "";
      (found[screen] ??= []).push(pathname + search);
    };
    const settle = (request: Request): void => void open.delete(request);
    page.on("request", note).on("requestfinished", settle).on("requestfailed", settle);
    for (const screen of Object.keys(requests)) {
      await show(screen);
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      // A question may follow from an answer, once that is drawn.
      for (let rests = 0; rests < 3; rests++) {
        if (open.size > 0) rests = 0;
        await page.evaluate(drawn);
        await sleep(50);
      }
      const nodes = await page.locator("*").count();
      assert.ok(nodes <= mostNodes, `${screen}: ${nodes}`);
    }
    page.off("request", note).off("requestfinished", settle).off("requestfailed", settle);
    const beyond = Object.entries(found).flatMap(([screen, rows]) =>
      rows.length > (requests[screen] ?? 0) ? [`${screen}: ${rows.join()}`] : [],
    );
    assert.deepEqual(beyond, []);
  });

  test(`draws at most ${mostNodes} elements of a large home, and more as somebody scrolls`, async () => {
    await show("devices");
    const many = 300;
    const like = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    const devices = Object.fromEntries(
      Array.from({ length: many }, (_, number) => {
        const id = `of many ${number}`;
        return [id, { ...like[number % like.length], id, name: `Zone ${number}`, room: [] }];
      }),
    );
    const { promise: asked, resolve: hear } = Promise.withResolvers<Route>();
    await page.route("**/hub/poll?*", hear);
    await hub.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Loft" }]);
    const poll = await asked;
    const cursor = Number(new URL(poll.request().url()).searchParams.get("ts"));
    await poll.fulfill({ json: { timestamp: cursor + 1, full: false, polls: [{ devices }] } });
    await page.getByText(/^3\d\d devices$/).waitFor();
    await show("");
    await page.getByRole("heading", { level: 2, name: "Without a room" }).waitFor();
    await page.evaluate(drawn);
    const nodes = await page.locator("*").count();
    assert.ok(nodes <= mostNodes, `${nodes}`);
    assert.ok((await page.locator(".tile").count()) < many / 2);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.getByRole("link", { name: "Zone 299" }).waitFor();
    await page.unroute("**/hub/poll?*");
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
  });

  test("draws nothing but what shows a device that has changed, and that once", async () => {
    await show("");
    const { id, state, ...lamp } = Object.values(
      await hub.call<Record<string, Device>>("GET", "/devices"),
    ).find(({ name }) => name === "Hallway ceiling") as Device;
    const switchThatIs = (isOn: boolean): Promise<void> =>
      page.locator(`[role="switch"][aria-label^="Hallway ceiling"][aria-checked="${isOn}"]`).waitFor();
    const delta = (timestamp: number, isOn: boolean): object => ({
      timestamp,
      full: false,
      polls: [{ devices: { [id]: { ...lamp, id, state: { ...state, isOn } } } }],
    });
    const isOn = state["isOn"] !== true;
    await switchThatIs(!isOn);
    // Of all that happens in the home the page hears this alone.
    const { promise: asked, resolve: hear } = Promise.withResolvers<Route>();
    await page.route("**/hub/poll?*", hear);
    await hub.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Shed" }]);
    const poll = await asked;
    await page.evaluate("rendered.length = 0");
    const cursor = Number(new URL(poll.request().url()).searchParams.get("ts"));
    await poll.fulfill({ json: delta(cursor + 1, isOn) });
    await switchThatIs(isOn);
    const rendered = await page.evaluate<[number, string | null][]>(
      "(() => { const types = [...new Set(rendered.map(([type]) => type))]; return rendered.map(([type, id]) => [types.indexOf(type), id]); })()",
    );
    await page.unroute("**/hub/poll?*");
    assert.deepEqual([...new Set(rendered.map(([, of]) => of))], [id]);
    assert.equal(new Set(rendered.map(([type]) => type)).size, rendered.length, "each once");
    assert.ok(rendered.length > 0);
  });

  test("asks the hub for nothing when a device changes whose sheet is open, and closes it when the device goes", async () => {
    await show("");
    const { id, state, ...lamp } = Object.values(
      await hub.call<Record<string, Device>>("GET", "/devices"),
    ).find(({ name }) => name === "Hallway ceiling") as Device;
    await page.getByRole("link", { name: /^Hallway ceiling/ }).press("ContextMenu");
    const sheet = page.getByRole("dialog", { name: "Hallway ceiling" });
    await sheet.getByText(/^Since |has not changed since/).waitFor();
    const asked: string[] = [];
    const note = (request: Request): void => void asked.push(new URL(request.url()).pathname);
    page.on("request", note);
    const polls: Route[] = [];
    await page.route("**/hub/poll?*", (route) => void polls.push(route));
    await hub.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Attic" }]);
    const tell = async (device: object | null): Promise<void> => {
      const poll = await until("the page follows", async () => polls.shift());
      const cursor = Number(new URL(poll.request().url()).searchParams.get("ts"));
      const polled = [{ devices: { [id]: device } }];
      await poll.fulfill({ json: { timestamp: cursor + 1, full: false, polls: polled } });
    };
    const isOn = state["isOn"] !== true;
    await tell({ ...lamp, id, state: { ...state, isOn } });
    await sheet.getByRole("switch", { checked: isOn }).waitFor();
    await sheet.getByRole("button", { name: /^Why Power switch/ }).waitFor();
    await tell(null);
    await sheet.waitFor({ state: "detached" });
    assert.deepEqual(
      asked.filter((path) => !path.endsWith("/hub/poll")),
      [],
    );
    await page.unroute("**/hub/poll?*");
    page.off("request", note);
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
  });

  test("goes on without a break when the hub is back with another version of its API", async () => {
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    await page.evaluate(`
      globalThis.said = new Set();
      new MutationObserver(() => said.add(document.querySelector(".connection")?.textContent))
        .observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    const learned = page.waitForRequest((request) => new URL(request.url()).pathname === "/hub");
    let refused = 0;
    await page.route("**/hub/poll?*", async (route) => {
      if (refused++ > 0) return route.fallback();
      await route.fulfill({ status: 410, json: { message: "the hub speaks 1.14" } });
    });
    await hub.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Barn" }]);
    await learned;
    await hub.call("PUT", "/hub/name?name=Cabin");
    const lamp = Object.values(await hub.call<Record<string, Device>>("GET", "/devices")).find(
      ({ name }) => name === "Hallway ceiling",
    ) as Device;
    await hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: lamp.id, name: "Barn lamp" }]);
    await page.getByRole("link", { name: /^Barn lamp/ }).waitFor();
    await hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: lamp.id, name: lamp.name }]);
    await page.getByRole("link", { name: new RegExp(`^${lamp.name}`) }).waitFor();
    await page.unroute("**/hub/poll?*");
    assert.deepEqual(await page.evaluate("[...said]"), ["live"]);
  });

  test("says that there is no connection, stays accessible, and goes on", async () => {
    await show("system");
    const restart = page.getByRole("button", { name: "Restart the hub" });
    await restart.focus();
    await page.context().setOffline(true);
    await page.getByText(/^No connection\. As of/).waitFor();
    // It waits for the hub with whoever has come to it by keys.
    assert.ok(await restart.isDisabled());
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Restart the hub");
    assert.equal(await page.getByRole("button", { name: "Restart now" }).count(), 0);
    const zone = page.getByLabel("Time zone");
    const was = await zone.inputValue();
    await zone.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("z");
    assert.equal(await zone.inputValue(), was);
    assert.ok(await zone.isDisabled());
    assert.equal(await page.evaluate("document.activeElement.tagName"), "SELECT");
    for (const screen of Object.keys(requests)) {
      await show(screen);
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      await assertAccessible(seen, `${screen}, offline`);
    }
    await show("health");
    await page
      .getByRole("alert")
      .getByText(/^The hub does not answer/)
      .waitFor();
    await page.context().setOffline(false);
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 2, name: "Adapters and radios" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });
});
