// Home of a hub that has rooms, zones and groups: tests for a hub and a browser that run already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, assertFits, goTo, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly zones: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
}

/** Home, and its hub. */
interface Home {
  readonly hub: TestHub;
  readonly seen: Visit;
  readonly page: Page;
  readonly devices: () => Promise<readonly Device[]>;
}

/** Puts the devices whose names begin with these words into rooms of these names. */
async function makeRooms({ hub, devices }: Home, ...names: readonly string[]): Promise<void> {
  const all = await devices();
  const inRooms = names.flatMap((room) =>
    all.filter(({ name }) => name.startsWith(room)).map(({ id }) => [id, { room }] as const),
  );
  await hub.call("PUT", "/hub/autoconfig", {
    name: "Rooms",
    rooms: { names },
    devices: Object.fromEntries(inRooms),
  });
}

async function showsClimate(home: Home): Promise<void> {
  const { hub, seen, page, devices } = home;
  await makeRooms(home, "Kitchen", "Hallway", "Living room");
  await goTo(page, "");
  const room = (name: string) => page.getByRole("region", { name, exact: true });
  const climate = (name: string) => room(name).locator(".room-head p");
  await climate("Living room")
    .getByText(/^[\d.]+\s°C · \d+\s%/)
    .waitFor();
  await climate("Hallway")
    .getByText(/Motion/)
    .waitFor();
  await assertAccessible(seen, "home with the climate of its rooms");
  await room("Kitchen").getByRole("link", { name: "Kitchen", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
  const inKitchen = (await devices()).filter(({ name }) => name.startsWith("Kitchen")).length;
  await page.getByText(`${inKitchen} devices`, { exact: true }).waitFor();
  const sensor = (await devices()).find(({ name }) => name === "Hallway motion") ?? assert.fail();
  await hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: sensor.id, room: [] }]);
  await goTo(page, "");
  await climate("Hallway")
    .getByText(/Motion/)
    .waitFor({ state: "detached" });
}

async function groupsByZone({ hub, seen, page, devices }: Home): Promise<void> {
  const [zone] = await hub.call<readonly { id: string }[]>("PUT", "/zones", [
    { type: "CMD_ZONE", id: null, name: "Ground floor" },
  ]);
  const id = zone?.id ?? assert.fail("no zone");
  const below = (await devices()).filter(({ name }) => /^(?:Kitchen|Hallway) /.test(name));
  const commands = below.map((device) => ({ type: "CMD_DEVICE_META", id: device.id, zones: [id] }));
  await hub.call("PUT", "/devices", commands);
  const floor = page.getByRole("region", { name: "Ground floor" });
  await floor.getByRole("heading", { level: 2, name: "Ground floor" }).waitFor();
  const others = page.getByRole("region", { name: "Other rooms" });
  await others.getByRole("heading", { level: 3, name: "Living room" }).waitFor();
  assert.deepEqual(await floor.getByRole("heading", { level: 3 }).getByRole("link").allTextContents(), [
    "Kitchen›",
    "Hallway›",
  ]);
  await page.getByRole("heading", { level: 2, name: "Without a room" }).waitFor();
  await assertAccessible(seen, "home by zone");
  await assertFits(seen, "home by zone");
  await hub.call("DELETE", `/zones?zoneId=${id}`);
  await until("no device is in the zone", async () =>
    (await devices()).every(({ zones }) => zones.length === 0),
  );
  await page.getByRole("heading", { level: 2, name: "Living room" }).waitFor();
}

const tests: readonly (readonly [title: string, act: (of: Home) => Promise<void>])[] = [
  ["tells the air and the last motion of a room, whose name leads to its devices", showsClimate],
  ["shows rooms by zone, while there are zones", groupsByZone],
];

/** Adds the tests. @param running the owner's page and its hub, once they run */
export function testHome(running: () => { readonly hub: TestHub; readonly seen: Visit }): void {
  for (const [title, act] of tests)
    test(`home ${title}`, async () => {
      const { hub, seen } = running();
      const devices = async (): Promise<readonly Device[]> =>
        Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
      await act({ hub, seen, page: seen.page, devices });
    });
}
