// A real Chromium for tests of pages: visits, and what accessibility asks of each page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

/** Debian's; CI runs as root, where Chromium has no sandbox of its own. */
const options = {
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
};

/** No machine is so slow; a wait that takes longer waits for something that does not come. */
const patienceMs = 120_000;

export function launch(): Promise<Browser> {
  return chromium.launch({ ...options, timeout: patienceMs });
}

/** A page, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** What the page threw, and what the browser refused it, such as code against the policy. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Opens an address in a browser of its own. */
export async function visit(
  browser: Browser,
  { address }: { readonly address: string },
  more: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    locale: "en-GB",
    viewport: { width: 412, height: 800 },
    ...more,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // A server that is away and a key that is refused are of the test.
    const isOfNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfNetwork) problems.push(message.text());
  });
  await page.goto(address);
  return { page, problems, close: () => context.close() };
}

/**
 * Presses a key on something once it is of use. A button of ours is of none while the page hears nothing of the hub, and a key
 * does nothing then; a click waits by itself.
 */
export async function pressOn(target: Locator, key = "Enter"): Promise<void> {
  await target.and(target.page().locator(':not([aria-disabled="true"])')).press(key);
}

/** Presses a key until something holds. */
export async function pressUntil(page: Page, key: string, holds: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    if (await holds()) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${key} leads nowhere`);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Fails with what axe-core finds wrong with a page. It comes by the debugger: the page's policy lets no script in. */
export async function assertAccessible({ page }: Pick<Visit, "page">, face: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // It stays in a page that goes from screen to screen.
  const { result: known } = await session.send("Runtime.evaluate", { expression: "typeof axe" });
  if (known.value === "undefined") await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] }).then(JSON.stringify)",
    awaitPromise: true,
  });
  await session.detach();
  const { violations } = JSON.parse(String(result.value)) as Found;
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
    [],
    face,
  );
}

/** Fails if a page is wider than the screen, so that a reader would have to scroll sideways. */
export async function assertFits({ page }: Pick<Visit, "page">, face: string): Promise<void> {
  const sizes = "[document.documentElement.scrollWidth, innerWidth]";
  const [wide, screen] = await page.evaluate<readonly [number, number]>(sizes);
  assert.ok(wide <= screen, `${face} is ${wide} px wide, and the screen ${screen}`);
}
