// A radio that the hub has not found, at an address of the network.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import type { TestHub } from "./hub.ts";
import { keyboardOf } from "./keyboard.ts";
import { assertAccessible, goTo, pressOn, takeBack, type Visit } from "./visit.ts";

/** Tests the form for such a radio, with a hub that has Z-Wave and no Zigbee. */
export function testNetworkStick(now: () => { readonly hub: TestHub; readonly home: Visit }): void {
  test("gives an adapter a radio at an address of the network, and takes that back", async () => {
    const { hub, home } = now();
    const { page } = home;
    await goTo(page, "system");
    const radios = page.getByRole("region", { name: "Radios and ports" });
    await radios.getByText("A radio at an address of the network").press("Enter");
    const keys = keyboardOf(page);
    await radios.getByLabel("Name or IP address").fill("tcp://127.0.0.1");
    await pressOn(radios.getByRole("button", { name: "Use this radio" }));
    await radios.getByText("Type a name or an IP address alone, such as 10.0.0.7.").waitFor();
    await assertAccessible(home, "a radio at no address");
    // The hub has no Zigbee: only what it has an adapter for is offered.
    assert.deepEqual(await radios.getByRole("option").allTextContents(), ["Z-Wave", "Z-Wave, ESPHome"]);
    await radios.getByLabel("Kind").selectOption("Z-Wave, ESPHome");
    assert.equal(await radios.getByLabel("Port").inputValue(), "6053");
    await radios.getByLabel("Name or IP address").fill("127.0.0.1");
    await radios.getByLabel("Port").fill("9");
    const port = "esphome://127.0.0.1:9";
    const users = async (): Promise<readonly (string | null)[]> =>
      (await hub.call<readonly { port: string; usedBy: string | null }[]>("GET", "/hub/sticks")).flatMap(
        (stick) => (stick.port === port ? [stick.usedBy] : []),
      );
    const said = `${port} is in use`;
    await takeBack(page, said, async () => {
      await keys.press(/^BUTTON Use this radio/, "Enter");
      await page.locator(".toast", { hasText: said }).waitFor();
      assert.deepEqual(await users(), ["zwave"]);
      await radios.getByText(port, { exact: true }).waitFor();
    });
    await until("the adapter has its own stick again", async () => (await users()).length === 0);
    await radios.getByText(port, { exact: true }).waitFor({ state: "detached" });
  });
}
