// The list of devices: tests for a hub and a browser that run already.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, takeBack, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly room: readonly string[];
  readonly zones: readonly string[];
}

/** The owner's page, and its hub. */
interface Devices {
  readonly page: Page;
  readonly home: Visit;
  readonly call: TestHub["call"];
  readonly deviceNamed: (name: string) => Promise<Device>;
}

async function finds({ page }: Devices): Promise<void> {
  await page.getByRole("link", { name: "Devices" }).first().click();
  await page.getByLabel("Filter by name, room, kind or model").fill("living therm");
  await page.getByText("1 device", { exact: true }).waitFor();
  assert.match(page.url(), /#\/devices\?filter=living\+therm$/);
  await page.getByRole("button", { name: "Out of reach" }).click();
  await page.getByText("No device is like that.").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("41 devices", { exact: true }).waitFor();
}

async function keepsView({ home, page, call }: Devices): Promise<void> {
  const filter = page.getByLabel("Filter by name, room, kind or model");
  const save = page.getByRole("button", { name: "Save", exact: true });
  const view = (pressed: boolean) =>
    page.getByRole("group", { name: "Saved views" }).getByRole("button", { name: "Warmth", pressed });
  await filter.fill("therm");
  await page.getByText("Save this view").click();
  await save.click();
  await page.getByText("Fill in this field.").waitFor();
  await assertAccessible(home, "a view without a name");
  await page.getByLabel("Name of the view").fill("Warmth");
  await save.click();
  await view(true).waitFor();
  await assertAccessible(home, "a saved view");
  const path = "/hub/users/preferences";
  const { values } = await call<{ values: Record<string, unknown> }>("GET", path);
  assert.deepEqual(values["deviceViews"], [{ name: "Warmth", filter: "therm" }]);
  await view(true).press("Enter");
  await page.getByText("41 devices", { exact: true }).waitFor();
  await view(false).press("Enter");
  await view(true).waitFor();
  assert.match(page.url(), /#\/devices\?filter=therm$/);
  await takeBack(page, "Warmth is removed", async () => {
    await page.getByRole("button", { name: "Remove the view Warmth" }).click();
    await view(true).waitFor({ state: "detached" });
  });
  await view(true).waitFor();
  await filter.fill("");
  await view(false).waitFor();
}

async function changesMany({ home, page, deviceNamed, call }: Devices): Promise<void> {
  await page.getByLabel("Filter by name, room, kind or model").fill("kitchen ");
  await page.getByRole("button", { name: "Choose several" }).click();
  await page.getByRole("button", { name: "All that are found" }).click();
  await page.getByRole("checkbox", { name: /^Kitchen ceiling/ }).uncheck();
  await page.getByLabel("Replace in names").fill("kitchen");
  await page.getByLabel("By", { exact: true }).fill("Galley");
  const takesBack = (act: () => Promise<unknown>): Promise<void> =>
    takeBack(page, /\d+ devices? changed/, act);
  const all = async (): Promise<readonly Device[]> =>
    Object.values(await call<Record<string, Device>>("GET", "/devices"));
  const named = async (word: string): Promise<number> =>
    (await all()).filter(({ name }) => name.startsWith(word)).length;
  await takesBack(async () => {
    await page.getByRole("button", { name: "Rename" }).click();
    await until("they are renamed", async () => (await named("Galley")) >= 2);
    assert.equal(await named("Kitchen"), 1);
  });
  await until("they have their names", async () => (await named("Galley")) === 0);
  await page.getByRole("combobox", { name: "Zone" }).selectOption({ label: "New zone" });
  await page.getByLabel("Name of the zone").fill("Ground floor");
  const isZoned = async (): Promise<boolean> => (await all()).some(({ zones }) => zones.length === 1);
  await takesBack(async () => {
    await page.getByRole("button", { name: "Put in" }).click();
    await until("they are in a zone", isZoned);
  });
  await until("they are in no zone", async () => !(await isZoned()));
  await page.getByRole("combobox", { name: "Room" }).selectOption({ label: "Hallway" });
  const roomOf = async (name: string): Promise<string> => (await deviceNamed(name)).room.join();
  const [hallway, kitchen] = [await roomOf("Hallway ceiling"), await roomOf("Kitchen ceiling")];
  await takesBack(async () => {
    await page.getByRole("button", { name: "Move" }).click();
    await until("they are moved", async () => (await roomOf("Kitchen counter")) === hallway);
  });
  await until("they are moved back", async () => (await roomOf("Kitchen counter")) === kitchen);
  await assertAccessible(home, "devices, several chosen");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const lines = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
  assert.match(lines[0] ?? "", /^id,Name,Room,Zone,/);
  assert.ok(
    lines.some((line) => line.includes(",Kitchen ceiling,Kitchen,,Lamp,")),
    lines.join(),
  );
  await page.getByLabel("Filter by name, room, kind or model").fill("");
  await page.getByRole("button", { name: "Choose several" }).click();
}

async function drawsInSight({ page }: Devices): Promise<void> {
  await page.getByText("41 devices", { exact: true }).waitFor();
  const rows = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
  assert.ok((await rows.count()) < 30);
  await page.keyboard.press("End");
  await page.getByRole("link", { name: /^Yard motion/ }).waitFor();
  assert.ok((await page.locator("*").count()) < 1500);
}

const tests: readonly (readonly [title: string, act: (of: Devices) => Promise<void>])[] = [
  ["finds devices by text and chip, and the address keeps both", finds],
  ["keeps a filter by a name at the hub, and takes its removal back", keepsView],
  ["changes many devices at once, and takes that back with one press", changesMany],
  ["draws no more rows of a long list than are in sight", drawsInSight],
];

/** Adds the tests. @param running the owner's page and its hub, once they run */
export function testDeviceList(running: () => { readonly hub: TestHub; readonly home: Visit }): void {
  for (const [title, act] of tests)
    test(title, async () => {
      const { hub, home } = running();
      const call: TestHub["call"] = (method, path, body) => hub.call(method, path, body);
      await act({
        page: home.page,
        home,
        call,
        async deviceNamed(name) {
          const all = Object.values(await call<Record<string, Device>>("GET", "/devices"));
          return all.find((device) => device.name === name) ?? assert.fail(name);
        },
      });
    });
}
