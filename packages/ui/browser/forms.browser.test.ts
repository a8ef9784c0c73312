// What turns a rule on, what forms keep until it is saved, and what Home shows.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Locator, Page } from "playwright-core";
import { testHome } from "./testdata/home.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
import {
  assertAccessible,
  assertFits,
  enter,
  goTo,
  launch,
  takeBack,
  type Visit,
  visit,
} from "./testdata/visit.ts";

interface Rule {
  readonly id: string;
  readonly is_on: boolean;
  readonly config: { readonly name: string };
  readonly scenes: Readonly<Record<string, boolean>>;
  readonly timers: readonly { readonly start: object; readonly end: object }[];
}

describe("forms of rules and scenes in a browser", () => {
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

  const name = (): Locator => page.getByLabel("Name", { exact: true });
  const kept = (): Locator => page.getByText("Not saved yet. This browser keeps it for you.");
  const back = (): Locator => page.getByText(/^Here is what you typed on .* and did not save\.$/);

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
    await takeBack(page, "Short light is saved", () =>
      page.getByRole("button", { name: "Save When it is on" }).click(),
    );
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
    // It is kept until it is saved, and the form is open to show it.
    await kept().waitFor();
    await page.reload();
    await back().waitFor();
    assert.equal(await time.getByLabel("From: time of day").inputValue(), "19:30");
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
    await kept().waitFor({ state: "detached" });
    assert.deepEqual((await rule()).timers[0]?.start, { type: "TIME_OF_DAY", value: 1170 });
    await page.getByText("Its scenes turn it on and off").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 320, height: 800 });
    await assertFits(seen, "a rule with times");
    await page.setViewportSize({ width: 1100, height: 900 });
    assert.deepEqual(seen.problems, []);
  });

  /** Returns how many drafts the browser keeps. */
  const drafts = (): Promise<number> =>
    page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const asked = indexedDB.open("ledge");
        asked.addEventListener("success", () => resolve(asked.result));
      });
      const names = await new Promise<IDBValidKey[]>((resolve) => {
        const asked = database.transaction("kept").objectStore("kept").getAllKeys();
        asked.addEventListener("success", () => resolve(asked.result));
      });
      database.close();
      return names.filter((key) => typeof key === "string" && key.startsWith("draft ")).length;
    });

  test("a new rule that nobody saved is there again after a reload, until it is discarded", async () => {
    await goTo(page, "rule?type=AUTO_OFF");
    await page.locator("#extras-after").fill("soon");
    await name().fill("Porch");
    await kept().waitFor();
    await page.reload();
    await back().waitFor();
    assert.equal(await name().inputValue(), "Porch");
    assert.equal(await page.locator("#extras-after").inputValue(), "soon");
    await assertAccessible(seen, "a rule that was not saved");
    await takeBack(page, "It is discarded", async () => {
      await page.getByRole("button", { name: "Discard what I typed" }).click();
      await back().waitFor({ state: "detached" });
      assert.notEqual(await name().inputValue(), "Porch");
    });
    await kept().waitFor();
    assert.equal(await name().inputValue(), "Porch");
  });

  test("what was typed into a rule that has changed since is shown if somebody wants it", async () => {
    await goTo(page, `rule/${id}`);
    await name().fill("Mine");
    await kept().waitFor();
    const { config } = await rule();
    await hub.call("PUT", "/rules", { rules: [{ ...config, name: "Theirs" }] });
    await page.reload();
    await page.getByText(/What is saved has changed since\.$/).waitFor();
    await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor();
    assert.equal(await name().inputValue(), "Theirs");
    await assertAccessible(seen, "a rule that has changed");
    await page.getByRole("button", { name: "Show what I typed" }).click();
    await back().waitFor();
    assert.equal(await name().inputValue(), "Mine");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
    await until("the draft of the new rule alone is left", async () => (await drafts()) === 1);
  });

  testHome(() => ({ hub, seen }));

  test("a scene, a group and a custom rule are kept too, and nothing after the browser has left the home", async () => {
    await goTo(page, "scene");
    await page.getByLabel("Devices", { exact: true }).selectOption({ label: "Hallway ceiling" });
    await kept().waitFor();
    await goTo(page, "group");
    await name().fill("Upstairs");
    await kept().waitFor();
    await goTo(page, "custom?example=custom.linger");
    const source = page.getByLabel("Source", { exact: true });
    await source.fill("{}");
    await kept().waitFor();
    await page.reload();
    await back().waitFor();
    assert.equal(await source.inputValue(), "{}");
    await goTo(page, "scene");
    await back().waitFor();
    await page.getByRole("group", { name: "Hallway ceiling" }).waitFor();
    await goTo(page, "group");
    await back().waitFor();
    assert.equal(await name().inputValue(), "Upstairs");
    await goTo(page, "more");
    assert.equal(await drafts(), 4);
    await page.getByRole("button", { name: "Leave this home" }).click();
    await page.getByRole("heading", { name: "Open your home" }).waitFor();
    assert.equal(await drafts(), 0);
    assert.deepEqual(seen.problems, []);
  });
});
