import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Locator, Page } from "playwright-core";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { keyboardOf } from "./testdata/keyboard.ts";
import {
  assertAccessible,
  enter,
  goTo,
  launch,
  pressOn,
  takeBack,
  type Visit,
  visit,
} from "./testdata/visit.ts";

interface Rule {
  readonly id: string;
  readonly is_on: boolean;
  readonly config: {
    readonly name: string;
    readonly inputs: Readonly<Record<string, readonly string[]>>;
    readonly extras: Readonly<Record<string, readonly object[]>>;
  };
}

interface Scene {
  readonly name: string;
  readonly presets: Readonly<Record<string, { readonly state: Readonly<Record<string, unknown>> }>>;
  readonly sceneTimes: readonly { readonly start: object }[];
}

interface Device {
  readonly id: string;
  readonly name: string;
  readonly capabilities: { readonly values: readonly string[] };
  readonly state: Readonly<Record<string, unknown>>;
}

interface Alarm {
  readonly kind: string;
  readonly closed: boolean;
}

describe("rules, scenes and groups in a browser", () => {
  let hub: TestHub;
  let browser: Browser;
  let home: Visit;
  let page: Page;

  before(async () => {
    [hub, browser] = await Promise.all([startHub(), launch()]);
    home = await visit(browser, hub, { viewport: { width: 1100, height: 900 } });
    ({ page } = home);
    await enter(home, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  /** Turns on a rule that raises an alarm about itself. @returns the rule's id */
  const saysSomething = async (): Promise<string> => {
    const any = { capabilities: ["ON_OFF"], minCount: 1, maxCount: 1, description: "Any lamp" };
    const notify = { type: "notify", params: { text: "wash the windows" } };
    await hub.call("POST", "/rules/template", {
      type: "CUSTOM_RULE",
      configType: "CUSTOM_SAYS",
      template: {
        type: "TEMPLATE",
        name: "Says",
        summary: "Says something",
        inputs: { lamp: any },
        outputs: {},
      },
      machine: { initial: "said", states: { said: { entry: notify } } },
    });
    const all = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    const lamp = all.find(({ name }) => name === "Floor lamp")?.id;
    const config = { type: "CONFIG", id: null, name: "Says", configType: "CUSTOM_SAYS", extras: {} };
    await hub.call("PUT", "/rules", { rules: [{ ...config, inputs: { lamp: [lamp] }, outputs: {} }] });
    const { id } = (await ruleNamed("Says")) ?? assert.fail("no rule");
    await hub.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
    return id;
  };

  const ruleNamed = async (name: string): Promise<Rule | undefined> =>
    Object.values(await hub.call<Record<string, Rule>>("GET", "/rules")).find(
      ({ config }) => config.name === name,
    );

  const sceneNamed = async (name: string): Promise<Scene | undefined> =>
    Object.values(await hub.call<Record<string, Scene>>("GET", "/scenes")).find(
      (scene) => scene.name === name,
    );

  const areAll = async (names: readonly string[], isOn: boolean): Promise<boolean> => {
    const all = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    return names.every((name) => all.find((device) => device.name === name)?.state["isOn"] === isOn);
  };

  const switchLamp = async (name: string, isOn: boolean): Promise<void> => {
    const all = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    const { id } = all.find((device) => device.name === name) ?? assert.fail(name);
    await hub.call("PUT", "/devices/command", [{ type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id }]);
  };

  test("shows the kinds of rules by what they are for", async () => {
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByRole("link", { name: "New rule" }).click();
    await page.getByRole("heading", { level: 2, name: "Light and switches" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "Safety" }).waitFor();
    await assertAccessible(home, "kinds of rules");
    await page.getByRole("link", { name: /^Light by motion/ }).click();
    await page.getByRole("heading", { level: 1, name: "Light by motion" }).waitFor();
  });

  test("says at each field what it lacks, and what the hub finds wrong", async () => {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const sensors = page.getByLabel("Motion sensors", { exact: true });
    assert.equal(await sensors.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(".problem").count(), 2);
    await assertAccessible(home, "a form with faults");
    await sensors.selectOption({ label: "Hallway motion" });
    await page.getByLabel("Lights", { exact: true }).selectOption({ label: "Hallway ceiling" });
    await page.getByLabel("Brightness limit (lx)").fill("100001");
    await page.getByText("At most 100000 lx.").waitFor();
    await page.getByLabel("Brightness limit (lx)").fill("5000");
    await page.getByText("At most 100000 lx.").waitFor({ state: "detached" });
  });

  test("tries a new rule on the last week by itself, and again after an edit", async () => {
    const trial = page.getByRole("region", { name: "What it would have done in the last week" });
    await trial.getByText(/^It would have acted \d+ times? since /).waitFor();
    const asked = page.waitForRequest((request) => request.url().includes("/rules/whatif"));
    await page.getByLabel("Time without motion", { exact: true }).fill("3");
    const { rules } = (await asked).postDataJSON() as { rules: Rule["config"][] };
    assert.deepEqual(rules[0]?.extras["timeout"], [{ type: "TIME_DELTA_MS", value: 180_000 }]);
    await trial.getByText(/^It would have acted \d+ times? since /).waitFor();
    await assertAccessible(home, "a rule with what-if");
  });

  test("saves a new rule with a time range, and shows it as it is", async () => {
    await page.getByLabel("Name", { exact: true }).fill("Hall light");
    await page.getByRole("button", { name: "Add Active times" }).click();
    const range = page.getByRole("group", { name: "Active times, 1" });
    await range.getByLabel("From", { exact: true }).selectOption({ label: "Sunset" });
    await range.getByRole("spinbutton").first().fill("-30");
    await range.getByLabel("Until: time of day").fill("23:15");
    await range.getByLabel("Mon", { exact: true }).check();
    await assertAccessible(home, "a time range");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Hall light is saved").waitFor();
    await page.getByRole("heading", { level: 1, name: "Hall light" }).waitFor();
    const saved = await ruleNamed("Hall light");
    assert.equal(saved?.is_on, false);
    assert.deepEqual(saved.config.extras["activeTimes"], [
      {
        type: "TIME_RANGE",
        weekdays: [1],
        start: { type: "SUN_EVENT", event: "SUNSET", offsetMs: -1_800_000 },
        end: { type: "TIME_OF_DAY", value: 1395 },
        enabled: true,
      },
    ]);
    assert.match(page.url(), new RegExp(`#/rule/${saved.id}$`));
    await page.getByRole("button", { name: /^Hallway motion/ }).waitFor();
  });

  test("shows the hub's reason at the field that it refuses", async () => {
    await page.getByRole("button", { name: "Remove Active times, 1" }).click();
    await page.getByLabel("Light sensor", { exact: true }).selectOption({ index: 1 });
    await page.goto(`${hub.address}/#/rule?type=THERMOSTAT_SCHEDULE`);
    await page.getByLabel("Thermostats", { exact: true }).selectOption({ label: "Living room thermostat" });
    await page.getByRole("button", { name: /^Add / }).first().click();
    await page.getByText("each time range has one setpoint").waitFor();
    const fault = page.locator("fieldset", { hasText: "each time range has one setpoint" });
    await fault.getByText("Setpoints (°C)").first().waitFor();
  });

  test("keeps what is typed while the rule is switched, changes a saved rule, and takes it back", async () => {
    const { id } = (await ruleNamed("Hall light")) ?? assert.fail("no rule");
    await page.goto(`${hub.address}/#/rule/${id}`);
    await page.getByLabel("Name", { exact: true }).fill("Corridor light");
    // The hub tries this edit while it is asked to take it back.
    await page.getByLabel("Time without motion", { exact: true }).fill("4");
    await page.getByRole("switch", { name: "Hall light" }).click();
    await page.getByRole("switch", { name: "Hall light", checked: true }).waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Corridor light");
    await takeBack(page, "Corridor light is saved", async () => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Corridor light" }).waitFor();
    });
    await page.getByRole("heading", { level: 1, name: "Hall light" }).waitFor();
    // The form follows in the next frame.
    const [name, time] = ["Name", "Time without motion"].map((label) =>
      page.getByLabel(label, { exact: true }),
    );
    await until("the form is as it was", async () => (await name?.inputValue()) === "Hall light");
    assert.equal(await time?.inputValue(), "3");
  });

  test("a rule made here acts, a lamp says that it was the rule, and the rule says why it does nothing", async () => {
    await page.goto(`${hub.address}/#/rule?type=AUTO_OFF`);
    await page.getByLabel("Name", { exact: true }).fill("Short light");
    await page.locator("#outputs-devices").selectOption({ label: "Hallway ceiling" });
    await page.locator("#extras-after").fill("2");
    await page.locator("#extras-after + select").selectOption("s");
    await page.getByRole("button", { name: "Save and turn on" }).click();
    await page.getByRole("heading", { level: 1, name: "Short light" }).waitFor();
    await page.getByRole("button", { name: "Why not?" }).click();
    const reasons = page.getByRole("dialog", { name: "Why does Short light do nothing?" });
    await reasons.locator("p").first().waitFor();
    await assertAccessible(home, "why not");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Devices" }).click();
    await page.getByLabel("Filter by name, room, kind or model").fill("hallway ceil");
    await page.getByRole("link", { name: /^Hallway ceiling/ }).click();
    const lamp = page.getByRole("switch", { name: /^Hallway ceiling/ });
    if ((await lamp.getAttribute("aria-checked")) === "false") await lamp.click();
    await page.locator('[role="switch"][aria-label^="Hallway ceiling"][aria-checked="true"]').waitFor();
    await page.locator('[role="switch"][aria-label^="Hallway ceiling"][aria-checked="false"]').waitFor();
    await page.getByRole("button", { name: "Why Power switch: Off?" }).click();
    await page
      .getByRole("dialog")
      .getByText(/Short light/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
  });

  test("removes a rule, and brings it back", async () => {
    const { id } = (await ruleNamed("Short light")) ?? assert.fail("no rule");
    await page.goto(`${hub.address}/#/rule/${id}`);
    const link = page.getByRole("link", { name: "Short light", exact: true });
    await takeBack(page, "Short light is removed", async () => {
      await page.getByRole("button", { name: "Remove Short light" }).click();
      await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
      assert.equal(await link.count(), 0, "the rule leaves the page with the hub's answer, before a poll");
      assert.equal(await ruleNamed("Short light"), undefined);
    });
    await link.waitFor();
    assert.equal((await ruleNamed("Short light"))?.id, id);
  });

  test("makes a scene of devices as they are now, and of what they are changed to", async () => {
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("link", { name: "Edit scenes" }).click();
    await page.getByRole("heading", { level: 1, name: "Scenes and groups" }).waitFor();
    await assertAccessible(home, "scenes and groups");
    await page.getByRole("link", { name: "New scene" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Evening");
    const add = page.getByLabel("Devices", { exact: true });
    await add.selectOption({ label: "Hallway ceiling" });
    await add.selectOption({ label: "Kitchen ceiling" });
    const kitchen = page.getByRole("group", { name: "Kitchen ceiling" });
    await kitchen.getByLabel("Power switch").selectOption("On");
    const slider = kitchen.getByRole("slider", { name: /Brightness$/ });
    if (!(await slider.isVisible())) await kitchen.getByLabel("Brightness", { exact: true }).check();
    await slider.fill("0.4");
    await assertAccessible(home, "a scene");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Evening" }).waitFor();
    const states = Object.values((await sceneNamed("Evening"))?.presets ?? {}).map(({ state }) => state);
    assert.ok(states.some(({ isOn, brightness }) => isOn === true && brightness === 0.4));
  });

  test("turns a scene on, and says what became of each of its devices", async () => {
    await page.getByText("The scene has not been turned on yet.").waitFor();
    await page.getByRole("button", { name: "Turn on now" }).click();
    const outcome = page.getByRole("region", { name: "What became of it" });
    await outcome.getByText(/^Turned on /).waitFor();
    for (const name of ["Hallway ceiling", "Kitchen ceiling"])
      await outcome.getByRole("listitem").filter({ hasText: name }).getByText("done").waitFor();
    await assertAccessible(home, "the outcome of a scene");
  });

  test("gives a scene times, and takes the last change back", async () => {
    // Without the messages of earlier changes.
    await page.reload();
    await page.getByRole("button", { name: "Add Times" }).click();
    await page.getByRole("group", { name: "Times, 1" }).getByLabel("From: time of day").fill("19:30");
    // The form takes over what Undo does when the page knows that the scene had a time.
    const told = page.waitForResponse(
      async (answer) => answer.url().includes("/hub/poll") && /"sceneTimes":\[\{/.test(await answer.text()),
    );
    const starts = async (): Promise<unknown> =>
      (await sceneNamed("Evening"))?.sceneTimes.map(({ start }) => start);
    await takeBack(page, "Evening is saved", async () => {
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Evening is saved").waitFor();
      await told;
      assert.deepEqual(await starts(), [{ type: "TIME_OF_DAY", value: 1170 }]);
    });
    await page.getByRole("group", { name: "Times, 1" }).waitFor({ state: "detached" });
    assert.deepEqual(await starts(), []);
  });

  test("makes a group, switches all of its members, removes it, and brings it back", async () => {
    await page.getByRole("link", { name: "Scenes and groups" }).click();
    await page.getByRole("link", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Ceilings");
    const add = page.getByLabel("Members", { exact: true });
    await add.selectOption({ label: "Hallway ceiling" });
    await add.selectOption({ label: "Kitchen ceiling" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Ceilings" }).waitFor();
    const power = page.getByRole("group", { name: "Power switch" });
    for (const isOn of [true, false]) {
      await power.getByRole("button", { name: isOn ? "On" : "Off", exact: true }).click();
      await until(`all are ${isOn}`, () => areAll(["Hallway ceiling", "Kitchen ceiling"], isOn));
    }
    await assertAccessible(home, "a group");
    await takeBack(page, "Ceilings is removed", async () => {
      await page.getByRole("button", { name: "Remove Ceilings" }).click();
      await page.getByText("There are no groups yet.").waitFor();
    });
    await page.getByRole("link", { name: /^Ceilings/ }).waitFor();
  });

  test("draws the source of a custom rule, and names path and line of what is wrong with it", async () => {
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByRole("link", { name: "Custom rules" }).click();
    await page.getByText("None is installed.").waitFor();
    await assertAccessible(home, "custom rules");
    await page.getByRole("link", { name: "Lamps stay on for a while" }).click();
    await page.locator(".diagram .state", { hasText: "glowing" }).waitFor();
    const source = page.getByLabel("Source", { exact: true });
    const sound = await source.inputValue();
    await source.fill(sound.replace('"target": "glowing"', '"target": "nowhere"'));
    await page.locator("#source-faults code", { hasText: /^machine\.states\.lit/ }).waitFor();
    await assertAccessible(home, "a source with a fault");
    await page
      .locator("#source-faults")
      .getByRole("button", { name: /^Line \d+$/ })
      .click();
    const selected = await source.evaluate((element) => {
      const { value, selectionStart, selectionEnd } = element as HTMLTextAreaElement;
      return value.slice(selectionStart, selectionEnd);
    });
    assert.match(selected, /nowhere/);
    await source.fill(sound);
    await page.locator("#source-faults li").waitFor({ state: "detached" });
  });

  test("tries a custom rule, and installs it", async () => {
    await page.getByRole("button", { name: "Check and try" }).click();
    await page.getByText("Its test passes.").waitFor();
    await page.getByText(/^It would have acted \d+ times? since /).waitFor();
    assert.deepEqual(await hub.call("GET", "/rules/template"), []);
    await assertAccessible(home, "a source that was tried");
    await page.getByRole("button", { name: "Install" }).click();
    await page.getByRole("heading", { level: 1, name: "CUSTOM_LINGER" }).waitFor();
    await page.getByText("No rule is of this kind yet.").waitFor();
  });

  test("a rule of it shows where it stands, and what it has said", async () => {
    await page.getByRole("link", { name: "New rule" }).click();
    await page.getByLabel("Leading lamps", { exact: true }).selectOption({ label: "Floor lamp" });
    await page.getByLabel("Lamps that follow", { exact: true }).selectOption({ label: "Hallway ceiling" });
    await page.locator("#extras-linger").fill("0.5");
    await page.locator("#extras-linger + select").selectOption("s");
    await page.getByRole("button", { name: "Save and turn on" }).click();
    await page.getByRole("switch", { name: "Linger", checked: true }).waitFor();
    await page.goto(`${hub.address}/#/custom/CUSTOM_LINGER`);
    const standing = page.getByRole("region", { name: "Where it stands now" });
    await standing.locator(".current", { hasText: "dark" }).waitFor();
    await switchLamp("Floor lamp", true);
    await standing.locator(".current", { hasText: "lit" }).waitFor();
    await switchLamp("Floor lamp", false);
    await standing.locator(".current", { hasText: "dark" }).waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("dark again, 1 times so far").waitFor();
    await assertAccessible(home, "what a custom rule does");
  });

  test("shows alarms by source and says why, closes one and all of a kind, and keeps what was closed", async () => {
    const all = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    const cold = all
      .filter(({ capabilities, state }) => {
        return capabilities.values.includes("TEMPERATURE") && typeof state["temperature"] === "number";
      })
      .slice(0, 3);
    const [first, second, third] = cold;
    assert.ok(first && second && third);
    const value = (type: string, of: number) => [{ type, value: of }];
    const extras = {
      low: value("TEMPERATURE", 98),
      high: value("TEMPERATURE", 100),
      forMs: value("TIME_DELTA_MS", 0),
      repeat: value("TIME_DELTA_MS", 86_400_000),
    };
    const rule = { type: "CONFIG", id: null, name: "Too cold", configType: "FREEZE_TEMP_LIMIT" };
    const devices = { inputs: { temp: cold.map(({ id }) => id) }, outputs: { siren: [], devices: [] } };
    await hub.call("PUT", "/rules", { rules: [{ ...rule, ...devices, extras }] });
    const { id } = (await ruleNamed(rule.name)) ?? assert.fail("no rule");
    await hub.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id }]);
    const said = await saysSomething();
    await goTo(page, "rules");
    await page.getByText("The rule Says says: wash the windows").waitFor();
    await goTo(page, "alarms");
    await page.getByRole("region", { name: "Says" }).getByRole("link", { name: "Show Says" }).waitFor();
    await hub.call("PUT", "/alarms/close?alarmId=" + encodeURIComponent(`CUSTOM_NOTICE-${said}`));
    const of = ({ name }: Device): Locator => page.getByRole("region", { name, exact: true });
    const titleIn = (source: Locator): Locator => source.getByRole("heading", { level: 3, name: "Too cold" });
    for (const device of cold) await titleIn(of(device)).waitFor();
    await assertAccessible(home, "alarms");
    const isOpen = async (): Promise<readonly string[]> => {
      const alarms = await hub.call<Record<string, Alarm>>("GET", "/alarms");
      return Object.values(alarms).flatMap((alarm) => (alarm.closed ? [] : [alarm.kind]));
    };
    assert.deepEqual((await isOpen()).toSorted(), ["KEY_RECOVERED", "TOO_COLD", "TOO_COLD", "TOO_COLD"]);
    await page.getByText("Who has not seen it yet").click();
    await page.getByText("Every phone and tablet has shown what it should.").waitFor();
    await page.getByText("Who has not seen it yet").click();
    // A phone counts as away only after minutes.
    const [user = ""] = Object.keys(await hub.call<object>("GET", "/hub/users"));
    await page.route("**/notifications", async (route) => {
      const response = await route.fetch();
      const open = (await response.json()) as readonly { readonly category: string }[];
      const clients = ["phone", "tablet"].map((uuid) => ({ user, uuid }));
      const away = open.map((one) => (one.category === "alarm" ? { ...one, clients } : one));
      await route.fulfill({ response, json: away });
    });
    await page.getByText("Who has not seen it yet").click();
    const unseen = page.locator("details", { hasText: "Who has not seen it yet" }).getByRole("listitem");
    await unseen
      .filter({ hasText: `Too cold ${first.name}` })
      .getByText(/: 2 devices$/)
      .waitFor();
    await assertAccessible(home, "alarms that were not seen");
    await page.unroute("**/notifications");
    await page.getByText("Who has not seen it yet").click();
    await unseen.first().waitFor({ state: "detached" });
    await pressOn(of(first).getByRole("button", { name: /^Why\?/ }));
    const sheet = page.getByRole("dialog", { name: "Why this alarm: Too cold?" });
    await sheet.getByText(`The hub raised an alarm about ${first.name}`).waitFor();
    await sheet.getByText("The rule Too cold acted").first().waitFor();
    await assertAccessible(home, "why an alarm");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await of(first)
      .getByRole("link", { name: `Show ${first.name}` })
      .click();
    await page.getByRole("heading", { level: 1, name: first.name }).waitFor();
    await goTo(page, "alarms");
    await of(first)
      .getByRole("button", { name: /^Close the alarm/ })
      .click();
    await titleIn(of(first)).waitFor({ state: "detached" });
    assert.equal((await isOpen()).length, 3);
    const keys = keyboardOf(page);
    await page.keyboard.press("Tab");
    await keys.press(/^BUTTON Close all 2: Too cold/, "Enter", "Shift+Tab");
    await page.getByText("2 alarms are closed").waitFor();
    for (const device of [second, third]) await titleIn(of(device)).waitFor({ state: "detached" });
    assert.deepEqual(await isOpen(), ["KEY_RECOVERED"]);
    const ofHub = page.getByRole("region", { name: "The hub Ledge" });
    await ofHub.getByRole("button", { name: /^Close the alarm/ }).click();
    await page.getByText("No alarm is open.").waitFor();
    assert.deepEqual(await isOpen(), []);
    await page.getByText("5 closed alarms").press("Enter");
    const closed = page.locator("details").getByRole("listitem").filter({ hasText: second.name });
    await pressOn(closed.getByRole("button", { name: /^Why\?/ }));
    const ended = page.getByRole("dialog", { name: "Why was it closed: Too cold?" });
    await ended.getByText(`closed the alarm about ${second.name}`).waitFor();
    await page.keyboard.press("Escape");
    await ended.waitFor({ state: "detached" });
    for (const one of [id, said]) await hub.call("DELETE", `/rules?ruleId=${one}`);
    await assertAccessible(home, "no alarm, and those that were closed");
  });

  test("throws nothing and asks nothing against its policy", () => assert.deepEqual(home.problems, []));
});
