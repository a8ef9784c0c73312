import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { TestHub } from "./hub.ts";

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

/** A page at a hub, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** What the page threw, and what the browser refused it, such as code against the policy. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Opens the page of a hub or a cloud in a browser of its own. */
export async function visit(
  browser: Browser,
  at: Pick<TestHub, "address">,
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
    // A hub that is away and a key that is refused are of the test.
    const isOfNetwork = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfNetwork) problems.push(message.text());
  });
  await page.goto(at.address);
  return { page, problems, close: () => context.close() };
}

/** Shows the field for a key, which comes last among the ways in. */
export async function openKeyField(page: Page): Promise<void> {
  const field = page.locator("details");
  await field.waitFor();
  if (!(await field.evaluate((element) => (element as HTMLDetailsElement).open)))
    await field.locator("summary").click();
}

/** Enters with the owner's key, as a reader of English does. */
export async function enter({ page }: Visit, hub: TestHub): Promise<void> {
  await openKeyField(page);
  await page.getByLabel("Hub key").fill(hub.key);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("live", { exact: true }).waitFor();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Fails with what axe-core finds wrong with a page. It comes by the debugger: the page's policy lets no script in. */
export async function assertAccessible({ page }: Visit, face: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
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
