// What no hub of a bench can tell: a home of 10,000 devices, and the news of a day. The hub's own answer is multiplied,
// and the page gets it in place of the answers of its polls.
import { visit } from "@ledge/testkit/browser";
import type { Figure } from "../figure.ts";
import type { HubProcess } from "../hub-process.ts";
import { quantile } from "../rounds.ts";
import { instead } from "./instead.ts";

type Browser = Parameters<typeof visit>[0];
type Page = Awaited<ReturnType<typeof visit>>["page"];
type Session = Awaited<ReturnType<ReturnType<Page["context"]>["newCDPSession"]>>;

interface Device {
  readonly id: string;
  readonly name: string;
  readonly state: Readonly<Record<string, unknown>>;
}

interface Full {
  readonly timestamp: number;
  readonly polls: readonly { readonly devices?: Readonly<Record<string, Device>> }[];
}

const slowed = 4;
const many = 10_000;
const rounds = 5;
const deltas = 100;
const changes = 1000;
const frames = 200;
const secondsOfDay = 86_400;
const screens = [
  "devices",
  "rules",
  "rule",
  "custom",
  "scenes",
  "scene",
  "group",
  "timeline",
  "alarms",
  "people",
  "network",
  "energy",
  "health",
  "system",
  "api",
  "pair",
  "more",
  "",
];

/** @returns figures of the group `web` that need more devices or more time than a hub of a bench has */
export async function largeFigures(
  browser: Browser,
  hub: HubProcess,
  key: string,
): Promise<readonly Figure[]> {
  const full = (await hub.call("GET", "/hub/poll?ts=0", key)) as Full;
  return [...(await manyDevices(browser, hub, key, full)), ...(await aDay(browser, hub, key, full))];
}

/** How a page took the first answer over (ms). */
interface Taken {
  readonly took: number;
  readonly pause: number;
}

/** Opens a page whose polls are answered by the bench; none has been answered. @param screen of its address */
async function opened(browser: Browser, hub: HubProcess, key: string, screen = ""): Promise<Page> {
  const { page } = await visit(browser, { address: "about:blank" });
  await page.addInitScript(instead);
  await page.goto(`${hub.address}/#/${screen}`);
  await page.locator("details summary").click();
  await page.locator("textarea").fill(key);
  await page.locator('details button[type="submit"]').click();
  await page.getByRole("navigation").waitFor();
  return page;
}

function first(page: Page, full: Full): Promise<Taken> {
  return page.evaluate<Taken>(`bench.first(${JSON.stringify(full)})`);
}

/** Opens the page so often, with a key that the browser has kept. */
async function firstTimes(page: Page, full: Full): Promise<readonly Taken[]> {
  const taken = [await first(page, full)];
  while (taken.length < rounds) {
    await page.reload();
    await page.getByRole("navigation").waitFor();
    taken.push(await first(page, full));
  }
  return taken;
}

/** Returns a full answer with so many devices, of those that the hub has. */
function multiplied(full: Full, count: number): Full {
  const found = full.polls.flatMap(({ devices = {} }) => Object.values(devices));
  const devices = Object.fromEntries(
    Array.from({ length: count }, (_, number) => {
      const like = found[number % found.length] as Device;
      const id = `${like.id.slice(0, -6)}${String(number).padStart(6, "0")}`;
      return [id, { ...like, id, name: `${like.name} ${number}` }];
    }),
  );
  return { ...full, polls: full.polls.map((section) => ("devices" in section ? { devices } : section)) };
}

async function heapMB(session: Session): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
}

/** Figures of a page that has just been opened. @param size of the answer (MB) */
function taking(taken: readonly Taken[], size: number): readonly Figure[] {
  const middle = (of: keyof Taken): number =>
    quantile(
      taken.map((times) => times[of]),
      0.5,
    );
  const how = `${size.toFixed(1)} MB for a page just opened, from its arrival to the next poll, middle of ${rounds}`;
  const pause = `of the page while it takes that answer over, middle of ${rounds}`;
  return [
    told(`${many} devices, full answer`, middle("took"), "ms", "<= 60", how),
    told(`${many} devices, longest pause`, middle("pause"), "ms", "<= 50", pause),
  ];
}

async function manyDevices(
  browser: Browser,
  hub: HubProcess,
  key: string,
  full: Full,
): Promise<readonly Figure[]> {
  const large = multiplied(full, many);
  const page = await opened(browser, hub, key, "devices");
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowed });
  const ask = <T>(script: string): Promise<T> => page.evaluate<T>(script);
  const taken = await firstTimes(page, large);
  await page.getByText(/^10\D?000 devices$/).waitFor();
  // The page asks a few times in a row, and later more slowly.
  const crowd = await ask<number[]>(`bench.crowd(${changes}, ${rounds})`);
  const drawn = await ask<number[]>(`bench.deltas(${deltas})`);
  const scrolled = await ask<number[]>(`bench.scroll(800, ${frames})`);
  const nodes = await ask<number>(`document.querySelectorAll("*").length`);
  const heap = await heapMB(session);
  await page.context().close();
  return [
    ...taking(taken, JSON.stringify(large).length / 1e6),
    told(
      "delta to page, p99",
      quantile(drawn, 0.99),
      "ms",
      "<= 16",
      `from its arrival to the changed row, ${deltas} times, ${many} devices`,
    ),
    told(
      `delta of ${changes} devices`,
      quantile(crowd, 0.5),
      "ms",
      "<= 8",
      `from its arrival to the next poll, middle of ${rounds}, ${many} devices`,
    ),
    told(
      "scroll, p50",
      quantile(scrolled, 0.5),
      "ms",
      "<= 16.7",
      `between frames that each scroll 800 px, ${frames} of them, ${many} devices`,
    ),
    told("scroll, p99", quantile(scrolled, 0.99), "ms", "<= 33", "of the same"),
    told(
      `nodes of ${many} devices`,
      nodes,
      "nodes",
      "<= 1500",
      "elements of the list of devices after the scroll",
    ),
    told(`heap of ${many} devices`, heap, "MB", "<= 60", "after a collection"),
  ];
}

/** A day of news, one each second, on a clock of the page's own that the bench moves. */
async function aDay(browser: Browser, hub: HubProcess, key: string, full: Full): Promise<readonly Figure[]> {
  const page = await opened(browser, hub, key);
  await first(page, full);
  const session = await page.context().newCDPSession(page);
  const all = async (): Promise<void> => {
    for (const screen of screens) {
      await page.goto(`${hub.address}/#/${screen}`);
      await page.locator("main h1").waitFor();
    }
  };
  await all();
  const before = await heapMB(session);
  await page.evaluate(`bench.day(${secondsOfDay})`);
  await all();
  const after = await heapMB(session);
  await page.context().close();
  return [
    told(
      "heap after a day of news, more",
      after - before,
      "MB",
      "<= 5",
      `${secondsOfDay} deltas on a simulated clock and all screens, ${before.toFixed(1)} MB before`,
    ),
  ];
}

function told(name: string, value: number, unit: string, limit: Figure["limit"], how: string): Figure {
  return { name: `web ${name}`, value, unit, limit, gated: false, how };
}
