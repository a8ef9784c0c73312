// A browser that stands for its user in rules about who comes and goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { TestHub } from "./hub.ts";
import { assertAccessible, goTo, takeBack, type Visit } from "./visit.ts";

interface Device {
  readonly type: string;
  readonly awayThreshold?: number;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Tests what More lets a browser say of its user, with a hub that knows of no such browser yet. */
export function testPresence(now: () => { readonly hub: TestHub; readonly seen: Visit }): void {
  test("says that its user is at home only when told, and no longer when told so", async () => {
    const { hub, seen } = now();
    const { page } = seen;
    const clients = async (): Promise<readonly Device[]> =>
      Object.values(await hub.call<Record<string, Device>>("GET", "/devices")).filter(
        ({ type }) => type === "UI_DEVICE",
      );
    assert.deepEqual(await clients(), []);
    await goTo(page, "more");
    const say = page.getByLabel("This device says that I am at home");
    await say.check();
    const here = async (): Promise<boolean> =>
      (await clients()).some(({ state }) => state["session"] === true);
    await until("the hub knows the browser", here);
    const after = page.getByRole("combobox", { name: "Counts as away after a silence of" });
    assert.equal(await after.inputValue(), "1800000");
    await assertAccessible(seen, "more, with a presence");
    const awayAfter = async (): Promise<unknown> => (await clients())[0]?.awayThreshold;
    await after.focus();
    await takeBack(page, "Silent for 1 hour, you count as away", async () => {
      await page.keyboard.press("ArrowDown");
      await until("the hub waits for an hour", async () => (await awayAfter()) === 3_600_000);
    });
    await until("the hub waits for half an hour", async () => (await awayAfter()) === 1_800_000);
    const silent = page.waitForRequest((request) => {
      const { pathname, searchParams } = new URL(request.url());
      return pathname.endsWith("/hub/poll") && !searchParams.has("vendor_uuid");
    });
    await say.uncheck();
    await silent;
    assert.equal((await clients()).length, 1);
  });
}
