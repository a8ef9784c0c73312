// What the screen Health shows of the log of the hub's program.
import { test } from "node:test";
import type { TestHub } from "./hub.ts";
import { assertAccessible, type Visit } from "./visit.ts";

/** Tests the log, in a browser that shows the screen Health of a hub with LOG_SERVICE. */
export function testProcessLog(now: () => { readonly hub: TestHub; readonly seen: Visit }): void {
  test("shows the log of the program, and finds lines by their text and level", async () => {
    const { page } = now().seen;
    await page.getByText("Log of the program").click();
    const card = page.locator("details", { hasText: "Log of the program" });
    const lines = card.getByRole("region", { name: "Log of the program" });
    await lines.filter({ hasText: /Z info the hub serves \{"release":"/ }).waitFor();
    await assertAccessible(now().seen, "the log of the program");
    await card.getByLabel("Find in the log").fill("THE HUB SERVES");
    await card.getByText("1 line, the newest first").waitFor();
    await card.getByLabel("At least").selectOption("error");
    await card.getByText("0 lines, the newest first").waitFor();
    await lines.waitFor({ state: "detached" });
    await page.getByText("Log of the program").click();
  });
}
