import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser, Page } from "playwright-core";
import { stretchHistory } from "./testdata/history.ts";
import { testDeviceList } from "./testdata/device-list.ts";
import { testDevicePage } from "./testdata/device-page.ts";
import { testTileSheet } from "./testdata/device-sheet.ts";
import { testHome } from "./testdata/home-tiles.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
import {
  assertAccessible,
  enter,
  goTo,
  launch,
  openKeyField,
  takeBack,
  type Visit,
  visit,
} from "./testdata/visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly room: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
}

/** Settings of a device that are kept. */
interface Kept {
  readonly status: string;
  readonly parameters: { readonly offset: number };
}

/** Screens that show the hub as it is now, by their titles. */
const ofNow = { features: "Features", messages: "Messages to phones", broker: "MQTT broker" } as const;

describe("the web interface in a browser", () => {
  let hub: TestHub;
  let browser: Browser;
  let home: Visit;
  let page: Page;
  /** The paths that the page has asked for. */
  const asked = new Set<string>();

  before(async () => {
    [hub, browser] = await Promise.all([startHub(), launch()]);
    home = await visit(browser, hub);
    ({ page } = home);
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  const deviceNamed = async (name: string): Promise<Device> => {
    const all = Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
    const found = all.find((device) => device.name === name);
    assert.ok(found, name);
    return found;
  };

  /** Moves the timeline's slider to a time (ms) as if dragged. */
  const moveSlider = (time: number): Promise<void> =>
    page.getByRole("slider", { name: "Time" }).evaluate((element, to) => {
      const slider = element as HTMLInputElement;
      slider.step = "1";
      slider.value = String(to);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    }, time);

  test("asks for a key, and says in words what is wrong with another", async () => {
    await page.getByRole("heading", { name: "Open your home" }).waitFor();
    await openKeyField(page);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("Paste the key first.").waitFor();
    await page.getByLabel("Hub key").fill("eyJhbGciOiJFZERTQSJ9.e30.AAAA");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("The hub does not know this key, or it has expired.").waitFor();
  });

  test("opens the home with the key", async () => {
    await enter(home, hub);
    await page.getByRole("heading", { level: 1, name: "Ledge" }).waitFor();
    await page.getByRole("link", { name: "Kitchen ceiling" }).waitFor();
  });

  test("says what the hub would make of rooms, or why it refuses them, and changes nothing", async () => {
    const wizard = page.getByRole("region", { name: "Your devices are in no rooms yet" });
    const isTold = async (): Promise<boolean> => {
      const counts = await wizard.locator(":checked ~ .muted").allTextContents();
      const devices = counts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
      const made = `this makes ${counts.length} new rooms, and puts ${devices} devices into rooms.`;
      return (await wizard.getByRole("status").textContent())?.endsWith(made) ?? false;
    };
    await wizard.getByRole("button", { name: "Say first what this changes" }).click();
    await until("the hub has tried all rooms", isTold);
    await assertAccessible(home, "rooms that the hub has tried");
    const trial = "**/hub/autoconfig?dryRun=true";
    await page.route(trial, (route) => route.fulfill({ status: 422, json: { message: "too many rooms" } }));
    const kitchen = wizard.getByRole("checkbox", { name: /^Kitchen/ });
    await kitchen.uncheck();
    await wizard.getByRole("alert").getByText("too many rooms").waitFor();
    await wizard.locator('[aria-disabled="true"]', { hasText: "Make these rooms" }).waitFor();
    await assertAccessible(home, "rooms that the hub refuses");
    await page.unroute(trial);
    await wizard.getByRole("button", { name: "Try again" }).click();
    await until("the hub has tried all rooms but the kitchen", isTold);
    await kitchen.check();
    await until("the hub has tried all rooms again", isTold);
    assert.deepEqual(await hub.call("GET", "/rooms"), {});
  });

  test("makes rooms of the names of devices, and takes them back", async () => {
    const made = page.getByRole("heading", { level: 2, name: "Kitchen" });
    await takeBack(page, "The rooms are made", async () => {
      await page.getByRole("button", { name: "Make these rooms" }).click();
      await made.waitFor();
    });
    await made.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Make these rooms" }).click();
    await made.waitFor();
    assert.equal((await deviceNamed("Kitchen ceiling")).room.length, 1);
  });

  test("switches a lamp, and shows it as on when the lamp has confirmed", async () => {
    const lamp = page.getByRole("switch", { name: /^Hallway ceiling/ });
    assert.equal(await lamp.getAttribute("aria-checked"), "false");
    await lamp.click();
    await page
      .locator('[role="switch"][aria-label^="Hallway ceiling"][aria-checked="true"]:not(.pending)')
      .waitFor();
    assert.equal((await deviceNamed("Hallway ceiling")).state["isOn"], true);
  });

  test("follows what others do to the home", async () => {
    const { id } = await deviceNamed("Hallway ceiling");
    await hub.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
    await page.locator('[role="switch"][aria-label^="Hallway ceiling"][aria-checked="false"]').waitFor();
  });

  test("says why a lamp is as it is", async () => {
    await page.getByRole("link", { name: /^Hallway ceiling/ }).click();
    await page.getByRole("heading", { level: 1, name: "Hallway ceiling" }).waitFor();
    await page.getByRole("button", { name: "Why Power switch: Off?" }).click();
    const sheet = page.getByRole("dialog", { name: "Why Power switch: Off?" });
    await sheet.getByText("Hallway ceiling went off").waitFor();
    await sheet.getByText("told Hallway ceiling: off").waitFor();
    await sheet.getByText("That is where it began.").waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
  });

  testDeviceList(() => ({ hub, home }));

  test("changes a setting of a device, and takes it back", async () => {
    await page.getByLabel("Filter by name, room, kind or model").fill("living room therm");
    await page.getByRole("link", { name: /^Living room thermostat/ }).click();
    const offset = page.getByLabel("Temperature offset (°C)");
    const former = await offset.inputValue();
    assert.notEqual(former, "1.5");
    const said = "The settings are on their way";
    const toast = page.locator(".toast", { hasText: said });
    const { id } = await deviceNamed("Living room thermostat");
    const path = `/devices/configuration?deviceId=${id}`;
    /** Waits until the device has a value, and then until the form shows that: its words are the same before and after. */
    const settled = async (value: string): Promise<void> => {
      await until(`the device has ${value}`, async () => {
        const { status, parameters } = await hub.call<Kept>("GET", path);
        return status === "APPLIED" && parameters.offset === Number(value);
      });
      const applied = page.getByText("The device has these settings.");
      await until("the form", async () => (await offset.inputValue()) === value && applied.isVisible());
    };
    await offset.fill("1.5");
    await takeBack(page, said, () => page.getByRole("button", { name: "Save", exact: true }).click());
    await settled(former);
    await toast.waitFor({ state: "detached" });
    await offset.fill("1.5");
    // The hub's answer comes late: until then the form shows what was saved, and does not send it again.
    const question = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    await page.route("**/devices/configuration?*", async (route) => {
      if (route.request().method() !== "GET") return await route.continue();
      question.resolve();
      await mayAnswer.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await toast.waitFor();
    await question.promise;
    assert.equal(await offset.inputValue(), "1.5");
    await page.locator('button[aria-disabled="true"]', { hasText: /^Save$/ }).waitFor();
    mayAnswer.resolve();
    await settled("1.5");
    await page.unroute("**/devices/configuration?*");
  });

  test("plays and stops a player by its buttons", async () => {
    const { id } = await deviceNamed("Living room speaker");
    await page.goto(`${hub.address}/#/device/${id}`);
    const player = page.getByRole("group", { name: "Player" });
    const isPlaying = (isOn: boolean): Promise<void> =>
      page
        .locator(`[role="switch"][aria-label^="Living room speaker: Power"][aria-checked="${isOn}"]`)
        .waitFor();
    await isPlaying(false);
    await player.getByRole("button", { name: "Play" }).click();
    await isPlaying(true);
    await assertAccessible(home, "a player");
    await player.getByRole("button", { name: "Stop" }).click();
    await isPlaying(false);
  });

  test("proposes rules, tries one on the past, saves it, and takes it back", async () => {
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByText("There are no rules yet.").waitFor();
    const proposal = page.locator('[aria-labelledby="proposals-title"] li.card').first();
    const name = (await proposal.getByRole("heading").textContent()) ?? "";
    await proposal.locator("h3 + p", { hasText: /\w/ }).waitFor();
    await proposal.getByRole("button", { name: /^What would it have done/ }).click();
    const sheet = page.getByRole("dialog", { name: `What ${name} would have done` });
    await sheet.getByText(/^It would have acted \d+ times? since /).waitFor();
    await sheet.getByText(/^The hub has heard of this home since .* only/).waitFor();
    await sheet.getByRole("button", { name: "Save and turn on" }).click();
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("switch", { name, checked: true }).waitFor();
    await page.getByRole("button", { name: /^Why not\?/ }).click();
    const reasons = page.getByRole("dialog", { name: `Why does ${name} do nothing?` });
    await reasons.locator("p").first().waitFor();
    await page.keyboard.press("Escape");
    await reasons.waitFor({ state: "detached" });
    await takeBack(page, `${name} is removed`, async () => {
      await page.getByRole("button", { name: `Remove ${name}` }).click();
      await page.getByText("There are no rules yet.").waitFor();
    });
    await page.getByRole("switch", { name }).waitFor();
    await page.getByRole("link", { name: "Devices" }).click();
    await page.getByLabel("Filter by name, room, kind or model").fill("living room therm");
    await page.getByRole("link", { name: /^Living room thermostat/ }).click();
  });

  test("draws what a device has reported, and says the same in words", async () => {
    await page.getByLabel("Value").selectOption({ label: "Temperature" });
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByText(/least [\d.]+\s°C, greatest [\d.]+\s°C, mean [\d.]+\s°C$/).waitFor();
    assert.match((await page.locator(".trend .line").getAttribute("d")) ?? "", /^M[\d.]+ [\d.]+L/);
  });

  test("shows more of less time by buttons, keys, wheel and two fingers, and asks the hub for that", () =>
    stretchHistory(home));

  test("shows the home of an earlier time read-only, and what happened", async () => {
    const { id } = await deviceNamed("Hallway ceiling");
    await hub.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
    const isOn = async (): Promise<unknown> => (await deviceNamed("Hallway ceiling")).state["isOn"];
    await until("the lamp is on", async () => (await isOn()) === true);
    const earlier = Date.now();
    await sleep(5);
    await hub.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_OFF", id }]);
    await until("the lamp is off", async () => (await isOn()) === false);
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("button", { name: "1 hour" }).click();
    await moveSlider(earlier);
    const lamp = '[role="switch"][aria-label^="Hallway ceiling"]';
    await page.locator(`${lamp}[aria-checked="true"][aria-disabled="true"]`).waitFor();
    await page.getByText("Hallway ceiling went on").first().waitFor();
    await page.locator(".tile a", { hasText: "Hallway ceiling" }).press("ContextMenu");
    const sheet = page.getByRole("dialog", { name: "Hallway ceiling" });
    await sheet.getByText("The home as it was. Nothing can be switched.").waitFor();
    await sheet.getByText(/^Since .+ told Hallway ceiling: on$/).waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Devices" }).first().click();
    await page.getByText("The home as it was. Nothing can be switched.").waitFor();
    for (const [screen, title] of Object.entries(ofNow)) {
      await goTo(page, screen);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page.getByText("The hub is set up as it is now.").waitFor();
    }
    await page.getByRole("link", { name: "Devices" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
    assert.deepEqual(
      [...asked].filter((path) => /featureswitches|messagetargets|mqtt$/.test(path)),
      [],
    );
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Home" }).first().click();
    await page.locator(`${lamp}[aria-checked="false"][aria-disabled="false"]`).waitFor();
  });

  test("puts the name of a device back as it was at an earlier time, and takes that back", async () => {
    const { id } = await deviceNamed("Hallway ceiling");
    const earlier = Date.now();
    await sleep(5);
    await hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id, name: "Corridor lamp" }]);
    await page.getByRole("link", { name: "Timeline" }).first().click();
    // The slider ends where the page last knew now to be, which may be before that time.
    const then = page.locator('[role="switch"][aria-label^="Hallway ceiling"][aria-disabled="true"]');
    await until("the home as it was", async () => {
      await moveSlider(earlier);
      return await then.isVisible();
    });
    await page.goto(`${hub.address}/#/device/${id}`);
    await takeBack(page, "Hallway ceiling is as it was: ", async () => {
      await page.getByRole("button", { name: "Put name and room back as they were then" }).click();
      await page.getByText(/^Hallway ceiling is as it was: /).waitFor();
      await page.getByText("live", { exact: true }).waitFor();
      assert.equal((await deviceNamed("Hallway ceiling")).id, id);
    });
    await page.getByRole("heading", { level: 1, name: "Corridor lamp" }).waitFor();
    await hub.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id, name: "Hallway ceiling" }]);
    await page.getByRole("heading", { level: 1, name: "Hallway ceiling" }).waitFor();
  });

  test("shows the radio network as a tree, a drawing and a table, and measures the channels", async () => {
    await page.getByRole("link", { name: "More" }).first().click();
    await page.getByRole("link", { name: "Network" }).click();
    await page.locator(".network-tree").getByRole("button", { name: "This hub" }).waitFor();
    await page.locator(".network-tree ul").getByRole("button", { name: "Hallway ceiling" }).click();
    await page.getByText("is heard by This hub, quality 200").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Drawing", { exact: true }).click();
    await page.getByRole("img", { name: /nodes around this hub/ }).waitFor();
    assert.ok((await page.locator(".network .way").count()) > 20);
    await page.getByLabel("Find by name, maker or model").fill("hallway ceil");
    await page.getByRole("row", { name: /^Hallway ceiling This hub 1 quality 200/ }).waitFor();
    await page.getByLabel("Only nodes that are missing or weak").check();
    await page.getByText("No node is like that.").waitFor();
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByText(/^Channel 15, ours: \d+ %$/).waitFor();
  });

  test("tries an endpoint with the key of the page, and says what is wrong with a call", async () => {
    await page.getByRole("link", { name: "More" }).first().click();
    await page.getByRole("link", { name: "Description of the API" }).click();
    await page.getByLabel("Find by path or what it does").fill("put hub/name");
    await page.getByText("PUT /cc/1.14/hub/name").click();
    const send = async (): Promise<void> => {
      await page.getByRole("button", { name: "Send, and change the home" }).click();
      await page.getByRole("button", { name: "Send it", exact: true }).click();
    };
    await page.getByRole("button", { name: "Copy the command" }).click();
    await page.getByText("The command is copied").waitFor();
    await page.getByRole("button", { name: "Send, and change the home" }).click();
    await page.getByText("This changes the home at once.").waitFor();
    await assertAccessible(home, "the question whether a call is sent");
    await page.getByRole("button", { name: "Do not send it" }).click();
    await send();
    await page.getByRole("region", { name: "Answer" }).getByText(/^422 /).waitFor();
    await page.getByLabel(/^name /).fill("Ann's cabin");
    await page.getByText(/-X PUT .*\?name=Ann%27s\+cabin'$/).waitFor();
    // A change is asked for: Enter in a field sends nothing.
    let sent = 0;
    page.on("request", (request) => void (sent += request.url().includes("/hub/name?name=") ? 1 : 0));
    await page.getByLabel(/^name /).press("Enter");
    await send();
    await page.getByRole("region", { name: "Answer" }).getByText("true", { exact: true }).waitFor();
    assert.equal(sent, 1);
    await page.getByLabel("Find by path or what it does").fill("put devices/command");
    await page.getByText("PUT /cc/1.14/devices/command").click();
    await page.getByLabel("Body (JSON)").fill("[");
    await send();
    await page.getByText("The body is no JSON.").waitFor();
    await hub.call("PUT", "/hub/name?name=Ledge");
  });

  testTileSheet(() => ({ hub, home }));

  testDevicePage(() => ({ hub, home }));

  testHome(() => ({ hub, home }));

  test("shows the last state while there is no network, says so, and goes on", async () => {
    await page.goto(`${hub.address}/#/`);
    await page.context().setOffline(true);
    await page.getByText(/^No connection\. As of/).waitFor();
    const lamp = page.getByRole("switch", { name: /^Hallway ceiling/ });
    assert.equal(await lamp.getAttribute("aria-disabled"), "true");
    await page.getByRole("link", { name: /^Hallway ceiling/ }).press("ContextMenu");
    const sheet = page.getByRole("dialog", { name: "Hallway ceiling" });
    await sheet.getByText("Not while there is no connection").waitFor();
    await sheet.getByText("The hub does not answer.").waitFor();
    assert.equal(await sheet.getByRole("switch").getAttribute("aria-disabled"), "true");
    await assertAccessible(home, "a sheet, offline");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.context().setOffline(false);
    await page.getByText("live", { exact: true }).waitFor();
    assert.equal(await lamp.getAttribute("aria-disabled"), "false");
  });

  test("keeps its cursor when the hub is killed and comes back, and does not load again", async () => {
    await page.evaluate(() => (document.title = "not loaded again"));
    await hub.kill();
    await page.getByText(/^No connection\. As of/).waitFor();
    const polls: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/hub/poll"))
        polls.push(new URL(request.url()).searchParams.get("ts") ?? "");
    });
    await hub.start();
    await page.getByText("live", { exact: true }).waitFor();
    assert.ok(polls.length > 0);
    assert.ok(!polls.includes("0"), polls.join());
    assert.equal(await page.title(), "not loaded again");
  });

  test("shows the home of the last visit at once, and the user need not show the key again", async () => {
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("link", { name: /^Kitchen ceiling/ }).waitFor();
  });

  test("forgets key and home when the user leaves", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("button", { name: "Leave this home" }).click();
    await page.getByRole("heading", { name: "Open your home" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Open your home" }).waitFor();
  });

  test("keeps no key on a device of somebody else", async () => {
    const elsewhere = await visit(browser, hub);
    await openKeyField(elsewhere.page);
    await elsewhere.page
      .locator("details")
      .getByLabel(/keep the key/)
      .uncheck();
    await enter(elsewhere, hub);
    await elsewhere.page.reload();
    await elsewhere.page.getByRole("heading", { name: "Open your home" }).waitFor();
    await elsewhere.close();
  });

  test("calls no row that the hub does not describe", async () => {
    const described = (await (await fetch(`${hub.address}/apidoc`)).json()) as { paths: object };
    const called = [...asked].filter((path) => path.startsWith("/cc/"));
    assert.ok(called.length > 5, called.join());
    assert.deepEqual(
      called.filter((path) => !(path in described.paths)),
      [],
    );
  });

  test("throws nothing and asks nothing against its policy", () => assert.deepEqual(home.problems, []));
});
