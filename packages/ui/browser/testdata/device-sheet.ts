// What somebody does who holds a tile: tests for a hub and a browser that run already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { Locator, Page, Request } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, assertFits, goTo, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Home, and its hub. */
interface Tiles {
  readonly page: Page;
  readonly home: Visit;
  readonly call: TestHub["call"];
  readonly deviceNamed: (name: string) => Promise<Device>;
  /** The link of a tile. */
  readonly tile: (name: string) => Locator;
  readonly sheet: (name: string) => Locator;
}

/** Lets a finger rest on something until something else is there. */
async function holdUntil(page: Page, at: Locator, there: Locator): Promise<void> {
  await at.scrollIntoViewIfNeeded();
  const { x = 0, y = 0, width = 0, height = 0 } = (await at.boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  const touchPoints = [{ x: x + width / 2, y: y + height / 2 }];
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
  await there.waitFor();
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await session.detach();
}

async function controls({ page, home, call, deviceNamed, tile, sheet }: Tiles): Promise<void> {
  const name = "Living room ceiling";
  const { id } = await deviceNamed(name);
  for (const [type, isOn] of [
    ["CMD_DEVICE_ON", true],
    ["CMD_DEVICE_OFF", false],
  ] as const) {
    await call("PUT", "/devices/command", [{ type, id }]);
    await until("the lamp follows", async () => (await deviceNamed(name)).state["isOn"] === isOn);
  }
  await goTo(page, "more");
  await goTo(page, "");
  const of = sheet(name);
  await holdUntil(page, tile(name), of);
  const switched = (to: boolean): Promise<void> =>
    of.locator(`[role="switch"][aria-checked="${to}"]:not(.pending)`).waitFor();
  await switched(false);
  await of.getByRole("slider", { name: "Brightness" }).waitFor();
  await of.getByRole("slider", { name: "Colour temperature" }).waitFor();
  await of.getByRole("slider", { name: "Colour", exact: true }).waitFor();
  await of.getByText(/^Since .+ told Living room ceiling: off$/).waitFor();
  await assertFits(home, "the sheet of a lamp");
  const asked: string[] = [];
  const note = (request: Request): void => void asked.push(new URL(request.url()).pathname);
  page.on("request", note);
  await of.getByRole("switch").click();
  await switched(true);
  const why = of.getByRole("button", { name: "Why Power switch: On?" });
  await why.waitFor();
  page.off("request", note);
  // Nothing is asked because something has changed, but when somebody asks.
  assert.deepEqual(
    asked.filter((path) => !/poll$|command$/.test(path)),
    [],
  );
  await why.click();
  await of.getByText(/^Since .+ told Living room ceiling: on$/).waitFor();
  await page.keyboard.press("Escape");
  await of.waitFor({ state: "detached" });
  assert.match(page.url(), /#\/$/, "the tile has not led elsewhere");
  await page.locator(":focus", { hasText: name }).waitFor();
}

async function pointsAndKeys({ page, tile, sheet }: Tiles): Promise<void> {
  const name = "Living room thermostat";
  const of = sheet(name);
  const goes = async (): Promise<void> => {
    await of.waitFor({ state: "detached" });
    await page.locator("a:focus", { hasText: name }).waitFor();
  };
  await tile(name).click({ button: "right" });
  // A press in the sheet leaves it open.
  await of.getByRole("heading", { level: 2 }).click();
  await of.getByRole("group", { name: "Setpoint" }).waitFor();
  await page.mouse.click(4, 4);
  await goes();
  for (const key of ["ContextMenu", "Shift+F10"]) {
    await tile(name).press(key);
    await of.waitFor();
    await page.keyboard.press("Escape");
    await goes();
  }
  await page.getByRole("button", { name: `More controls of ${name}` }).click();
  await of.getByRole("button", { name: "Close" }).click();
  await of.waitFor({ state: "detached" });
  await page.locator("button:focus", { hasText: "⋯" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "More controls of Yard motion" }).count(), 0);
}

async function saysWhyNot({ page, home, tile, sheet }: Tiles): Promise<void> {
  await page.route("**/why?*", (route) =>
    route.fulfill({ status: 500, json: { message: "the hub failed" } }),
  );
  const name = "Living room ceiling";
  const of = sheet(name);
  await tile(name).press("ContextMenu");
  await of.getByText("the hub failed").waitFor();
  await assertAccessible(home, "a sheet without its cause");
  await page.unroute("**/why?*");
  await of.getByRole("button", { name: /^Why Power switch/ }).click();
  await of.getByText(/^Since /).waitFor();
  await of.getByRole("link", { name: `Show ${name}` }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await of.waitFor({ state: "detached" });
  await page.locator(":focus", { hasText: name }).waitFor();
}

const tests: readonly (readonly [title: string, act: (of: Tiles) => Promise<void>])[] = [
  ["opens all controls of a device, and why it is as it is, for a finger that holds its tile", controls],
  ["opens them by the right button and by keys, and gives the focus back", pointsAndKeys],
  ["says on them why nothing can be done, and leads to the device", saysWhyNot],
];

/** Adds the tests. @param running the owner's page and its hub, once they run */
export function testTileSheet(running: () => { readonly hub: TestHub; readonly home: Visit }): void {
  for (const [title, act] of tests)
    test(title, async () => {
      const { hub, home } = running();
      const { page } = home;
      const call: TestHub["call"] = (method, path, body) => hub.call(method, path, body);
      await act({
        page,
        home,
        call,
        async deviceNamed(name) {
          const all = Object.values(await call<Record<string, Device>>("GET", "/devices"));
          return all.find((device) => device.name === name) ?? assert.fail(name);
        },
        tile: (name) => page.locator(".tile a", { hasText: name }).first(),
        sheet: (name) => page.getByRole("dialog", { name, exact: true }),
      });
    });
}
