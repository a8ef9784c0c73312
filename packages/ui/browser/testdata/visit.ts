import type { Page } from "playwright-core";
import type { Visit } from "@ledge/testkit/browser";
import type { TestHub } from "./hub.ts";

export {
  assertAccessible,
  assertFits,
  launch,
  pressOn,
  pressUntil,
  type Visit,
  visit,
} from "@ledge/testkit/browser";

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

/** Presses Undo at the message that says what was done. Messages go away after 8 s: nothing slow may come between. */
export async function takeBack(page: Page, said: string | RegExp): Promise<void> {
  await page.locator(".toast", { hasText: said }).getByRole("button", { name: "Undo" }).click();
}

/** Goes to another screen of the page, and waits for its heading: the former screen has one too. */
export async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate(async (hash) => {
    // The page has listened for longer: it has left the former screen when this listener is called.
    const left = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.hash = hash;
    await left;
  }, `#/${screen}`);
  await page.locator("main h1").waitFor();
}
