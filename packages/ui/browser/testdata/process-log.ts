// What the screen Health shows of the log of the hub's program.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestHub } from "./hub.ts";
import { assertAccessible, type Visit } from "./visit.ts";

/** Tests the log, in a browser that shows the screen Health of a hub without LOG_SERVICE. */
export function testProcessLog(now: () => { readonly hub: TestHub; readonly seen: Visit }): void {
  test("shows the log of the program, and finds lines by their text and level", async () => {
    const { page } = now().seen;
    await page.getByText("Log of the program").click();
    const card = page.locator("details", { hasText: "Log of the program" });
    await card.getByText("the feature LOG_SERVICE is not enabled on this hub").waitFor();
    await assertAccessible(now().seen, "no log of the program");
    const log = `2026-11-28T05:00:00Z info the hub serves {"release":"0.2.0"}\n2026-11-28T05:00:01Z error the disk is full\n`;
    await page.route("**/log", (route) => route.fulfill({ contentType: "text/plain", body: log }));
    await card.getByRole("button", { name: "Try again" }).click();
    await card.getByText("2 lines, the newest first").waitFor();
    const lines = card.getByRole("region", { name: "Log of the program" });
    assert.match(await lines.innerText(), /Z error the disk is full\n.*Z info the hub serves /);
    await assertAccessible(now().seen, "the log of the program");
    await card.getByLabel("Find in the log").fill("HUB SERVES");
    await card.getByText("1 line, the newest first").waitFor();
    await card.getByLabel("At least").selectOption("error");
    await card.getByText("0 lines, the newest first").waitFor();
    await lines.waitFor({ state: "detached" });
    await page.unroute("**/log");
    await page.getByText("Log of the program").click();
  });
}
