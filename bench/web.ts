// What people wait for in the web interface: a phone's Chromium, slowed four times, at a hub with 200 devices.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Visit, visit } from "@ledge/testkit/browser";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type HubProcess } from "./hub-process.ts";
import { quantile } from "./rounds.ts";
import { largeFigures } from "./web/large.ts";
import { scripts } from "./web/scripts.ts";

type Page = Visit["page"];

const devices = 200;
const slowed = 4;
const rounds = 30;
const dragMs = 3000;
/** @returns figures of the group `web` */
export async function webFigures(): Promise<readonly Figure[]> {
  const bundles = mkdtempSync(join(tmpdir(), "ledge-bench-bundle-"));
  const folder = new HubFolder({ sim: { devices } }, await bundled(bundles));
  let hub: HubProcess | undefined;
  const browser = await launch();
  try {
    hub = await folder.start();
    const key = await hub.key();
    const ids = (await hub.devices(devices, key)).flatMap(({ id, capabilities, state }) =>
      capabilities.values.includes("ON_OFF") && state.reachable !== false ? [id] : [],
    );
    const seen = await visit(browser, hub);
    const found = await measured(seen.page, hub, key, ids[0] ?? "");
    await seen.close();
    return [...found, ...(await largeFigures(browser, hub, key))];
  } finally {
    await browser.close();
    await hub?.stop();
    folder.remove();
    rmSync(bundles, { recursive: true, force: true });
  }
}

async function measured(page: Page, hub: HubProcess, key: string, lamp: string): Promise<readonly Figure[]> {
  await page.locator("details summary").click();
  await page.locator("textarea").fill(key);
  await page.locator('details button[type="submit"]').click();
  await page.getByRole("switch").first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowed });
  const opened = await openings(page);
  await page.goto(`${hub.address}/#/device/${lamp}`);
  const commands = await timesOf(rounds, () => page.evaluate<number>(scripts.command));
  const whys = await timesOf(rounds, () => whyOnce(page));
  await page.goto(`${hub.address}/#/timeline`);
  const frames = await drag(page);
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const figure = (
    name: string,
    value: number,
    unit: string,
    limit: Figure["limit"],
    how: string,
  ): Figure => ({ name: `web ${name}`, value, unit, limit, gated: false, how });
  return [
    figure(
      "first paint",
      quantile(
        opened.map(({ paint }) => paint),
        0.5,
      ),
      "ms",
      "<= 800",
      "middle of 5 reloads",
    ),
    figure(
      "usable",
      quantile(
        opened.map(({ usable }) => usable),
        0.5,
      ),
      "ms",
      "<= 1500",
      "first switch to press, middle of 5 reloads with a kept key",
    ),
    figure(
      "command to page, p95",
      quantile(commands, 0.95),
      "ms",
      "<= 150",
      `press to confirmed, ${rounds} times`,
    ),
    figure("why, p95", quantile(whys, 0.95), "ms", "<= 300", `press to the chain of causes, ${rounds} times`),
    figure(
      "drag of the timeline",
      frames,
      "frames/s",
      ">= 30",
      `an hour's window dragged for ${dragMs / 1000} s`,
    ),
    figure("heap", usedSize / 1e6, "MB", "<= 60", "after all of the above"),
    figure("nodes", nodes, "nodes", null, "of all documents, after all of the above"),
  ];
}

interface Opening {
  readonly paint: number;
  readonly usable: number;
}

/** Loads the page again and again; times since navigation began (ms). */
async function openings(page: Page): Promise<readonly Opening[]> {
  const found: Opening[] = [];
  for (let round = 0; round < 5; round++) {
    await page.reload();
    await page.getByRole("switch").first().waitFor();
    found.push(await page.evaluate<Opening>(scripts.opening));
  }
  return found;
}

/** Asks why. @returns the time until the chain of causes is there (ms) */
async function whyOnce(page: Page): Promise<number> {
  const took = await page.evaluate<number>(scripts.why);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  return took;
}

/** Drags the slider back and forth. @returns frames a second */
async function drag(page: Page): Promise<number> {
  await page.getByText(/^[1-9]\d* events/).waitFor();
  return page.evaluate<number>(scripts.drag(dragMs));
}

async function timesOf(count: number, once: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) times.push(await once());
  return times;
}
