// What somebody does with the radio of a Z-Wave lock that has just joined.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { TestHub } from "./hub.ts";
import { assertAccessible, goTo, type Visit } from "./visit.ts";

interface Node {
  readonly nodeId: number;
  readonly deviceId: string | null;
}

/** Keeps the lock that a search has found. */
export async function keepLock(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: /^Z-Wave/ }).check();
  await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Add more" }).click();
}

export async function reachLock(home: Visit, hub: TestHub): Promise<void> {
  const { page } = home;
  const nodes = await hub.call<readonly Node[]>("POST", "/hub/protocolconfig", [{ type: "ZWAVE_GET_NODES" }]);
  const { nodeId, deviceId } =
    nodes.find((node) => node.deviceId !== null) ?? assert.fail("no node of a device");
  const radio = page.getByRole("region", { name: "Radio" });
  const commands = "**/hub/protocolconfig";
  await page.route(commands, (route) =>
    route.request().postData()?.includes("ZWAVE_GET_NODES") ? route.fulfill({ json: [] }) : route.fallback(),
  );
  await goTo(page, `device/${deviceId}`);
  await radio.getByText("The Z-Wave network does not know this device.").waitFor();
  await page.unroute(commands);
  await goTo(page, "pair");
  await goTo(page, `device/${deviceId}`);
  await radio.getByText(`Node ${nodeId}`, { exact: true }).waitFor();
  await radio.getByText("S2 AccessControl").waitFor();
  await radio.getByText(/^\d+ sent since the start, \d+ lost, \d+ without an answer in time$/).waitFor();
  await radio.getByRole("button", { name: "Ping" }).click();
  await radio.getByText("It answers.", { exact: true }).waitFor();
  await radio.getByRole("button", { name: "Rebuild its routes" }).click();
  await radio.getByText("Its routes are rebuilt.").waitFor();
  await assertAccessible(home, "the radio of a lock");
  // The library tries to reach a node that is away for long.
  const silent = { type: "ZWAVE_CHECK_FAILED", nodeId, isFailed: true, status: 0, reason: null };
  await page.route("**/hub/protocolconfig", (route) => route.fulfill({ json: silent }), { times: 1 });
  await radio.getByRole("button", { name: "Ping" }).click();
  await radio.getByText("It does not answer.", { exact: true }).waitFor();
  await radio.getByRole("link", { name: "Show it in the network" }).click();
  await seesNetwork(
    home,
    await hub.call<Record<string, { name: string }>>("GET", "/devices"),
    deviceId ?? "",
  );
  await goTo(page, "pair");
}

/** The lock is the only node: the hub reaches it without others. Its sheet is open. */
async function seesNetwork(
  home: Visit,
  devices: Readonly<Record<string, { readonly name: string }>>,
  id: string,
): Promise<void> {
  const { page } = home;
  const { name } = devices[id] ?? assert.fail("the lock is no device");
  const sheet = page.getByRole("dialog", { name });
  await sheet.getByText("S2 AccessControl").waitFor();
  await sheet.getByRole("link", { name: `Show ${name}` }).waitFor();
  await assertAccessible(home, "a node of the Z-Wave network");
  await page.keyboard.press("Escape");
  const network = page.getByRole("region", { name: "Z-Wave", exact: true });
  await network.locator(".network-tree").getByRole("button", { name: "This hub" }).waitFor();
  await network.locator(".network-tree ul").getByRole("button", { name }).waitFor();
  await network.getByText("Table", { exact: true }).click();
  await network.getByRole("row", { name: new RegExp(`^${name} This hub 1 `) }).waitFor();
  await network.getByText("Drawing", { exact: true }).click();
  await network.getByRole("img", { name: "1 node around this hub" }).waitFor();
  await assertAccessible(home, "a drawing of the Z-Wave network");
}
