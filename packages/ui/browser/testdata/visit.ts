import type { Page } from "playwright-core";
import type { Visit } from "@ledge/testkit/browser";
import type { TestHub } from "./hub.ts";

export { assertAccessible, assertFits, launch, pressUntil, type Visit, visit } from "@ledge/testkit/browser";

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
