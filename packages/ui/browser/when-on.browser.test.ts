// When a rule is on, and what forms keep.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Page } from "playwright-core";
import { startHub, type TestHub } from "./testdata/hub.ts";
import {
  assertAccessible,
  assertFits,
  enter,
  launch,
  takeBack,
  type Visit,
  visit,
} from "./testdata/visit.ts";

interface Rule {
  readonly id: string;
  readonly is_on: boolean;
  readonly scenes: Readonly<Record<string, boolean>>;
  readonly timers: readonly { readonly start: object; readonly end: object }[];
}

describe("when a rule is on, in a browser", () => {
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  let id = "";

  const rule = async (): Promise<Rule> =>
    (await hub.call<Record<string, Rule>>("GET", "/rules"))[id] ?? assert.fail("no rule");

  before(async () => {
    [hub, browser] = await Promise.all([startHub(), launch()]);
    const devices = Object.values(
      await hub.call<Record<string, { id: string; name: string }>>("GET", "/devices"),
    );
    const lamp = devices.find(({ name }) => name === "Hallway ceiling")?.id;
    const config = {
      name: "Short light",
      configType: "AUTO_OFF",
      inputs: {},
      outputs: { devices: [lamp] },
      extras: { after: [{ type: "TIME_DELTA_MS", value: 60_000 }] },
    };
    const [made] = await hub.call<readonly Rule[]>("PUT", "/rules", { rules: [config] });
    id = made?.id ?? "";
    seen = await visit(browser, hub, { viewport: { width: 1100, height: 900 } });
    ({ page } = seen);
    await enter(seen, hub);
    await page.goto(`${hub.address}/#/rule/${id}`);
    await page.locator("summary", { hasText: "When it is on" }).click();
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  test("scenes turn a rule on and off, and people no longer can", async () => {
    await page.getByLabel("Scenes: it is on while one of them is").check();
    const save = page.getByRole("button", { name: "Save When it is on" });
    await save.click();
    await page.getByText("Choose at least one.").waitFor();
    await assertAccessible(seen, "a rule without its scenes");
    await page.getByLabel("Away", { exact: true }).check();
    await save.click();
    await page.getByText("Its scenes turn it on and off").waitFor();
    assert.ok(await page.getByRole("switch", { name: "Short light" }).isDisabled());
    assert.equal(Object.keys((await rule()).scenes).length, 1);
    await assertAccessible(seen, "a rule with scenes");
    const [away] = Object.keys((await rule()).scenes);
    await hub.call("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id: away }]);
    await page.getByRole("switch", { name: "Short light", checked: true }).waitFor();
  });

  test("the change is taken back", async () => {
    // Without the messages of earlier changes.
    await page.reload();
    await page
      .getByRole("group", { name: "Scenes", exact: true })
      .getByLabel("Home", { exact: true })
      .check();
    await page.getByRole("button", { name: "Save When it is on" }).click();
    await takeBack(page, "Short light is saved");
    await page
      .getByRole("group", { name: "Scenes", exact: true })
      .getByRole("checkbox", { name: "Home", checked: false })
      .waitFor();
    assert.equal(Object.keys((await rule()).scenes).length, 1);
  });

  test("times turn a rule on and off, and the hub's reason stands at a time that it refuses", async () => {
    await page.getByLabel("Times", { exact: true }).check();
    await page.getByRole("button", { name: "Add Times" }).click();
    const time = page.getByRole("group", { name: "Times, 1" });
    await time.getByLabel("From: time of day").fill("19:30");
    await time.getByText("Only for a time").click();
    await time.getByLabel("First day").fill("2030-02-02");
    await time.getByLabel("Last day").fill("2030-01-01");
    const save = page.getByRole("button", { name: "Save When it is on" });
    await save.click();
    await page.locator(".value > .problem").filter({ hasText: /\w/ }).waitFor();
    await assertAccessible(seen, "a rule with times");
    await time.getByLabel("Last day").fill("");
    await time.getByLabel("First day").fill("");
    await save.click();
    await until("the rule has a time and no scene", async () => {
      const { scenes, timers } = await rule();
      return timers.length === 1 && Object.keys(scenes).length === 0;
    });
    assert.deepEqual((await rule()).timers[0]?.start, { type: "TIME_OF_DAY", value: 1170 });
    await page.getByText("Its scenes turn it on and off").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 320, height: 800 });
    await assertFits(seen, "a rule with times");
    assert.deepEqual(seen.problems, []);
  });
});
