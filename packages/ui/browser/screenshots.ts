// Draws each screen of the interface into docs/screenshots, from a simulated home in which something has happened.
//
//   npm run -s screenshots [-- --out DIR] [--only NAME[,NAME]]
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { enter, launch, type Visit, visit } from "./testdata/visit.ts";

type Page = Visit["page"];

const pictures = join(import.meta.dirname, "..", "..", "..", "docs", "screenshots");
/** Half as sharp as a phone, so that all pictures together stay below 1.5 MB. */
const quality = 70;

interface Scene {
  readonly name: string;
  /** Where the page is; kept as it is without one. */
  readonly hash?: string;
  /** Makes the page show what the picture is about. */
  readonly act?: (page: Page) => Promise<unknown>;
  readonly size?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
}

const phone = { width: 412, height: 800 };

const showsHealth = (page: Page): Promise<void> =>
  page.getByRole("heading", { name: "Adapters and radios" }).waitFor();

function scenesOf(ids: Readonly<Record<string, string>>): readonly Scene[] {
  const device = `device/${ids["Hallway ceiling"]}`;
  return [
    { name: "home", hash: "" },
    { name: "home-phone", hash: "", size: phone, colorScheme: "dark" },
    { name: "devices", hash: "devices" },
    { name: "device", hash: `device/${ids["Living room thermostat"]}` },
    {
      name: "device-why",
      hash: device,
      act: async (page) => {
        await page.getByRole("button", { name: /^Why Power switch/ }).click();
        await page.locator(".chain li").first().waitFor();
      },
    },
    {
      name: "rules",
      hash: "rules",
      act: (page) => page.getByText("Save and turn on").first().waitFor(),
    },
    {
      name: "rule-what-if",
      hash: "rules",
      act: async (page) => {
        await page.getByRole("link", { name: "New rule" }).click();
        await page.getByRole("link", { name: /^Light by motion/ }).click();
        await page.getByLabel("Motion sensors", { exact: true }).selectOption({ label: "Hallway motion" });
        await page.getByLabel("Lights", { exact: true }).selectOption({ label: "Hallway ceiling" });
        await page.getByText(/^It would have acted/).waitFor();
      },
    },
    {
      name: "network",
      hash: "network",
      act: async (page) => {
        await page.getByText("Drawing", { exact: true }).click();
        await page.locator(".network .way").first().waitFor();
        await page
          .locator(".network")
          .evaluate((drawing: Element) => drawing.scrollIntoView({ block: "end" }));
      },
      size: { width: 1100, height: 860 },
    },
    { name: "pair", hash: "pair" },
    { name: "scenes", hash: "scenes" },
    { name: "health", hash: "health", act: showsHealth },
    { name: "alarms", hash: "alarms" },
    { name: "people", hash: "people" },
    { name: "more", hash: "more", size: phone },
    {
      name: "panel",
      hash: `panel/${ids["Living room"]}`,
      act: (page) => page.getByRole("switch").first().waitFor(),
    },
    // The last one: from here on the page shows the past.
    {
      name: "timeline",
      hash: "timeline",
      act: async (page) => {
        await page.getByRole("button", { name: "1 hour" }).click();
        await page.getByText(/^[1-9]\d* events/).waitFor();
        await page.getByText("Hallway ceiling went on").first().waitFor();
        await page.getByRole("slider", { name: "Time" }).press("ArrowLeft");
        await page.locator(".past-bar").waitFor();
        await page.getByText("Hallway ceiling went on").first().waitFor();
      },
      size: { width: 1100, height: 1400 },
    },
  ];
}

/**
 * Makes rooms, switches lamps, and has a rule act, so that screens have something to show.
 * @returns the ids of devices and rooms by name
 */
async function live(hub: TestHub): Promise<Readonly<Record<string, string>>> {
  const devices = Object.values(
    await hub.call<Record<string, { id: string; name: string }>>("GET", "/devices"),
  );
  const ids: Record<string, string> = Object.fromEntries(devices.map(({ id, name }) => [name, id]));
  const rooms = ["Kitchen", "Hallway", "Living room", "Bedroom", "Bathroom"];
  const roomOf = (name: string): string | undefined => rooms.find((room) => name.startsWith(room));
  const placed = devices.flatMap(({ id, name }) => {
    const room = roomOf(name);
    return room === undefined ? [] : [[id, { room }] as const];
  });
  await hub.call("PUT", "/hub/name?name=Cabin");
  await hub.call("PUT", "/hub/autoconfig", {
    name: "Cabin",
    rooms: { names: rooms },
    devices: Object.fromEntries(placed),
  });
  const made = await hub.call<Record<string, { id: string; name: string }>>("GET", "/rooms");
  for (const { id, name } of Object.values(made)) ids[name] = id;
  for (const name of ["Hallway ceiling", "Kitchen ceiling", "Floor lamp"])
    for (const type of ["CMD_DEVICE_ON", "CMD_DEVICE_OFF", "CMD_DEVICE_ON"]) {
      await hub.call("PUT", "/devices/command", [{ type, id: ids[name] }]);
      await sleep(400);
    }
  return ids;
}

/** Takes a picture. Chromium's own command knows WebP, which is a third of a PNG. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
  await session.detach();
  return Buffer.from(data, "base64");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { out: { type: "string", default: pictures }, only: { type: "string" } },
  });
  const only = values.only?.split(",");
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out))
    if (only === undefined && name.endsWith(".webp")) rmSync(join(out, name));
  const [hub, browser] = await Promise.all([startHub(), launch()]);
  try {
    const scenes = scenesOf(await live(hub)).filter(({ name }) => only?.includes(name) ?? true);
    const looks = Map.groupBy(scenes, ({ colorScheme = "light" }) => colorScheme);
    for (const [colorScheme, same] of looks) {
      const seen = await visit(browser, hub, { colorScheme, reducedMotion: "reduce" });
      const { page } = seen;
      await enter(seen, hub);
      for (const { name, hash, act, size = { width: 1100, height: 720 } } of same) {
        await page.setViewportSize(size);
        if (hash !== undefined) await page.goto(`${hub.address}/#/${hash}`);
        await page.locator("main h1").waitFor();
        await act?.(page);
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        await page.evaluate(() => document.fonts.ready);
        const bytes = await picture(page);
        writeFileSync(join(out, `${name}.webp`), bytes);
        process.stdout.write(`${name.padEnd(16)} ${String(bytes.length).padStart(7)} bytes\n`);
      }
      await seen.close();
    }
  } finally {
    await browser.close();
    await hub.remove();
  }
}

await main();
