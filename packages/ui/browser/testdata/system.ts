// What the screen System does to the hub's machine and to all devices.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, goTo, takeBack, type Visit } from "./visit.ts";

interface Device {
  readonly rwx: number;
}

/** A browser that shows the screen System, and its hub. */
type Now = () => { readonly hub: TestHub; readonly seen: Visit };

/** Tests what the screen does to the settings of all devices, and to the hub's machine. It shows the screen at the end. */
export function testSystem(now: Now): void {
  const page = (): Page => now().seen.page;
  testLock(now, page);
  testUpdate(now, page);
  testFailingUpdate(now, page);
}

function testLock(now: Now, page: () => Page): void {
  test("locks the settings of all devices, takes that back, and lets the owner unlock them", async () => {
    const card = page().getByRole("region", { name: "Lock", exact: true });
    const locked = async (): Promise<number> =>
      Object.values(await now().hub.call<Record<string, Device>>("GET", "/devices")).filter(
        ({ rwx }) => rwx === 0o555,
      ).length;
    const lock = async (): Promise<void> => {
      await card.getByRole("button", { name: "Lock all devices" }).click();
      await card.getByRole("button", { name: "Lock them" }).click();
      await card.getByText(/^(\d+) of \1 devices are locked\.$/).waitFor();
    };
    await card.getByRole("button", { name: "Lock all devices" }).click();
    await assertAccessible(now().seen, "the question whether all is locked");
    await card.getByRole("button", { name: "Leave them open" }).click();
    assert.equal(await locked(), 0);
    await takeBack(page(), "All devices are locked", async () => {
      await lock();
      assert.ok((await locked()) > 40);
    });
    await card.getByText(/^0 of \d+ devices are locked\.$/).waitFor();
    assert.equal(await locked(), 0);
    await lock();
    await card.getByRole("button", { name: "Unlock all devices" }).click();
    await card.getByText(/^0 of \d+ devices are locked\.$/).waitFor();
    assert.equal(await locked(), 0);
  });
}

function testUpdate(now: Now, page: () => Page): void {
  test("has no update of its own where its machine is updated from outside", async () => {
    const update = { ...(await now().hub.call<object>("GET", "/hub/update")) };
    assert.deepEqual({ ...update, updatesItself: false }, update);
    assert.equal(await page().getByRole("region", { name: "Update" }).count(), 0);
  });

  test("checks for a release, installs it, follows that over a reboot, and goes back", async () => {
    // A machine with two slots: what the hub of one says, from step to step.
    const idle = { ...(await now().hub.call<object>("GET", "/hub/update")), updatesItself: true };
    const previous = { version: "0.2.0", losesSince: Date.UTC(2026, 10, 24, 16, 4) };
    let status: object = idle;
    const orders: unknown[] = [];
    await page().route("**/hub/update", async (route) => {
      if (route.request().method() === "POST") {
        const { action } = route.request().postDataJSON() as { action: string };
        orders.push(action);
        if (action === "CHECK") status = { ...idle, available: "0.3.0" };
        else if (action === "INSTALL") status = { ...idle, phase: "FETCHING", pctComplete: 40 };
        else status = { ...status, phase: "RETURNING", version: "0.2.0", previous };
      }
      await route.fulfill({ json: status });
    });
    await goTo(page(), "more");
    await goTo(page(), "system");
    const card = page().getByRole("region", { name: "Update" });
    await card.getByText(/^Release \S+ runs\. The hub knows of none that is newer\.$/).waitFor();
    await card.getByRole("button", { name: "Look for a newer release" }).click();
    await card.getByRole("button", { name: "Install release 0.3.0" }).click();
    await card.getByText(/^The hub fetches and checks it, and the machine then reboots/).waitFor();
    await assertAccessible(now().seen, "the question whether a release is installed");
    await card.getByRole("button", { name: "Install it now" }).click();
    await card.getByRole("progressbar", { name: "The new release is being fetched." }).waitFor();
    assert.equal(await card.getByRole("button").count(), 0);
    await assertAccessible(now().seen, "a release that is being fetched");
    status = { ...idle, phase: "INSTALLED", version: "0.3.0" };
    await card.getByText(/^Release 0\.3\.0 is written, and the machine reboots\./).waitFor();
    await page().context().setOffline(true);
    await page()
      .getByText(/^No connection\. As of/)
      .waitFor();
    status = { ...idle, release: "0.3.0", phase: "TRIAL", version: "0.3.0" };
    await page().context().setOffline(false);
    await card.getByText("Release 0.3.0 is on trial for a minute.").waitFor();
    const outcome = { result: "INSTALLED", version: "0.3.0", message: null, at: Date.now() };
    status = { ...idle, release: "0.3.0", outcome, previous };
    await card.getByText(/^Release 0\.3\.0 was installed, /).waitFor();
    await card.getByRole("button", { name: "Go back to release 0.2.0" }).click();
    await card.getByText(/all that the hub has recorded since .*2026.* would be lost\./).waitFor();
    await assertAccessible(now().seen, "the question whether a release is left");
    await card.getByRole("button", { name: "Go back now" }).click();
    await card.getByText("The machine goes back to release 0.2.0.").waitFor();
    assert.deepEqual(orders, ["CHECK", "INSTALL", "ROLL_BACK"]);
    await page().unroute("**/hub/update");
  });
}

function testFailingUpdate(now: Now, page: () => Page): void {
  test("says why a check for a release failed", async () => {
    // The same machine without a feed: the hub's own refusal.
    await page().route("**/hub/update", async (route) => {
      if (route.request().method() === "POST") return route.fallback();
      const response = await route.fetch();
      const status = (await response.json()) as object;
      await route.fulfill({ response, json: { ...status, updatesItself: true } });
    });
    await goTo(page(), "more");
    await goTo(page(), "system");
    const card = page().getByRole("region", { name: "Update" });
    await card.getByRole("button", { name: "Look for a newer release" }).click();
    await card.getByText(/^this machine has no updates of its own/).waitFor();
    await assertAccessible(now().seen, "a check that failed");
    await page().unroute("**/hub/update");
    await goTo(page(), "more");
    await goTo(page(), "system");
  });
}
