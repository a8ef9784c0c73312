// What the screen Health tells of what people did.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, pressOn, type Visit } from "./visit.ts";

/** Tests the list of what people did, in a browser that shows the screen Health. */
export function testAudit(now: () => { readonly hub: TestHub; readonly seen: Visit }): void {
  const page = (): Page => now().seen.page;
  test("tells who did what, and page by page what was before", async () => {
    await now().hub.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Den" }]);
    // A page of the page's own size would hold all that this home has seen.
    await page().route("**/audit?*", (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, "limit=1"),
      }),
    );
    await page().getByText("What people did").press("Enter");
    const entries = page().locator("details", { hasText: "What people did" }).getByRole("listitem");
    await entries.filter({ hasText: /Den.* on the network of the home$/ }).waitFor();
    assert.equal(await entries.count(), 1);
    await pressOn(page().getByRole("button", { name: "Show what was before" }));
    await until("an entry from before", async () => (await entries.count()) === 2);
    await assertAccessible(now().seen, "who did what");
    await page().unroute("**/audit?*");
  });
}
