import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pinOf, plans, serveStick, type ServedStick, ZWaveStick } from "@ledge/testkit/zwave";
import { SimulatedBridge } from "@ledge/testkit/hue";
import { SimulatedCamera } from "@ledge/testkit/onvif";
import { until } from "@ledge/testkit";
import type { Browser, Page } from "playwright-core";
import { testCamera } from "./testdata/camera.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
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
import { testNetworkStick } from "./testdata/network-stick.ts";
import { startRadios, type Radios } from "./testdata/radios.ts";
import { keepLock, reachLock } from "./testdata/zwave-radio.ts";
import { startWires, type Wires } from "./testdata/wires.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly room: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
}

describe("the wizard that adds devices", () => {
  let hub: TestHub;
  let browser: Browser;
  let home: Visit;
  let page: Page;
  let served: ServedStick<ZWaveStick>;
  let wires: Wires;
  let bridge: SimulatedBridge;
  let radios: Radios;
  const login = { username: "hub", password: "garden" };
  const camera = new SimulatedCamera({ serial: "1000", model: "Yard", login, moves: true, seesMotion: true });
  before(async () => {
    served = await serveStick(await ZWaveStick.create());
    wires = await startWires();
    bridge = await SimulatedBridge.start(true);
    await camera.listen();
    radios = await startRadios();
    const adapters = {
      zwave: { radio: { path: served.path } },
      onvif: { discovery: false },
      hue: { bridges: [{ address: bridge.origin }] },
      ...wires.adapters,
      ...radios.adapters,
    };
    const features = ["EVENTS", "VIEW_HISTORY", "BLE"];
    const more = { localTargets: true, features };
    [hub, browser] = await Promise.all([startHub(true, "none", adapters, more), launch()]);
    home = await visit(browser, hub);
    ({ page } = home);
    await enter(home, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
    await Promise.all([served?.close(), wires?.close(), bridge?.kill(), camera.close(), radios?.close()]);
  });

  const devices = async (): Promise<readonly Device[]> =>
    Object.values(await hub.call<Record<string, Device>>("GET", "/devices"));
  const names = async (): Promise<readonly string[]> => (await devices()).map(({ name }) => name);
  const find = (name: string | RegExp) => page.getByRole("checkbox", { name });

  test("begins among the devices, and shows what the search finds", async () => {
    await page.getByRole("link", { name: "Devices" }).first().click();
    await page.getByRole("link", { name: "Add devices" }).click();
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
    await assertAccessible(home, "ways");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page
      .getByText("The search begins.")
      .or(page.getByText(/devices? found/))
      .first()
      .waitFor();
    await find("Porch lamp").waitFor();
    await page.getByText("Press the button on the device.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Keep 0 devices" }).isDisabled(), true);
    await assertAccessible(home, "search");
  });

  test("says of a find that is not ready that it is not kept", async () => {
    await find("Unknown device").first().check();
    await page.getByText("Not ready yet, and not kept if you go on now: Unknown device").waitFor();
  });

  test("keeps Porch lamp, and no other", async () => {
    await find("Porch lamp").check();
    await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Name and place your device" }).waitFor();
    await page
      .getByText(/^Not kept, and no part of the home: .*a device that had not yet said what it is/)
      .waitFor();
    await page.getByRole("heading", { level: 2, name: "Porch lamp" }).waitFor();
    await assertAccessible(home, "place");
    assert.ok((await names()).includes("Porch lamp"));
    assert.ok(!(await names()).includes("Weather station"));
  });

  test("names it, makes a room for it, and tries it", async () => {
    const field = page.getByLabel("Name", { exact: true });
    await field.fill("Door la");
    const id = (await devices()).find((device) => device.name === "Porch lamp")?.id;
    for (const [type, state] of [
      ["CMD_DEVICE_ON", "true"],
      ["CMD_DEVICE_OFF", "false"],
    ]) {
      await hub.call("PUT", "/devices/command", [{ type, id }]);
      await page.locator(`[role="switch"][aria-label^="Porch lamp"][aria-checked="${state}"]`).waitFor();
    }
    assert.equal(await field.inputValue(), "Door la", "a report of the device leaves what is typed");
    await field.press("End");
    await field.pressSequentially("mp");
    await field.press("Tab");
    await page.getByRole("heading", { level: 2, name: "Door lamp" }).waitFor();
    await page.getByRole("combobox", { name: "Room" }).selectOption({ label: "New room" });
    await page.getByLabel("Name of the room").fill("Porch");
    await page.getByRole("button", { name: "Make the room" }).click();
    await page.getByText("Moved").waitFor();
    await page.getByRole("switch", { name: /^Door lamp/ }).click();
    await page
      .locator('[role="switch"][aria-label^="Door lamp"][aria-checked="true"]:not(.pending)')
      .waitFor();
    const lamp = (await devices()).find(({ name }) => name === "Door lamp");
    assert.deepEqual([lamp?.state["isOn"], lamp?.room.length], [true, 1]);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { level: 1, name: "1 device is added" }).waitFor();
    await assertAccessible(home, "added");
    await page.getByRole("link", { name: "To the home" }).click();
    await page.getByRole("heading", { level: 2, name: "Porch" }).waitFor();
  });

  test("pairs a 433 MHz device by its kind, and says to whoever goes elsewhere what is kept and what not", async () => {
    await page.goto(`${hub.address}/#/pair`);
    await page.getByRole("button", { name: "Pair Plug with a remote" }).click();
    await find("433 MHz plug").waitFor();
    assert.equal(await find("433 MHz plug").isChecked(), true);
    await page.getByRole("link", { name: "Home" }).first().click();
    await page.getByText(/^Kept: 433 MHz plug\. Not kept, and no part of the home: /).waitFor();
    await page.getByRole("link", { name: /^433 MHz plug/ }).waitFor();
  });

  test("keeps nothing for somebody who stops", async () => {
    await page.goto(`${hub.address}/#/pair`);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await find("Unknown device").first().check();
    await page.getByRole("button", { name: "Stop and keep nothing" }).click();
    await page
      .getByText(/^Not kept, and no part of the home: .*a device that had not yet said what it is/)
      .waitFor();
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
    assert.ok(!(await names()).includes("Garden remote"));
  });

  test("asks for no finds any more once it ends a search: each question begins one", async () => {
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await find("Unknown device").first().waitFor();
    const question = Promise.withResolvers<void>();
    const mayGo = Promise.withResolvers<void>();
    const order: string[] = [];
    await page.route("**/hub/scan?*", async (route) => {
      question.resolve();
      await mayGo.promise;
      await route.continue();
      order.push("question");
    });
    await page.route("**/hub/stopscan", async (route) => {
      order.push("end");
      await route.continue();
    });
    await question.promise;
    await page.getByRole("button", { name: "Stop and keep nothing" }).click();
    await page.locator('button[aria-disabled="true"]', { hasText: "Stop and keep nothing" }).waitFor();
    mayGo.resolve();
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
    assert.deepEqual(order, ["question", "end"]);
    await page.unroute("**/hub/scan?*");
    await page.unroute("**/hub/stopscan");
  });

  test("says at each field what is wrong with a Modbus device, in words for people", async () => {
    await page.getByRole("button", { name: "Add a Modbus device" }).click();
    await page.getByRole("heading", { level: 1, name: "Modbus device" }).waitFor();
    await page.getByLabel("Kind").selectOption({ label: "Relay, coil" });
    const add = page.getByRole("button", { name: "Add", exact: true });
    const address = page.getByLabel("Unit address (1 to 247)");
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("");
    await address.fill("248");
    await add.click();
    await page.getByText("A whole number from 1 to 247.").waitFor();
    assert.equal(await page.locator("form .problem").filter({ hasText: /\w/ }).count(), 2);
    await assertAccessible(home, "Modbus with faults");
    await name.fill("Pump");
    await page.getByLabel("Line", { exact: true }).selectOption({ label: "cellar" });
    await address.fill("9");
    await add.click();
    await page.getByText(/^No device answers at this address\./).waitFor();
    await address.fill("3");
    await page.getByLabel("Register (from 0)").fill("99");
    await add.click();
    await page.getByText("The device answers, but has no such register.").waitFor();
    await page.getByLabel("Register (from 0)").fill("2");
    await page.getByLabel("Ask it for its maker and model").check();
    await add.click();
    await page.getByText(/^The device does not say who made it\./).waitFor();
    await page.getByLabel("Ask it for its maker and model").uncheck();
    await page.getByLabel("Line", { exact: true }).selectOption({ label: "roof" });
    await add.click();
    await page.getByText(/^The line is not connected\./).waitFor();
  });

  test("sets up a serial line, and takes that back", async () => {
    const speed = page.getByLabel("Speed (baud)");
    await page.getByText("Serial port roof").click();
    await speed.selectOption({ label: "19200" });
    await page.getByLabel("Parity").selectOption({ label: "Even" });
    const settings = async (): Promise<object> => {
      const lines = await hub.call<{ name: string; settings: object }[]>("GET", "/hub/serialports");
      return lines.find((line) => line.name === "roof")?.settings ?? {};
    };
    const usual = { baudrate: 9600, databits: 8, stopbits: 1, parity: "none" };
    await takeBack(page, "The serial port roof is set", async () => {
      await page.locator("details").getByRole("button", { name: "Save" }).click();
      await page.getByText("The serial port roof is set").waitFor();
      const now = await settings();
      assert.deepEqual({ ...usual, ...now }, { ...now, baudrate: 19_200, parity: "even" });
    });
    await until("it is as it was", async () => JSON.stringify(await settings()).includes("9600"));
  });

  test("adds a Modbus relay when it has answered, and switches it", async () => {
    await page.getByLabel("Line", { exact: true }).selectOption({ label: "cellar" });
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Pump" }).waitFor();
    await page.getByRole("switch", { name: /^Pump/ }).click();
    await page.locator('[role="switch"][aria-label^="Pump"][aria-checked="true"]:not(.pending)').waitFor();
    assert.equal(wires.coils[2], 1);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
    await page.getByRole("button", { name: "Add a Modbus device" }).click();
    await page.getByLabel("Kind").selectOption({ label: "Relay, coil" });
    await page.getByLabel("Line", { exact: true }).selectOption({ label: "cellar" });
    await page.getByLabel("Unit address (1 to 247)").fill("3");
    await page.getByLabel("Register (from 0)").fill("2");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Pump stands at this register already.").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
  });

  test("finds a BACnet device, and makes two of its values devices of the home", async () => {
    await page.getByRole("button", { name: "Look for BACnet devices" }).click();
    await page.getByText("1 BACnet device answers so far").waitFor();
    await page.getByText(/^number 1001 at 127\.0\.0\.1/).waitFor();
    const supply = page.getByRole("listitem").filter({ hasText: "Supply air" });
    await supply.getByText("Analog input 1").waitFor();
    await assertAccessible(home, "BACnet devices");
    await supply.getByLabel("It is").selectOption({ label: "Temperature" });
    await supply.getByRole("button", { name: "Add Supply air" }).click();
    await supply.getByText("It is part of the home.").waitFor();
    const fan = page.getByRole("listitem").filter({ hasText: "Fan" });
    await fan.getByLabel("It is").selectOption({ label: "Power switch" });
    await fan.getByRole("button", { name: "Add Fan" }).click();
    await page.getByText("A device does not appear").click();
    await page.getByLabel(/^Address, such as/).fill("next door");
    await page.getByRole("button", { name: "Ask it" }).click();
    await page.getByText("Write an address such as 10.0.0.2 or 10.0.0.2:47808.").first().waitFor();
    await page.getByRole("button", { name: "Name and place 2 devices" }).click();
    await page.getByRole("heading", { level: 2, name: "Supply air" }).waitFor();
    await page.getByText(/^21[.,]5\s°C$/).waitFor();
    await page.getByRole("heading", { level: 2, name: "Fan" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
  });

  test("finds a meter on an M-Bus, and keeps it", async () => {
    await page.getByRole("button", { name: "Search for meters" }).click();
    await page.getByText(/^Meters appear as they answer/).waitFor();
    const meter = find(/10000001/);
    await meter.check();
    await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: /10000001/ }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
  });

  testCamera(() => ({ hub, home, camera }));

  test("finds a lighting bridge, waits for its button, and brings in all that it has", async () => {
    await bridge.kill();
    await goTo(page, "pair");
    await page.getByRole("button", { name: "Look for a bridge" }).click();
    await page.getByText("No bridge answers.").waitFor();
    await assertAccessible(home, "no bridge");
    await bridge.restart();
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("Press the round button on the bridge").waitFor();
    await until("the hub asks", async () => bridge.asked.includes("POST /api"));
    bridge.press();
    await page.getByText("The bridge and all that it has are part of the home.").waitFor();
    await page.getByRole("button", { name: "Name and place 6 devices" }).click();
    await page.getByRole("heading", { level: 2, name: "Sink" }).waitFor();
    const kitchen = (await devices()).find(({ name }) => name === "Kitchen") ?? assert.fail("no room");
    await goTo(page, `device/${kitchen.id}`);
    const more = page.getByRole("region", { name: "Further values" });
    await more.getByRole("combobox", { name: "Scene" }).selectOption({ label: "Relax" });
    await assertAccessible(home, "a device with further values");
    await more.getByRole("button", { name: "Send Scene" }).click();
    await until("the lamps follow the scene", async () => bridge.lamps[0]?.bri === 100);
    await goTo(page, "pair");
  });

  test("teaches a dimmer that learns a code which the hub makes up, and dims it", async () => {
    await page.getByRole("button", { name: "Pair Dimmer that learns" }).click();
    await page.getByText(/^The hub has sent Dimmer that learns a new code/).waitFor();
    const dimmer = find(/^Dimmer NewKaku/);
    await dimmer.check();
    await assertAccessible(home, "a code that is taught");
    const [, address = ""] = /^NewKaku;([0-9a-f]{8});1;ON$/.exec(radios.gateway.stick.sent[0] ?? "") ?? [];
    await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
    const card = page.getByRole("region", { name: `Dimmer NewKaku ${address}/1` });
    await pressOn(card.getByRole("slider", { name: /Brightness/ }), "End");
    await until("it is dimmed", async () => radios.gateway.stick.sent.includes(`NewKaku;${address};1;15`));
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
  });

  test("learns the keys of a remote as they are pressed", async () => {
    await page.getByRole("button", { name: "Pair Remote, each of its keys" }).click();
    await page.getByText(/press a key of its remote now/).waitFor();
    const remote = find(/^Remote Eurodomest 03696b/);
    await until("it is found", async () => {
      radios.gateway.stick.hear("Eurodomest;ID=03696b;SWITCH=00;CMD=OFF");
      return (await remote.count()) > 0;
    });
    await remote.check();
    await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
    const card = page.getByRole("region", { name: "Remote Eurodomest 03696b" });
    await card.waitFor();
    radios.gateway.stick.hear("Eurodomest;ID=03696b;SWITCH=01;CMD=ON");
    await until("its second key is known", async () =>
      (await devices()).some(({ name, state }) => name.startsWith("Remote Euro") && state["button"] === 2),
    );
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
  });

  test("finds a Bluetooth sensor that encrypts, and reads it once somebody has typed its key", async () => {
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const sensor = find(/^Sensor 80A5/);
    await until("it is found", async () => {
      await radios.speak();
      return (await sensor.count()) > 0;
    });
    await sensor.check();
    await page.getByRole("button", { name: "Keep 1 device", exact: true }).click();
    const card = page.getByRole("region", { name: "Sensor 80A5" });
    await card.getByText("Settings and keys of Sensor 80A5").click();
    const key = card.getByRole("textbox", { name: /bind ?key/i });
    await key.fill("231d39c1d7cc1ab1aee224cd096db932");
    await assertAccessible(home, "a sensor that wants a key");
    await card.getByRole("button", { name: "Save" }).click();
    await until("it is read", async () => {
      await radios.speak();
      return (await card.getByText(/25[.,]1\s°C/).count()) > 0;
    });
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Add more" }).click();
  });

  test("says which radio is used for what, and why one is not given up", async () => {
    await goTo(page, "system");
    const inUse = page.getByRole("region", { name: "Radios and ports" });
    await inUse.getByText("used for zwave").waitFor();
    await assertAccessible(home, "radios in use");
    await inUse.getByRole("button", { name: /no longer for zwave$/ }).click();
    await page.locator(".toast", { hasText: "no stick was given to zwave" }).waitFor();
    await goTo(page, "pair");
  });

  test("takes a Z-Wave device out of another network, and lets a lock join with the PIN on its label", async () => {
    await page.getByRole("button", { name: "Search for Z-Wave" }).click();
    // On a busy machine the library tries for minutes until the stick answers in time.
    const listens = page.getByText("The Z-Wave stick listens.");
    await until("the stick listens", async () => (await listens.count()) > 0);
    await page.getByText("It was in another network before").click();
    await page.getByRole("button", { name: "Take it out" }).click();
    await page.getByText("Press the button of the device as for pairing.").waitFor();
    served.stick.inclusion.leave("stranger");
    await page.getByText("It is out. Press its button again to add it.").waitFor();
    await page.getByText("The Z-Wave stick listens.").waitFor();
    served.stick.inclusion.seek(plans.doorLock());
    const pin = page.getByLabel("PIN: the five digits on the label of the device");
    await pin.waitFor();
    await assertAccessible(home, "PIN");
    await pin.fill("1234");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.locator("form .problem").filter({ hasText: /\w/ }).waitFor();
    const node = served.stick.nodeIds.at(-1) ?? assert.fail("no node has joined");
    await pin.fill(pinOf(served.stick.node(node)));
    await page.getByRole("button", { name: "Enter" }).click();
    await pin.waitFor({ state: "detached" });
    await keepLock(page);
  });

  test("says how the lock is reached by radio, pings it and rebuilds its routes", () => reachLock(home, hub));

  test("lets a Z-Wave stick leave the network of another controller, once somebody is sure", async () => {
    const member = await ZWaveStick.create({ memberOf: 0xab12_cd34 });
    await served.unplug();
    await served.plug(member);
    const asked = [{ type: "GET_ZWAVE_LEAVING_STATUS" }];
    const isMember = async (): Promise<boolean> =>
      (await hub.call<{ isMember: boolean | null }>("POST", "/hub/protocolconfig", asked)).isMember === true;
    await until("the hub knows the stick", isMember);
    await page.goto(`${hub.address}/#/network`);
    const begin = page.getByRole("button", { name: "Leave that network" });
    await begin.click();
    const question = page.getByText(/^Shall the stick leave the network ab12cd34\?/);
    await question.waitFor();
    await assertAccessible(home, "the question whether the stick leaves");
    await page.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(member.learnMode.isOn, false);
    const leave = async (): Promise<void> => {
      await begin.click();
      await page.getByRole("button", { name: "Leave", exact: true }).click();
      await page.getByText("Let the other controller remove a device now (exclusion).").waitFor();
    };
    await leave();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await begin.waitFor();
    assert.equal(member.learnMode.isOn, false);
    await leave();
    await member.learnMode.remove();
    await page.getByText("The stick has left.").waitFor();
    await begin.waitFor({ state: "detached" });
    await page.goto(`${hub.address}/#/pair`);
  });

  test("says that another search was under way, and goes on when the hub was away", async () => {
    await hub.call("GET", "/hub/scan");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("A search was already under way: its finds are here too.").waitFor();
    await page.context().setOffline(true);
    await page
      .locator(".problem")
      .getByText(/^The hub does not answer/)
      .waitFor();
    await page.context().setOffline(false);
    await page
      .locator(".problem")
      .getByText(/^The hub does not answer/)
      .waitFor({ state: "detached" });
    await find("Unknown device").first().waitFor();
    // The page tries again later and later: it may hear nothing for seconds after the network is back.
    await page.getByText("live", { exact: true }).waitFor();
  });

  testNetworkStick(() => ({ hub, home }));

  test("throws nothing", () => assert.deepEqual(home.problems, []));
});
