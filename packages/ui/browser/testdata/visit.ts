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

/**
 * Does something, and presses Undo at the message that says what was done. A message goes away after 8 s, unless it has the
 * focus. Meanwhile all messages are told that they have it: a slow machine needs longer. Earlier ones are closed: they may
 * say the same.
 */
export async function takeBack(
  page: Page,
  said: string | RegExp,
  act: () => Promise<unknown>,
): Promise<void> {
  const holding = await page.evaluate(() => {
    for (const close of document.querySelectorAll<HTMLElement>(".toast .quiet")) close.click();
    return window.setInterval(() => {
      for (const toast of document.querySelectorAll(".toast")) toast.dispatchEvent(new FocusEvent("focusin"));
    }, 100);
  });
  await act();
  await page.locator(".toast", { hasText: said }).getByRole("button", { name: "Undo" }).last().click();
  await page.evaluate((timer) => {
    clearInterval(timer);
    for (const toast of document.querySelectorAll(".toast")) toast.dispatchEvent(new FocusEvent("focusout"));
  }, holding);
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
