// Screens about the hub itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { until } from "@ledge/testkit";
import { makeSelfSigned } from "@ledge/testkit/mqtt";
import { PhoneServer } from "@ledge/testkit/phones";
import { SimulatedRenderer } from "@ledge/testkit/upnp";
import { keyboardOf } from "./testdata/keyboard.ts";
import { testAudit } from "./testdata/audit.ts";
import { testProcessLog } from "./testdata/process-log.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { testPresence } from "./testdata/presence.ts";
import { testSystem } from "./testdata/system.ts";
import { assertAccessible, enter, goTo, launch, takeBack, type Visit, visit } from "./testdata/visit.ts";

interface Broker {
  readonly hasCa: boolean;
  readonly hasCertificate: boolean;
}

describe("the hub in a browser", () => {
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  let phone: PhoneServer;
  const sofa = new SimulatedRenderer({ udn: "uuid:sofa" });

  before(async () => {
    phone = await PhoneServer.start("ntfy");
    const more = {
      localTargets: true,
      features: ["VIEW_HISTORY", "SEND_EMAIL", "PN_MESSAGING", "MQTT"],
    };
    await sofa.listen();
    const place = { id: "sofa", name: "Sofa", host: "127.0.0.1", port: sofa.port, path: "/description.xml" };
    const adapters = { upnp: { discovery: false, renderers: [place], pollEveryMs: 500 } };
    [hub, browser] = await Promise.all([startHub(true, "none", adapters, more), launch()]);
    seen = await visit(browser, hub, { viewport: { width: 1100, height: 900 } });
    ({ page } = seen);
    await enter(seen, hub);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
    await phone?.kill();
    await sofa.close();
  });

  test("tells how it fares, and what is wrong with its remedy", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByRole("heading", { level: 2, name: "Adapters and radios" }).waitFor();
    const adapter = page.locator("dt", { hasText: /^sim$/ }).locator("xpath=following-sibling::dd[1]");
    assert.equal(await adapter.textContent(), "running");
    await page.route("**/hub/health", async (route) => {
      const response = await route.fetch();
      const health = (await response.json()) as object;
      const trouble = {
        code: "DISK_LOW",
        level: "warn",
        of: null,
        text: "Almost full.",
        remedy: "Make room.",
      };
      const troubles = [{ ...trouble, reason: "12 MiB at 10.0.0.7" }];
      await route.fulfill({ response, json: { ...health, troubles } });
    });
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByRole("heading", { level: 2, name: "Almost full." }).waitFor();
    await page.getByText("Make room.").waitFor();
    await assertAccessible(seen, "health with a trouble");
  });

  test("gives a report to copy that names nobody", async () => {
    await page.getByText("Report for somebody who helps").first().click();
    const report = await page.getByRole("textbox", { name: "Report for somebody who helps" }).inputValue();
    assert.match(report, /^adapter sim: running, 0 failures$/m);
    assert.match(report, /^trouble DISK_LOW \(12 MiB at <address>\)$/m);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText(/^The report is copied|^This browser copies nothing/).waitFor();
    await assertAccessible(seen, "health with its report");
  });

  testAudit(() => ({ hub, seen }));
  testProcessLog(() => ({ hub, seen }));

  test("says that it fares well, why it does not answer, and asks again", async () => {
    await page.unroute("**/hub/health");
    await page.route("**/hub/health", (route) =>
      route.fulfill({ status: 500, json: { message: "the hub failed on this request" } }),
    );
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("the hub failed on this request").waitFor();
    await assertAccessible(seen, "health that failed");
    await page.unroute("**/hub/health");
    await page.route("**/hub/health", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), troubles: [] } });
    });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Everything works.").waitFor();
    await page.unroute("**/hub/health");
    assert.deepEqual(seen.problems, []);
  });

  test("keeps favourites for every browser of the user, beside what other clients keep", async () => {
    const path = "/hub/users/preferences";
    await hub.call("PUT", path, { values: { theme: "of another client" } });
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("link", { name: /^Kitchen ceiling/ }).click();
    const star = page.getByRole("button", { name: "Favourite", exact: true });
    const starred = (isOne: boolean) =>
      page.locator(`button[aria-pressed="${isOne}"]`, { hasText: "Favourite" }).waitFor();
    await takeBack(page, "Kitchen ceiling is a favourite now", async () => {
      await star.click();
      await starred(true);
    });
    await starred(false);
    await star.click();
    await page.getByText("Kitchen ceiling is a favourite now").waitFor();
    await starred(true);
    await assertAccessible(seen, "a favourite");
    const { values } = await hub.call<{ values: Record<string, unknown> }>("GET", path);
    assert.equal(values["theme"], "of another client");
    const other = await visit(browser, hub);
    await enter(other, hub);
    const first = other.page.getByRole("region", { name: "Favourites" });
    await first.getByRole("link", { name: /^Kitchen ceiling/ }).waitFor();
    await assertAccessible(other, "home with a favourite");
    await other.close();
    await star.click();
    await starred(false);
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("link", { name: /^Kitchen ceiling/ }).waitFor();
    assert.equal(await page.getByRole("region", { name: "Favourites" }).count(), 0);
  });

  testPresence(() => ({ hub, seen }));

  test("goes to a place in the track that a player plays", async () => {
    const { id } = await until("the player is there", async () =>
      Object.values(await hub.call<Record<string, { id: string; name: string }>>("GET", "/devices")).find(
        ({ name }) => name === "Sofa",
      ),
    );
    await goTo(page, `device/${id}`);
    const place = page.getByRole("slider", { name: "Go to" });
    await place.fill("90");
    await until("the player is at its place", async () => sofa.position === "0:01:30");
    assert.equal(await place.getAttribute("aria-valuetext"), "0:01:30 of 0:03:20");
    await place.press("ArrowRight");
    await until("the player is a step further", async () => sofa.position === "0:01:35");
    await assertAccessible(seen, "a player with a track");
  });

  test("says why a player did not do what it was told, until the next command", async () => {
    sofa.track = 3;
    const player = page.getByRole("group", { name: "Player" });
    await player.getByText(/^Evening/).waitFor();
    await player.getByRole("button", { name: "Next" }).click();
    const state = page.getByRole("region", { name: "State", exact: true });
    const reason = state.getByText(/^The last command failed: .+/);
    await reason.waitFor();
    await page
      .locator(".toast", { hasText: /^Sofa, Player: .+/ })
      .first()
      .waitFor();
    await assertAccessible(seen, "a command that failed");
    await player.getByRole("button", { name: "Previous" }).click();
    await reason.waitFor({ state: "detached" });
    await until("the player is at the track before", async () => sofa.track === 2);
  });

  test("shows what the home uses now, today and lately, by device and room", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "Energy" }).click();
    await page.getByText(/^Now [\d.,]+\s(?:k?W)$/).waitFor();
    await page.getByText("The hub knows no prices, so there is no cost.").waitFor();
    const who = page.getByRole("region", { name: "Who used it" });
    await who.getByText(/kWh$/).first().waitFor();
    const rows = await who.getByRole("listitem").count();
    assert.ok(rows > 1, `${rows}`);
    await assertAccessible(seen, "energy today");
    await who.getByLabel("By room").check();
    await who.getByText("Without a room").waitFor();
    await page.getByText("7 days", { exact: true }).click();
    const days = page.getByRole("list", { name: "Energy by time" });
    await page.getByRole("heading", { level: 2, name: "7 days" }).waitFor();
    assert.equal(await days.getByRole("listitem").count(), 7);
    await days.getByRole("button").last().click();
    await page.getByRole("heading", { name: /^Who used it: \w{3}/ }).waitFor();
    assert.equal(await days.getByRole("button", { pressed: true }).count(), 1);
    await assertAccessible(seen, "energy of a day");
  });

  test("shows what energy cost where prices were known, and saves a table", async () => {
    await page.route("**/devices/history", async (route) => {
      const response = await route.fetch();
      if (!response.ok()) return route.fulfill({ response });
      const answer = (await response.json()) as { series: { points: unknown[] }[]; starts: unknown[] };
      for (const each of answer.series)
        each.points = answer.starts.map((_, at) =>
          at === 0 ? { kWh: 2, cost: 0.25, unpriced: 0 } : { kWh: 1, cost: null, unpriced: 1 },
        );
      answer.series.length = 1;
      await route.fulfill({ response, json: { ...answer, currency: "EUR" } });
    });
    await page.getByText("30 days", { exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "30 days" }).waitFor();
    await page.locator(".energy-total", { hasText: "31\u202fkWh, €0.25" }).waitFor();
    await page.getByText("29\u202fkWh had no known price.").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), "energy.csv");
    await assertAccessible(seen, "energy with cost");
    await page.unroute("**/devices/history");
    assert.deepEqual(seen.problems, []);
  });

  test("counts nothing twice beside a main meter, which is chosen for all who use the home", async () => {
    await page.getByText("Today", { exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Today" }).waitFor();
    const who = page.getByRole("region", { name: "Who used it" });
    const choice = page.getByLabel("Main meter of the home");
    const [name = ""] = await choice.locator("option").nth(1).allTextContents();
    await takeBack(page, "The main meter is saved", async () => {
      await choice.selectOption({ label: name });
      await who.getByText("Other", { exact: true }).waitFor();
      assert.equal(await who.getByText(name, { exact: true }).count(), 0);
      const { values } = await hub.call<{ values: Record<string, unknown> }>("GET", "/hub/preferences");
      assert.equal(typeof values["mainMeter"], "string");
      await assertAccessible(seen, "energy with a main meter");
    });
    await who.getByText("Other", { exact: true }).waitFor({ state: "detached" });
    await who.getByText(name, { exact: true }).waitFor();
  });

  test("shows the prices to come, and when they are least", async () => {
    const hour = Math.floor(Date.now() / 3_600_000);
    const slots = Array.from({ length: 30 * 4 }, (_, quarter) => {
      const start = hour * 3_600_000 + quarter * 900_000;
      const isCheap = quarter >= 24 && quarter < 36;
      return { start, end: start + 900_000, price: isCheap ? 0.01 : 0.2 };
    });
    await page.route("**/hub/prices", (route) =>
      route.fulfill({
        json: { type: "PRICES", area: "FI", currency: "EUR", unit: "kWh", slots, timestamp: 1 },
      }),
    );
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.goto(`${hub.address}/#/energy`);
    const ahead = page.getByRole("region", { name: "Prices ahead" });
    await ahead.getByText(/^Cheapest three hours in a row: \w{3}/).waitFor();
    assert.ok((await ahead.getByRole("listitem").count()) >= 29);
    assert.equal(await ahead.getByText("€0.01, cheapest").count(), 3);
    await assertAccessible(seen, "energy with prices to come");
    const plan = ahead.getByRole("link", { name: "Use the cheapest hours in a rule" });
    assert.match((await plan.getAttribute("href")) ?? "", /rule\?type=SPOT_CHEAPEST$/);
    await page.unroute("**/hub/prices");
    assert.deepEqual(seen.problems, []);
  });

  test("switches a feature off and takes that back, and says why it does not know them", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "Features" }).click();
    const mail = page.getByRole("switch", { name: "E-mail" });
    await mail.waitFor();
    await assertAccessible(seen, "features");
    await takeBack(page, "E-mail is off now", async () => {
      await mail.click();
      await page.locator('[role="switch"][aria-label="E-mail"][aria-checked="false"]').waitFor();
    });
    await page.locator('[role="switch"][aria-label="E-mail"][aria-checked="true"]').waitFor();
    const switches = await hub.call<{ feature: string; isOn: boolean }[]>("GET", "/hub/featureswitches");
    const on = switches.filter(({ isOn }) => isOn).map(({ feature }) => feature);
    assert.deepEqual(new Set(on), new Set(["VIEW_HISTORY", "SEND_EMAIL", "PN_MESSAGING", "MQTT"]));
    await goTo(page, "more");
    await page.route("**/hub/featureswitches", (route) => route.fulfill({ json: [] }));
    await goTo(page, "features");
    await page.getByText("This hub has no features to switch.").waitFor();
    await assertAccessible(seen, "no features");
    await goTo(page, "messages");
    await page.getByText("This hub does not have that feature, or it is off.").waitFor();
    await assertAccessible(seen, "messages of a hub without them");
    await page.unroute("**/hub/featureswitches");
    await page.route("**/hub/featureswitches", (route) =>
      route.fulfill({ status: 500, json: { message: "the hub failed on this request" } }),
    );
    for (const screen of ["features", "broker"]) {
      await goTo(page, screen);
      await page.getByText("the hub failed on this request").waitFor();
      await assertAccessible(seen, `${screen} that failed`);
    }
    await page.unroute("**/hub/featureswitches");
  });

  test("names a phone by keys alone, and sends it a test", async () => {
    const keys = keyboardOf(page);
    await goTo(page, "features");
    // From here on the focus shows, as it does to who uses keys.
    await page.keyboard.press("Tab");
    await keys.press(/^A Set up: Messages to phones/);
    await page.getByText("No phone gets messages yet.").waitFor();
    await keys.press(/^BUTTON Add it/);
    await page.getByText("Fill in this field.").first().waitFor();
    assert.equal(await page.locator("form .problem").filter({ hasText: /\w/ }).count(), 2);
    await assertAccessible(seen, "messages with faults");
    await keys.isAt(/^BUTTON Add it/);
    await keys.reach(/^INPUT Address of the server/, "Shift+Tab");
    await keys.fill(/^INPUT Address of the server/, "ntfy.sh");
    await keys.press(/^BUTTON Add it/);
    await page.getByText("Write an address such as https://ntfy.sh").waitFor();
    await keys.reach(/^INPUT Address of the server/, "Shift+Tab");
    await keys.fill(/^INPUT Address of the server/, phone.url);
    await keys.fill(/^INPUT Topic/, "home");
    await keys.fill(/^INPUT Access token/, phone.token);
    await keys.fill(/^INPUT Name/, "Ann's phone");
    await keys.reach(/^BUTTON Add it/);
    // Whoever presses twice adds one.
    await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("Enter")]);
    await page.getByRole("heading", { level: 2, name: "Ann's phone" }).waitFor();
    assert.equal(Object.keys(await hub.call<object>("GET", "/hub/messagetargets")).length, 1);
    assert.equal(await page.getByLabel("Access token").last().inputValue(), "");
    await assertAccessible(seen, "messages");
    await keys.reach(/^BUTTON Send a test to Ann's phone/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await phone.message(({ text }) => text.includes("test"));
  });

  test("changes a phone, whose token stays with its server, and removes it after a question", async () => {
    await page.getByText("Change Ann's phone").click();
    const card = page.getByRole("listitem").filter({ hasText: "Ann's phone" });
    await card.getByLabel("Alarms").selectOption({ label: "Dangers alone" });
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByRole("definition").filter({ hasText: "Dangers alone" }).waitFor();
    await card.getByLabel("Address of the server").fill("https://ntfy.example");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("Type it again: a token stays with the server").waitFor();
    await assertAccessible(seen, "a phone that is changed");
    await card.getByRole("button", { name: "Remove Ann's phone" }).click();
    await card.getByRole("button", { name: "Keep it" }).click();
    await card.getByRole("button", { name: "Remove Ann's phone" }).click();
    await card.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("No phone gets messages yet.").waitFor();
    assert.deepEqual(await hub.call("GET", "/hub/messagetargets"), {});
    assert.deepEqual(seen.problems, []);
  });

  test("sets the MQTT broker by keys alone, keeps its password, and takes it away", async () => {
    const keys = keyboardOf(page);
    await goTo(page, "features");
    // From here on the focus shows, as it does to who uses keys.
    await page.keyboard.press("Tab");
    await keys.press(/^A Set up: MQTT broker/);
    await page.getByText("No broker is set here.").waitFor();
    await assertAccessible(seen, "no broker");
    await keys.fill(/^INPUT Address of the broker/, "10.0.0.5");
    await keys.fill(/^INPUT Password/, "of nobody");
    await keys.press(/^BUTTON Save/);
    await page.getByText("Write an address such as mqtt://192.168.1.5:1883.").waitFor();
    await page.getByText("Fill in this field.").waitFor();
    await assertAccessible(seen, "broker with faults");
    await keys.reach(/^INPUT Address of the broker/, "Shift+Tab");
    await keys.fill(/^INPUT Address of the broker/, "mqtt://127.0.0.1:9");
    await keys.fill(/^INPUT User name/, "hub");
    await keys.press(/^INPUT Rules/, "Space");
    await keys.press(/^SUMMARY Devices from the broker/);
    await keys.fill(/^INPUT Zigbee2MQTT/, "zigbee2mqtt, barn");
    await keys.press(/^BUTTON Save/);
    await page.getByText("The broker is saved").waitFor();
    const settings = { url: "mqtt://127.0.0.1:9", username: "hub", hasPassword: true };
    const set = {
      ...settings,
      expose: ["devices", "groups", "scenes"],
      zigbee2mqtt: ["zigbee2mqtt", "barn"],
    };
    const now = await hub.call<Broker>("GET", "/hub/mqtt");
    assert.deepEqual({ ...now, ...set }, now);
    await page.getByText("The hub has one and shows it to nobody.").waitFor();
    await assertAccessible(seen, "broker");
    assert.deepEqual([now.hasCa, now.hasCertificate], [false, false]);
    await page.getByRole("button", { name: "Take this broker away" }).click();
    await page.getByRole("button", { name: "Take it away" }).click();
    await page.getByText("No broker is set here.").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("gives a broker with TLS certificates as texts of several lines, and takes them away", async () => {
    const { certificate, key } = makeSelfSigned("hub");
    const broker = (): Promise<Broker> => hub.call("GET", "/hub/mqtt");
    await page.getByLabel("Address of the broker").fill("mqtts://127.0.0.1:9");
    await page.getByText("Certificates, for mqtts://").click();
    const authority = page.getByLabel("Authority of the broker's certificate (PEM)");
    const own = page.getByLabel("Certificate of the hub (PEM)");
    await authority.fill("MIIB");
    await own.fill(certificate);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    await page.getByText(/^This is no text in PEM/).waitFor();
    await page.getByText("Fill in this field.").waitFor();
    await assertAccessible(seen, "broker with faults in its certificates");
    await authority.fill(certificate);
    await page.getByLabel("Key of that certificate (PEM)").fill(makeSelfSigned("another").key);
    await save.click();
    // In the hub's words.
    await page.getByText("is not the certificate's").waitFor();
    await page.getByLabel("Key of that certificate (PEM)").fill(key);
    await save.click();
    // Until it has them, it has no broker at all.
    await until("the hub has them", async () => (await broker().catch(() => undefined))?.hasCertificate);
    assert.equal((await broker()).hasCa, true);
    // The form of what the hub has is another one, and closed.
    await page.getByLabel("Take certificate and key away").waitFor({ state: "attached" });
    await page.getByText("Certificates, for mqtts://").click();
    await page.getByText("The hub has one. Left empty, it stays.").first().waitFor();
    assert.equal(await own.inputValue(), "");
    await page.getByLabel("Take certificate and key away").check();
    await assertAccessible(seen, "broker with certificates");
    await save.click();
    await page.getByLabel("Take certificate and key away").waitFor({ state: "detached" });
    const left = await broker();
    assert.deepEqual([left.hasCa, left.hasCertificate], [true, false]);
    await page.getByRole("button", { name: "Take this broker away" }).click();
    await page.getByRole("button", { name: "Take it away" }).click();
    await page.getByText("No broker is set here.").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("makes a backup with a passphrase that is typed twice, and saves it", async () => {
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "System" }).click();
    await page.getByText("The hub keeps no backup yet.").waitFor();
    await page.getByText("This hub has no cloud. It is reached on its own network.").waitFor();
    await assertAccessible(seen, "system");
    const make = page.getByRole("button", { name: "Make a backup" });
    await page.getByLabel("Passphrase", { exact: true }).fill("correct horse");
    await page.getByLabel("The same once more").fill("correct house");
    await page.getByText("The two are not the same.").waitFor();
    assert.ok(await make.isDisabled());
    await assertAccessible(seen, "system with a wrong passphrase");
    await page.getByLabel("The same once more").fill("correct horse");
    await make.click();
    await page.getByText("The backup is made: save it elsewhere").waitFor();
    await page.getByText("with sealed keys").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Save/ }).click(),
    ]);
    assert.match(saved.suggestedFilename(), /^asked-.*\.ledge$/);
    const bytes = readFileSync(await saved.path());
    assert.equal(bytes.subarray(0, 8).toString(), "LDGBKUP1");
    assert.equal(await page.getByLabel("Passphrase", { exact: true }).inputValue(), "");
  });

  testSystem(() => ({ hub, seen }));

  test("says why the hub cannot restart, and otherwise when it is back", async () => {
    const card = page.getByRole("region", { name: "Restart the hub" });
    await card.getByRole("button", { name: "Restart the hub" }).click();
    await card.getByRole("button", { name: "Restart now" }).click();
    await card.getByText(/^nothing would start this hub again/).waitFor();
    await page.route("**/hub/restart", async (route) => {
      await route.fulfill({ json: true });
      await hub.kill();
      await hub.start();
    });
    await card.getByRole("button", { name: "Restart the hub" }).click();
    await card.getByRole("button", { name: "Restart now" }).click();
    await card.getByText(/^The hub restarts\./).waitFor();
    await card.getByText("The hub is back.").waitFor();
    await assertAccessible(seen, "system after a restart");
    await page.unroute("**/hub/restart");
    assert.deepEqual(seen.problems, []);
  });
});
