// What somebody does on the page of a device: tests for a hub and a browser that run already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@ledge/testkit";
import type { Locator, Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, assertFits, goTo, pressOn, takeBack, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly state: Readonly<Record<string, unknown>>;
}

interface Rule {
  readonly id: string;
  readonly config: { readonly name: string; readonly outputs: Readonly<Record<string, readonly string[]>> };
}

/** The page of a device, and its hub. */
interface DevicePage {
  readonly page: Page;
  readonly home: Visit;
  readonly call: TestHub["call"];
  readonly deviceNamed: (name: string) => Promise<Device>;
  /** Goes to the page of a device. */
  readonly show: (name: string) => Promise<Device>;
  /** A part of the page by its heading. */
  readonly card: (name: string) => Locator;
}

function pageOf({ hub, home }: { readonly hub: TestHub; readonly home: Visit }): DevicePage {
  const call: TestHub["call"] = (method, path, body) => hub.call(method, path, body);
  const { page } = home;
  const deviceNamed = async (name: string): Promise<Device> => {
    const all = Object.values(await call<Record<string, Device>>("GET", "/devices"));
    return all.find((device) => device.name === name) ?? assert.fail(name);
  };
  return {
    page,
    home,
    call,
    deviceNamed,
    async show(name) {
      const device = await deviceNamed(name);
      await goTo(page, `device/${device.id}`);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      return device;
    },
    card: (name) => page.getByRole("region", { name, exact: true }),
  };
}

async function tellsCause({ home, call, show, card }: DevicePage): Promise<void> {
  const { id, state } = await show("Hallway ceiling");
  const controls = card("Controls");
  await controls.getByText(/^Since |has not changed since/).waitFor();
  const to = state["isOn"] === true ? "off" : "on";
  await call("PUT", "/devices/command", [{ type: `CMD_DEVICE_${to.toUpperCase()}`, id }]);
  // Nobody asks again: the page follows the device.
  await controls.getByText(new RegExp(`^Since .+ told Hallway ceiling: ${to}$`)).waitFor();
  await assertAccessible(home, "a device with its cause");
  await assertFits(home, "a device with its cause");
}

async function tellsWhyThen({ page, home }: DevicePage): Promise<void> {
  await goTo(page, "timeline");
  await page
    .getByRole("button", { name: /^Why\? Hallway ceiling went/ })
    .first()
    .press("Enter");
  const sheet = page.getByRole("dialog", { name: /^Why\? Hallway ceiling went/ });
  await sheet.getByText(/ told Hallway ceiling: /).waitFor();
  await sheet.getByText("That is where it began.").waitFor();
  await assertAccessible(home, "why something happened");
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await assertFits(home, "the timeline");
}

async function tellsPast({ page, home, call, show }: DevicePage): Promise<void> {
  const { id } = await show("Hallway ceiling");
  await call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id, name: "Hall light" }]);
  await page.getByRole("heading", { level: 1, name: "Hall light" }).waitFor();
  await page.getByText("Past", { exact: true }).press("Enter");
  const past = page.locator("details", { hasText: "Past" });
  await past
    .getByRole("listitem")
    .filter({ hasText: /went (?:on|off)/ })
    .first()
    .waitFor();
  const renamed = past.getByRole("button", { name: /^Undo .*Hall light/ });
  await renamed.waitFor();
  assert.equal(await past.getByRole("button", { name: /^Undo / }).count(), 1);
  await assertAccessible(home, "the past of a device");
  await assertFits(home, "the past of a device");
  await renamed.press("Enter");
  await page.locator(".toast", { hasText: "Undone" }).first().waitFor();
  await page.getByRole("heading", { level: 1, name: "Hallway ceiling" }).waitFor();
  await past.getByRole("button", { name: /^Undo .*Hallway ceiling/ }).waitFor();
}

async function failsAtSetting({ home, show, card }: DevicePage): Promise<void> {
  await show("Living room thermostat");
  const settings = card("Settings");
  await settings.getByLabel("Text on the display").fill("A text that is too long");
  await settings.getByLabel("Temperature offset (°C)").fill("2.5");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("Refused: the display shows 16 characters").waitFor();
  assert.equal(await settings.getByText("The device did not take this.").count(), 1);
  await settings
    .getByText("The device did not take the settings: Text on the display: the display shows 16 characters")
    .waitFor();
  const field = settings.getByLabel("Text on the display");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await settings.getByLabel("Child lock").getAttribute("aria-invalid"), "false");
  await assertAccessible(home, "a setting that failed");
  await field.fill("Hall");
  await settings.getByLabel("Temperature offset (°C)").fill("1.5");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("The device has these settings.").waitFor();
  assert.equal(await settings.getByText("Refused: the display shows 16 characters").count(), 0);
}

async function setsMany({ page, home, call, deviceNamed, card }: DevicePage): Promise<void> {
  await goTo(page, "devices");
  await page.getByRole("button", { name: "Choose several" }).click();
  const choose = async (name: string): Promise<void> => {
    await page.getByLabel("Filter by name, room, kind or model").fill(name);
    await page.getByText("1 device", { exact: true }).waitFor();
    // Rows are drawn when they are in sight.
    await page.getByRole("list", { name: "Devices" }).evaluate((list) => list.scrollIntoView());
    await page.getByRole("checkbox", { name: new RegExp(`^${name}`) }).check();
  };
  await choose("Living room thermostat");
  const many = card("Settings of Warm 2");
  await many.getByRole("combobox", { name: "Setting" }).selectOption({ label: "Child lock" });
  assert.equal(await many.getByRole("option", { name: "Serial number" }).count(), 0);
  await many.getByRole("checkbox", { name: "Child lock" }).check();
  const { id } = await deviceNamed("Living room thermostat");
  const path = `/devices/configuration?deviceId=${id}`;
  const isLocked = async (): Promise<unknown> =>
    (await call<{ parameters: Record<string, unknown> }>("GET", path)).parameters["lock"];
  await takeBack(page, "1 device changed", async () => {
    await many.getByRole("button", { name: "Set it on 1 device" }).click();
    await until("it is locked", async () => (await isLocked()) === true);
  });
  await until("it is not locked", async () => (await isLocked()) === false);
  await many.getByText("The device has it.").waitFor();
  await assertAccessible(home, "settings of a model");
  await choose("Bedroom thermostat");
  await many.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "None", exact: true }).click();
  await showsNewer({ page, home });
}

/** Installs newer firmware on several devices, from the list of those that have it. */
async function showsNewer({ page, home }: Pick<DevicePage, "page" | "home">): Promise<void> {
  const chip = page.getByRole("button", { name: "Newer firmware", pressed: false });
  await page.getByLabel("Filter by name, room, kind or model").fill("");
  await pressOn(chip);
  await page.getByText("3 devices", { exact: true }).waitFor();
  const row = (name: string, said: RegExp): Locator =>
    page.getByRole("checkbox", { name: new RegExp(`^${name}.*${said.source}`) });
  await row("Kitchen counter", /There is newer firmware: 1\.1\.0/).waitFor();
  await assertAccessible(home, "devices with newer firmware, to choose");
  await pressOn(row("Floor lamp", /There is newer firmware/), "Space");
  await pressOn(row("Kitchen motion", /There is newer firmware/), "Space");
  await pressOn(page.getByRole("button", { name: "Install newer firmware on 2 devices" }));
  await pressOn(page.getByRole("button", { name: "Install", exact: true }));
  await page.locator(".toast", { hasText: "2 devices are asked to install it" }).waitFor();
  await row("Floor lamp", /The installation failed: the image is damaged/).waitFor();
  await row("Kitchen motion", /did not start the installation: the battery is too low/).waitFor();
  await page.getByRole("button", { name: "Choose several" }).click();
  // What failed can be tried again, with all else that is found.
  await page.getByRole("button", { name: "Install newer firmware on 3 devices" }).waitFor();
  await assertAccessible(home, "devices with newer firmware");
  await assertFits(home, "devices with newer firmware");
  await page.getByLabel("Filter by name, room, kind or model").fill("floor");
  await pressOn(page.getByRole("button", { name: "Install newer firmware on 1 device" }));
  await pressOn(page.getByRole("button", { name: "Install", exact: true }));
  await page.locator(".toast", { hasText: "1 device is asked to install it" }).waitFor();
  await page.getByRole("button", { name: "Newer firmware", pressed: true }).click();
  await page.getByLabel("Filter by name, room, kind or model").fill("");
  await page.getByText(/^4\d devices$/).waitFor();
}

async function installs({ page, home, show, card }: DevicePage): Promise<void> {
  await show("Kitchen counter");
  const firmware = card("Firmware");
  await firmware.getByText("There is newer firmware: 1.1.0.").waitFor();
  await assertAccessible(home, "firmware");
  // The simulated device is sooner done than a slow machine looks: this page sees it halfway until it is let go.
  // Its answers take longer than the page waits between two.
  let pctComplete = 40;
  await page.route("**/devices/command", async (route) => {
    const response = await route.fetch();
    await sleep(1200);
    const halfway = { status: "INSTALLING", pctComplete, etaMs: 120_000 };
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...halfway } });
  });
  await firmware.getByRole("button", { name: "Install" }).click();
  await firmware.getByText("There is no way back to the former firmware.").waitFor();
  await firmware.getByRole("button", { name: "Install", exact: true }).click();
  await firmware.getByRole("progressbar").waitFor();
  await firmware.getByText(/^40\s%$/).waitFor();
  await firmware.getByText("2 minutes left").waitFor();
  await assertAccessible(home, "firmware halfway");
  pctComplete = 60;
  await firmware.getByText(/^60\s%$/).waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await firmware.getByText("It has the newest firmware.").waitFor();
  await firmware.getByText("1.1.0", { exact: true }).waitFor();
  assert.equal(await firmware.getByRole("button").count(), 0);
  // These were asked together with others, and did not.
  await show("Kitchen motion");
  await firmware.getByText("The device did not start the installation: the battery is too low").waitFor();
  await show("Floor lamp");
  await firmware.getByText("The installation failed: the image is damaged").waitFor();
  await firmware.getByRole("button", { name: "Try again" }).waitFor();
  await assertAccessible(home, "firmware that failed");
  await show("Hallway ceiling");
  assert.equal(await firmware.count(), 0);
}

async function chooses({ page, home, call, show }: DevicePage): Promise<void> {
  const { id } = await show("Living room ceiling");
  const wheel = page.getByRole("slider", { name: "Colour", exact: true });
  const shows = async (hue: number, saturation: number): Promise<void> => {
    const near = (value: unknown, wanted: number, by = 0.06): boolean =>
      Math.abs(Number(value) - wanted) < by;
    await until(`the lamp has the hue ${hue} and the saturation ${saturation}`, async () => {
      const all = await call<Record<string, Device>>("GET", "/devices");
      const state = all[id]?.state ?? {};
      return near(state["hue"], hue) && near(state["saturation"], saturation, 0.03);
    });
  };
  assert.equal(await wheel.getAttribute("aria-valuetext"), "No colour: it shows white");
  const { width = 0, height = 0 } = (await wheel.boundingBox()) ?? {};
  await wheel.click({ position: { x: width - 4, y: height / 2 } });
  await shows(Math.PI / 2, 0.96);
  await pressOn(wheel, "ArrowLeft");
  await shows(Math.PI / 2 - 0.087, 0.96);
  await pressOn(wheel, "ArrowDown");
  await shows(Math.PI / 2 - 0.087, 0.91);
  const kept = page.getByRole("group", { name: "Kept colours" });
  await kept.getByRole("button", { name: "Keep this colour" }).click();
  const swatch = kept.getByRole("button", { name: /^Hue 8\d°, saturation 9\d/ });
  await swatch.waitFor();
  assert.equal((await call<readonly string[]>("GET", "/hub/colors")).length, 1);
  await assertAccessible(home, "a colour");
  await assertFits(home, "a colour");
  await pressOn(page.getByRole("slider", { name: "Colour temperature" }), "End");
  await page.locator('[role="slider"][aria-valuetext^="No colour"]').waitFor();
  await swatch.click();
  await shows(Math.PI / 2 - 0.087, 0.91);
  await takeBack(page, "The kept colours are forgotten", async () => {
    await kept.getByRole("button", { name: "Forget the kept colours" }).click();
    await swatch.waitFor({ state: "detached" });
  });
  await swatch.waitFor();
}

async function reaches({ page, home, show, card }: DevicePage): Promise<void> {
  const { id } = await show("Hallway ceiling");
  const radio = card("Radio");
  const ask = radio.getByRole("button", { name: "Ask the network", exact: true });
  await ask.waitFor();
  await assertAccessible(home, "a radio that nobody has asked");
  const failed = { status: 503, json: { message: "the Zigbee network is not up" } };
  await page.route("**/hub/zigbeemap", (route) => route.fulfill(failed));
  await ask.click();
  await radio.getByText("the Zigbee network is not up").waitFor();
  await assertAccessible(home, "a radio that does not answer");
  await page.unroute("**/hub/zigbeemap");
  await radio.getByRole("button", { name: "Ask the network again" }).click();
  const fact = (name: string): Promise<string | null> =>
    radio.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]").textContent();
  await radio.getByText("quality 200").waitFor();
  assert.deepEqual(await Promise.all(["Reached by", "Hops", "Passes on"].map(fact)), ["This hub", "1", "No"]);
  assert.match((await fact("Address")) ?? "", /, 0x[0-9A-F]{4}$/);
  await assertFits(home, "a radio");
  await radio.getByRole("link", { name: "Show it in the network" }).click();
  await page.getByRole("heading", { level: 1, name: "Network" }).waitFor();
  const sheet = page.getByRole("dialog", { name: "Hallway ceiling" });
  await sheet.getByText("is heard by This hub, quality 200").waitFor();
  assert.ok(page.url().endsWith(`#/network/${id}`));
  await sheet.getByRole("link", { name: "Show Hallway ceiling" }).click();
  await page.getByRole("heading", { level: 1, name: "Hallway ceiling" }).waitFor();
  // A network that does not know the device, a hub that does not say how it is reached, and a device on a wire.
  await page.route("**/hub/zigbeemap", (route) =>
    route.fulfill({ json: { at: Date.now(), complete: true, nodes: [], links: [] } }),
  );
  await ask.click();
  await radio.getByText("The Zigbee network does not know this device.").waitFor();
  await page.unroute("**/hub/zigbeemap");
  const network = "**/devices/network?*";
  await page.route(network, (route) => route.fulfill({ status: 500, json: { message: "out of memory" } }));
  await goTo(page, "devices");
  await show("Hallway ceiling");
  await radio.getByText("out of memory").waitFor();
  await assertAccessible(home, "a device of which nobody knows how it is reached");
  await page.unroute(network);
  await radio.getByRole("button", { name: "Try again" }).click();
  await ask.waitFor();
  const asked = page.waitForResponse(network);
  await show("Living room thermostat");
  await (await asked).finished();
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestIdleCallback(drawn)))");
  assert.equal(await radio.count(), 0);
}

async function removes({ page, home, call, deviceNamed, show, card }: DevicePage): Promise<void> {
  const { id } = await deviceNamed("Coffee maker");
  const config = {
    name: "Coffee off",
    configType: "AUTO_OFF",
    inputs: {},
    outputs: { devices: [id, (await deviceNamed("Television")).id] },
    extras: { after: [{ type: "TIME_DELTA_MS", value: 60_000 }] },
  };
  const [rule] = await call<readonly Rule[]>("PUT", "/rules", { rules: [config] });
  const members = [id];
  await call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Breakfast", members }]);
  await show("Coffee maker");
  const uses = card("Used by");
  await uses.getByRole("link", { name: "Breakfast" }).waitFor();
  await uses.getByRole("link", { name: "Coffee off" }).click();
  await page.getByRole("heading", { level: 1, name: "Coffee off" }).waitFor();
  await show("Coffee maker");
  await page.getByRole("button", { name: "Remove Coffee maker" }).click();
  await page
    .getByText(/^Remove Coffee maker\? These lose it: Coffee off, Breakfast\. There is no undo/)
    .waitFor();
  await assertAccessible(home, "a device that may be removed");
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByRole("button", { name: "Remove Coffee maker" }).click();
  await page.getByRole("button", { name: "Remove it now" }).click();
  await page.locator(".toast", { hasText: "Coffee maker is removed" }).waitFor();
  await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
  const left = Object.values(await call<Record<string, Device>>("GET", "/devices"));
  assert.ok(!left.some(({ name }) => name === "Coffee maker"));
  const rules = await call<Record<string, Rule>>("GET", "/rules");
  assert.equal(rules[rule?.id ?? ""]?.config.outputs["devices"]?.length, 1);
  await goTo(page, `device/${id}`);
  await page.getByText("This device does not exist any more.").waitFor();
  await call("DELETE", `/rules?ruleId=${rule?.id}`);
}

const tests: readonly (readonly [title: string, act: (of: DevicePage) => Promise<void>])[] = [
  ["says since when a device is as it is, and by what, also after it has changed", tellsCause],
  ["says on the timeline why something happened, to where it began", tellsWhyThen],
  ["tells the past of a device, and takes its last change back", tellsPast],
  ["says at which setting a device failed, and why", failsAtSetting],
  ["sets a setting of a model, and installs firmware, on all devices that are chosen", setsMany],
  ["installs new firmware, and says why a device did not", installs],
  ["chooses a colour by pointer and by keys, and keeps it for all lamps", chooses],
  ["says how a device is reached by radio, and leads to it in the network", reaches],
  ["names what uses a device, and what loses it when it is removed", removes],
];

/** Adds the tests. @param running the owner's page and its hub, once they run */
export function testDevicePage(running: () => { readonly hub: TestHub; readonly home: Visit }): void {
  for (const [title, act] of tests) test(title, () => act(pageOf(running())));
}
