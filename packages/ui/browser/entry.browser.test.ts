import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@ledge/testkit";
import type { Browser } from "playwright-core";
import { rights } from "../src/screens/people/rights.ts";
import { drawn } from "../src/shell/qr.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { assertAccessible, goTo, launch, takeBack, type Visit, visit } from "./testdata/visit.ts";

/** What the test reads of /apidoc. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly description: string }>>>>;
}

const roleNames = {
  64: "OWNER_ADMIN",
  32: "USER_ADMIN",
  8: "IDENTIFIED_USER",
  4: "REMOTE_GUEST",
  2: "GUEST",
};

describe("getting in", () => {
  let hub: TestHub;
  let browser: Browser;
  let owner: Visit;
  let guest: Visit;
  before(async () => {
    [hub, browser] = await Promise.all([startHub(false), launch()]);
    owner = await visit(browser, hub, { timezoneId: "Europe/Helsinki" });
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
  });

  test("a hub that nobody owns asks for its setup code, and refuses another", async () => {
    const { page } = owner;
    await page.getByRole("heading", { name: "Make this hub yours" }).waitFor();
    await assertAccessible(owner, "setup");
    await page.getByRole("button", { name: "Make it mine" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("Setup code").fill("BCDFGHJ");
    await page.getByLabel("Your name").fill("Ann");
    await page.getByRole("button", { name: "Make it mine" }).click();
    await page.getByText("Fill in this field.").waitFor({ state: "detached" });
    await page.locator("main > form .problem").filter({ hasText: /\w/ }).waitFor();
    assert.equal(await page.getByText("live", { exact: true }).count(), 0);
  });

  test("the setup code makes its reader the owner", async () => {
    const { page } = owner;
    const { code } = JSON.parse(await hub.ledge("claim", "open", "--json")) as { code: string };
    await page.getByLabel("Setup code").fill(code);
    await page.getByRole("button", { name: "Make it mine" }).click();
    await page.getByText("live", { exact: true }).waitFor();
  });

  test("the owner is led through the first steps: where the home is", async () => {
    const { page } = owner;
    const place = page.locator("details", { hasText: "Where is this home?" });
    await place.getByRole("combobox", { name: "Time zone" }).waitFor();
    await assertAccessible(owner, "first steps");
    await place.getByLabel("Name of the home").fill("Cabin");
    await place.getByLabel("Name of the home").press("Tab");
    await page.getByRole("heading", { level: 1, name: "Cabin" }).waitFor();
    /** The field shows the choice before the hub has it. */
    const stored = async (city: string, act: () => Promise<unknown>): Promise<void> => {
      const isTaken = page.waitForResponse((answer) => answer.url().includes(city) && answer.ok());
      await act();
      await (await isTaken).finished();
    };
    await stored("Tokyo", () =>
      place.getByRole("combobox", { name: "Time zone" }).selectOption("Asia/Tokyo"),
    );
    const zone = page.locator("details select").nth(1);
    await takeBack(page, "Saved", async () => {
      await stored("Helsinki", () =>
        place.getByRole("button", { name: "Use Europe/Helsinki, as this device does" }).click(),
      );
      await until("the zone is of this device", async () => (await zone.inputValue()) === "Europe/Helsinki");
    });
    await until("the zone is as it was", async () => (await zone.inputValue()) === "Asia/Tokyo");
    await place.getByText("The sun is that of the time zone's city.").click();
    await place.getByLabel("Latitude, degrees north").fill("91");
    await place.getByRole("button", { name: "Save" }).click();
    await place.locator(".problem").filter({ hasText: /\w/ }).waitFor();
    await place.getByLabel("Latitude, degrees north").fill("60.2");
    await place.getByRole("button", { name: "Save" }).click();
    await place.getByText("Place, for the times of the sun").waitFor();
  });

  test("a step that is left out stays away, the others stay until they are done", async () => {
    const { page } = owner;
    const steps = page.locator('[aria-labelledby="first-title"] > details > summary');
    await page.getByRole("button", { name: "Done, or not now Where is this home?" }).click();
    await page.locator("summary", { hasText: "Where is this home?" }).waitFor({ state: "detached" });
    await page.reload();
    const rooms = page.locator("summary", { hasText: "Put devices into rooms" });
    await rooms.click();
    await page.getByRole("button", { name: "Make these rooms" }).click();
    await page.getByRole("heading", { level: 2, name: "Kitchen" }).waitFor();
    await rooms.waitFor({ state: "detached" });
    assert.deepEqual(await steps.allTextContents(), ["Add devices", "Let rules do the work"]);
    // Some radios are found by nobody: they have an address.
    await page.getByText("A radio at an address of the network").click();
    await page.getByText("This hub has neither Zigbee nor Z-Wave.").waitFor();
    await page.locator("summary", { hasText: "Let rules do the work" }).click();
    await page.getByRole("link", { name: "To the proposals" }).waitFor();
    await page.getByRole("button", { name: "Leave out all of these" }).click();
    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
  });

  test("a second browser shows a code for a camera, which opens People with the code filled in", async () => {
    const { page: owners } = owner;
    const asks = await visit(browser, hub);
    // A name such as a hub has on its network: the address of this machine leads no phone anywhere.
    await asks.page.route("http://hub.test/**", async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const headers = { ...(await route.request().allHeaders()), origin: hub.address };
      const response = await route.fetch({ url: `${hub.address}${pathname}${search}`, headers });
      await route.fulfill({ response });
    });
    await asks.page.goto("http://hub.test/");
    await asks.page.getByLabel("Name of this device").fill("Hall tablet");
    await asks.page.getByRole("button", { name: "Ask to be let in" }).click();
    const code = (await asks.page.locator(".code").textContent()) ?? "";
    const picture = asks.page.getByRole("img", { name: "QR code that lets this browser in" });
    const { path } = drawn(`http://hub.test/#/people?code=${code}`);
    assert.equal(await picture.locator("path").getAttribute("d"), path);
    await assertAccessible(asks, "code for a camera");
    await owners.goto(`${hub.address}/#/people?code=${code}`);
    await owners.getByText(/^Hall tablet at 127\.0\.0\.1 asks to come in\.$/).waitFor();
    assert.deepEqual([...asks.problems, ...owner.problems], []);
    await asks.close();
  });

  test("a second browser shows a code, and is in when somebody has typed it", async () => {
    guest = await visit(browser, hub);
    await guest.page.getByLabel("Name of this device").fill("Kitchen tablet");
    await guest.page.getByRole("button", { name: "Ask to be let in" }).click();
    await assertAccessible(guest, "code");
    const code = (await guest.page.locator(".code").textContent()) ?? "";
    const { page } = owner;
    await page.getByRole("link", { name: "More" }).click();
    await page.getByRole("link", { name: "People" }).click();
    await page.getByLabel("Code").fill("ZZZZZZZ");
    await page.getByRole("button", { name: "Look" }).click();
    await page.locator(".problem").filter({ hasText: /\w/ }).waitFor();
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText(/^Kitchen tablet at 127\.0\.0\.1 asks to come in\.$/).waitFor();
    await assertAccessible(owner, "people, somebody asks");
    await page.getByRole("button", { name: "Let in", exact: true }).click();
    await guest.page.getByText("live", { exact: true }).waitFor();
  });

  test("a guest uses the home, and finds nothing that guests may not do", async () => {
    const panel = await visit(browser, hub);
    const { page } = panel;
    await page.getByLabel("Name of this device").fill("Guest room");
    await page.getByRole("button", { name: "Ask to be let in" }).click();
    const code = (await page.locator(".code").textContent()) ?? "";
    await goTo(owner.page, `people?code=${code}`);
    await owner.page.getByText(/^Guest room at /).waitFor();
    await owner.page.getByLabel("Let in as").selectOption({ label: "a panel on the wall" });
    await owner.page.getByRole("button", { name: "Let in", exact: true }).click();
    await page.getByText("live", { exact: true }).waitFor();
    const lamp = '[role="switch"][aria-label^="Hallway ceiling"]';
    await page.locator(`${lamp}[aria-checked="false"]`).click();
    await page.locator(`${lamp}[aria-checked="true"]:not(.pending)`).waitFor();
    assert.equal(await page.getByRole("link", { name: "Edit scenes" }).count(), 0);
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
    await page.getByRole("link", { name: /^Floor lamp/ }).click({ button: "right" });
    const sheet = page.getByRole("dialog", { name: "Floor lamp" });
    await sheet.getByRole("slider", { name: "Brightness" }).waitFor();
    await assertAccessible(panel, "a sheet, for a guest");
    await sheet.getByRole("link", { name: "Show Floor lamp" }).click();
    await page.getByRole("heading", { level: 1, name: "Floor lamp" }).waitFor();
    await page.getByText("There is newer firmware: 1.1.0.").waitFor();
    assert.deepEqual(await page.getByRole("heading", { level: 2 }).allTextContents(), [
      "Controls",
      "State",
      "Firmware",
      "About",
    ]);
    const buttons = await page.locator("main").getByRole("button").allTextContents();
    assert.deepEqual(buttons, ["Favourite", "Identify", "Ask it again"]);
    assert.equal(await page.locator("main").getByRole("textbox").count(), 0);
    await assertAccessible(panel, "a device, for a guest");
    // Who may not know why, and nothing of radios, is not shown a refusal either.
    assert.ok(![...asked].some((path) => /why$|protocolconfig$|zigbee/.test(path)), [...asked].join());
    for (const [screen, said] of [
      ["timeline", "Guests do not see the past."],
      ["scene", "Your role does not change scenes and groups."],
      ["rule", "Your role does not change rules."],
      ["pair", "Administrators add devices."],
    ] as const) {
      await goTo(page, screen);
      await page.getByText(said).waitFor();
      await assertAccessible(panel, `${screen}, for a guest`);
    }
    await goTo(page, "devices");
    await page.getByText("41 devices", { exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Add devices" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Choose several" }).count(), 0);
    await goTo(page, "more");
    const ways = await page.locator("main nav").getByRole("link").allTextContents();
    assert.deepEqual(ways, ["Alarms", "People", "Panel on the wall"]);
    assert.deepEqual(panel.problems, []);
    await panel.close();
  });

  test("a device that is shut out says so, and others stay in", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: "Shut out Kitchen tablet" }).click();
    await page.getByText("Kitchen tablet is shut out").waitFor();
    await guest.page.getByText(/^Your key does not open this hub any more/).waitFor();
    await assertAccessible(guest, "shut out");
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("link", { name: /^Kitchen ceiling/ }).waitFor();
    assert.deepEqual([...owner.problems, ...guest.problems], []);
  });

  test("the owner reads what each role may, and it is what the hub says", async () => {
    const { page } = owner;
    await page.goto(`${hub.address}/#/people`);
    await page.getByText("What each role may").click();
    const cell = page.getByRole("row", { name: /^Switch devices and scenes/ }).getByRole("cell");
    assert.equal(await cell.textContent(), "owner, administrator, member, guest");
    await assertAccessible(owner, "people, with what each role may");
    const described = (await (await fetch(`${hub.address}/apidoc`)).json()) as Described;
    for (const { row, least } of rights) {
      const { description } = described.paths[`/cc/1.14${row.path}`]?.[row.method] ?? assert.fail(row.path);
      assert.match(description, new RegExp(`^Access: ${roleNames[least]}\\b`), row.path);
    }
  });

  test("the owner lets a panel in, and forgets it once its name is typed", async () => {
    const { page } = owner;
    const panel = await visit(browser, hub);
    await panel.page.getByLabel("Name of this device").fill("Hall panel");
    await panel.page.getByRole("button", { name: "Ask to be let in" }).click();
    const code = (await panel.page.locator(".code").textContent()) ?? "";
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByText(/^Hall panel at 127\.0\.0\.1 asks to come in\.$/).waitFor();
    await page.getByLabel("Let in as").selectOption({ label: "a panel on the wall" });
    await page.getByRole("button", { name: "Let in", exact: true }).click();
    await panel.page.getByText("live", { exact: true }).waitFor();
    // A guest forgets nobody.
    await panel.page.goto(`${hub.address}/#/people`);
    await panel.page.getByText("Hall panel").first().waitFor();
    assert.equal(await panel.page.getByText(/^Forget /).count(), 0);
    const all = page.getByRole("region", { name: "Who may do what" });
    await all.getByText("Forget Hall panel", { exact: true }).click();
    const name = all.getByLabel("Type Hall panel to be sure");
    await name.fill("hall panel");
    await name.press("Enter");
    await all.getByText("That is not Hall panel.").waitFor();
    await assertAccessible(owner, "people, a name that is not the user's");
    await name.fill("Hall panel");
    await name.press("Enter");
    await page.locator(".toast", { hasText: "Hall panel is forgotten" }).waitFor();
    await all.getByText("Forget Hall panel", { exact: true }).waitFor({ state: "detached" });
    await panel.page.getByText(/^Your key does not open this hub any more/).waitFor();
    assert.equal(await all.getByText("Who was in before").count(), 0);
    assert.deepEqual([...owner.problems, ...panel.problems], []);
    await panel.close();
  });
});
