import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Page } from "playwright-core";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { type Keyboard, keyboardOf } from "./testdata/keyboard.ts";
import { launch, type Visit, visit } from "./testdata/visit.ts";

describe("somebody who has a keyboard alone", () => {
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  let keys: Keyboard;
  before(async () => {
    [hub, browser] = await Promise.all([startHub(false), launch()]);
    seen = await visit(browser, hub);
    ({ page } = seen);
    keys = keyboardOf(page);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  const heading = (name: string | RegExp): Promise<void> =>
    page.getByRole("heading", { level: 1, name }).waitFor();

  /** Lets the page grow above what has the focus, until a message is over that. */
  const growUnderMessage = async (): Promise<void> => {
    await page.locator(".toast").last().waitFor();
    await page.evaluate(() => {
      const [at, over] = [document.activeElement, document.querySelector(".toast:last-child")];
      if (at === null || over === null) throw new Error("there is no focus, or no message");
      const block = document.createElement("div");
      block.style.height = `${over.getBoundingClientRect().top - at.getBoundingClientRect().top}px`;
      document.querySelector("#content")?.prepend(block);
    });
  };

  test("claims the hub, and stands in the home", async () => {
    const { code } = JSON.parse(await hub.ledge("claim", "open", "--json")) as { code: string };
    await heading("Make this hub yours");
    await keys.fill(/^INPUT Setup code/, code);
    await keys.fill(/^INPUT Your name/, "Ann");
    await keys.press(/^BUTTON Make it mine/);
    await page.getByText("live", { exact: true }).waitFor();
    await keys.isAt(/^(H1|MAIN) Ledge/);
    await page.getByRole("link", { name: /^Yard motion/ }).waitFor();
  });

  test("makes rooms in the first steps, and leaves the others out", async () => {
    await keys.press(/^BUTTON Done, or not now Where is this home/);
    await keys.isAt(/^SUMMARY/);
    await keys.press(/^SUMMARY Put devices into rooms/);
    await keys.press(/^BUTTON Make these rooms/);
    await page.getByRole("heading", { level: 2, name: "Kitchen" }).waitFor();
    await keys.isAt(/^SUMMARY/);
    await growUnderMessage();
    await keys.isAt(/^SUMMARY/);
    await keys.press(/^BUTTON Leave out all of these/);
    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
    await keys.isAt(/^A /);
  });

  test("switches a lamp, and asks why it is on", async () => {
    await keys.press(/^BUTTON Hallway ceiling: /, "Space");
    await page.locator('[aria-label^="Hallway ceiling"][aria-checked="true"]:not(.pending)').waitFor();
    await keys.press(/^A Hallway ceiling/, "Shift+F10", "Shift+Tab");
    await keys.reach(/^BUTTON Hallway ceiling: Power/);
    await page.getByText(/^Since .+ told Hallway ceiling: on$/).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await keys.isAt(/^A Hallway ceiling/);
    await page.keyboard.press("ContextMenu");
    await keys.press(/^A Show Hallway ceiling/);
    await heading("Hallway ceiling");
    await keys.press(/^BUTTON Why Power switch: On\?/);
    await page.locator(".chain li").first().waitFor();
    await keys.reach(/^BUTTON Close/);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await keys.isAt(/^BUTTON Why Power switch: On\?/);
  });

  test("asks how the lamp is reached by radio, and looks it up in the network", async () => {
    await keys.press(/^BUTTON Ask the network/);
    await page.getByText("quality 200").waitFor();
    await keys.isAt(/^BUTTON Ask the network again/);
    await keys.press(/^A Show it in the network/, "Enter", "Shift+Tab");
    await heading("Network");
    await page.getByRole("dialog", { name: "Hallway ceiling" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  });

  test("adds a device: searches, keeps, names and tries it", async () => {
    await keys.press(/^A Devices/, "Enter", "Shift+Tab");
    await keys.press(/^A Add devices/);
    await keys.press(/^BUTTON Search$/);
    await keys.isAt(/^H1 Searching/);
    await page.getByRole("checkbox", { name: "Porch lamp" }).waitFor();
    await keys.press(/^INPUT .*Porch lamp/, "Space");
    await keys.press(/^BUTTON Keep 1 device/);
    await keys.isAt(/^H1 Name and place/);
    await keys.fill(/^INPUT Name/, "Door lamp");
    await keys.press(/^BUTTON Door lamp: /, "Space");
    await page.locator('[aria-label^="Door lamp"][aria-checked="true"]:not(.pending)').waitFor();
    await keys.press(/^BUTTON Done/);
    await keys.isAt(/^H1 1 device is added/);
  });

  test("makes a rule, and sees what it would have done", async () => {
    await keys.press(/^A Rules/, "Enter", "Shift+Tab");
    await heading("Rules");
    await keys.press(/^A New rule/);
    await keys.press(/^A Light by motion/);
    await heading("Light by motion");
    await keys.press(/^BUTTON Save$/);
    await keys.isAt(/^SELECT Motion sensors/);
    await page.keyboard.type("Hallway motion");
    await keys.isAt(/^SELECT Motion sensors/);
    await keys.reach(/^SELECT Lights/);
    await page.keyboard.type("Hallway ceiling");
    await page.getByText(/^It would have acted \d+ times? since /).waitFor();
    await keys.press(/^BUTTON Hallway motion/, "Enter", "Shift+Tab");
    await keys.isAt(/^SELECT Motion sensors/);
    await page.keyboard.type("Hallway motion");
    await keys.fill(/^INPUT Name/, "Hall light");
    await keys.press(/^BUTTON Save and turn on/);
    await heading("Hall light");
    await page.getByText("On", { exact: true }).waitFor();
    await keys.isAt(/^MAIN /);
  });

  test("removes the rule, and goes to Undo and back by Escape", async () => {
    await keys.press(/^A Rules/);
    await keys.press(/^BUTTON Remove Hall light/);
    await page.getByText("There are no rules yet.").waitFor();
    await keys.isAt(/^BUTTON|^A /);
    await page.locator(".toast", { hasText: "Hall light is removed" }).waitFor();
    await page.keyboard.press("Escape");
    await keys.isAt(/^BUTTON Undo/);
    await page.keyboard.press("Enter");
    await page.getByRole("switch", { name: "Hall light" }).waitFor();
    await keys.isAt(/^BUTTON|^A /);
  });

  test("changes a setting, and takes it back", async () => {
    await keys.press(/^A Devices/, "Enter", "Shift+Tab");
    await keys.fill(/^INPUT Filter/, "living room therm");
    await page.getByText("1 device", { exact: true }).waitFor();
    await keys.press(/^A Living room thermostat/);
    const offset = page.getByLabel("Temperature offset (°C)");
    const former = await offset.inputValue();
    await keys.fill(/^INPUT Temperature offset/, "1.5");
    await keys.press(/^BUTTON Save$/);
    await page.locator(".toast", { hasText: "The settings are on their way" }).waitFor();
    await keys.isAt(/^BUTTON Save/);
    await page.keyboard.press("Escape");
    await keys.isAt(/^BUTTON Undo/);
    await page.keyboard.press("Enter");
    await keys.isAt(/^BUTTON Save/);
    await until("the form is as it was", async () => (await offset.inputValue()) === former);
  });

  test("moves the home to an earlier time, and back to now", async () => {
    await keys.press(/^A Timeline/, "Enter", "Shift+Tab");
    await heading("Timeline");
    await keys.press(/^INPUT Time$/, "ArrowLeft");
    await page.getByText("The home as it was. Nothing can be switched.").waitFor();
    await keys.press(/^BUTTON Back to now/, "Enter", "Shift+Tab");
    await page.getByText("live", { exact: true }).waitFor();
    await keys.reach(/^INPUT Time$/);
  });

  test("leaves the home, and stands at the ways in", async () => {
    await keys.press(/^A More/, "Enter", "Shift+Tab");
    await keys.press(/^BUTTON Leave this home/);
    await heading("Open your home");
    await keys.isAt(/^(H1|MAIN) Open your home/);
    await keys.press(/^SUMMARY/);
    await keys.reach(/^TEXTAREA Hub key/);
    assert.deepEqual(seen.problems, []);
  });
});
