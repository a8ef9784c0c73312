// What Home shows besides devices: groups, people, and the way into a room. For a hub and a browser that run already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { TestHub } from "./hub.ts";
import { assertAccessible, goTo, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly room: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
}

/** The owner's page, and its hub. */
interface Shown {
  readonly hub: TestHub;
  readonly home: Visit;
}

async function devicesOf(hub: TestHub): Promise<readonly Device[]> {
  return Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
}

async function switchesGroup({ hub, home }: Shown): Promise<void> {
  const { page } = home;
  const names = new Set(["Living room ceiling", "Bedroom ceiling"]);
  const lamps = async (): Promise<readonly Device[]> =>
    (await devicesOf(hub)).filter(({ name }) => names.has(name));
  const are = (isOn: boolean): Promise<unknown> =>
    until(`the lamps are ${isOn}`, async () => (await lamps()).every(({ state }) => state["isOn"] === isOn));
  const members = (await lamps()).map(({ id }) => id);
  for (const id of members) await hub.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
  await are(false);
  const [made] = await hub.call<readonly { id: string }[]>("PUT", "/groups", [
    { type: "CMD_GROUP", name: "Evening lamps", members },
  ]);
  const id = made?.id ?? assert.fail("no group");
  await page.goto(`${hub.address}/#/`);
  const tile = page.getByRole("region", { name: "Groups" }).getByRole("listitem");
  const flip = tile.getByRole("switch", { name: /^Evening lamps/, checked: false });
  await tile.getByText("Off", { exact: true }).waitFor();
  await flip.click();
  await are(true);
  await tile.getByText("On", { exact: true }).waitFor();
  await hub.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id: members[0] }]);
  await tile.getByText("1 of 2 on").waitFor();
  await assertAccessible(home, "a group on Home");
  const sheet = page.getByRole("dialog", { name: "Evening lamps" });
  await page.getByRole("button", { name: "More controls of Evening lamps" }).click();
  await sheet.getByText("Bedroom ceiling").waitFor();
  await sheet.getByRole("slider", { name: "Brightness" }).waitFor();
  await assertAccessible(home, "the sheet of a group");
  await sheet.getByRole("button", { name: "Off", exact: true }).click();
  await are(false);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await tile.getByRole("link", { name: /^Evening lamps/ }).press("ContextMenu");
  await sheet.getByRole("link", { name: "Show Evening lamps" }).click();
  await page.getByRole("heading", { level: 1, name: "Evening lamps" }).waitFor();
  await hub.call("DELETE", `/groups?groupId=${id}`);
  await page.goto(`${hub.address}/#/`);
  await tile.waitFor({ state: "detached" });
}

async function tellsWhoIsIn({ hub, home }: Shown): Promise<void> {
  const { page } = home;
  assert.equal(await page.getByText(/^At home:/).count(), 0);
  await hub.call("GET", "/hub/poll?ts=0&vendor_uuid=phone-of-the-owner");
  await page.getByText(/^At home: \S/).waitFor();
  const phone = (await devicesOf(hub)).find(({ type }) => type === "UI_DEVICE") ?? assert.fail("no phone");
  assert.equal(await page.getByRole("link", { name: phone.name }).count(), 0, "a phone is no tile");
  await assertAccessible(home, "who is at home");
}

async function leadsIntoRoom({ hub, home }: Shown): Promise<void> {
  const { page } = home;
  const [kitchen] = (await devicesOf(hub)).find(({ name }) => name === "Kitchen ceiling")?.room ?? [];
  const inKitchen = (await devicesOf(hub)).filter(({ room }) => room.includes(kitchen ?? "")).length;
  // A name that begins with the room's, elsewhere.
  const other = (await devicesOf(hub)).find(({ name }) => name === "Yard motion") ?? assert.fail("no device");
  const rename = (name: string): Promise<unknown> =>
    hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id: other.id, name }]);
  await rename("Kitchen garden motion");
  await page.getByRole("link", { name: "Kitchen garden motion" }).waitFor();
  await page.getByRole("heading", { level: 2, name: "Kitchen" }).getByRole("link").click();
  const only = page.getByRole("button", { name: "Only Kitchen", pressed: true });
  await only.waitFor();
  await page.getByText(`${inKitchen} devices`, { exact: true }).waitFor();
  assert.equal(await page.getByRole("link", { name: /^Kitchen garden motion/ }).count(), 0);
  await assertAccessible(home, "the devices of a room");
  await only.click();
  await page.getByText(`${(await devicesOf(hub)).length} devices`, { exact: true }).waitFor();
  await rename("Yard motion");
  await goTo(page, "");
}

const tests: readonly (readonly [title: string, act: (of: Shown) => Promise<void>])[] = [
  ["switches a group by its tile, says how many are on, and opens all its controls", switchesGroup],
  ["says who is at home, and shows no tile for the phone that says so", tellsWhoIsIn],
  ["leads from a room on Home to its devices and no others", leadsIntoRoom],
];

/** Adds the tests. @param running the owner's page and its hub, once they run */
export function testHome(running: () => Shown): void {
  for (const [title, act] of tests) test(title, () => act(running()));
}
