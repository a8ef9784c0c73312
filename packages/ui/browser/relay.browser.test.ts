import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startCloud, type TestCloud } from "./testdata/cloud.ts";
import { startHub, type TestHub } from "./testdata/hub.ts";
import { assertAccessible, launch, type Visit, visit } from "./testdata/visit.ts";

const email = "ann@example.org";

describe("a home through the cloud's page", () => {
  let cloud: TestCloud;
  let hub: TestHub;
  let browser: Browser;
  let seen: Visit;
  before(async () => {
    [cloud, browser] = await Promise.all([startCloud(), launch()]);
    hub = await startHub(false, cloud.address);
    seen = await visit(browser, cloud);
  });
  after(async () => {
    await browser?.close();
    await hub?.remove();
    await cloud?.remove();
  });

  const logIn = async (page: Page, address: string): Promise<void> => {
    await page.getByLabel("E-mail address").fill(address);
    await page.getByRole("button", { name: "Send me a password" }).click();
    const field = page.getByLabel("Password from the mail");
    // The field comes when the mail is out.
    await field.waitFor();
    await field.fill(cloud.password());
    await page.getByRole("button", { name: "Open", exact: true }).click();
  };

  test("the hub shows an owner without an address the command that hands it to an account, and that works", async () => {
    const owner = await visit(browser, hub);
    const { page } = owner;
    const { code } = JSON.parse(await hub.ledge("claim", "open", "--json")) as { code: string };
    await page.getByLabel("Setup code").fill(code);
    await page.getByLabel("Your name").fill("Ann");
    await page.getByRole("button", { name: "Make it mine" }).click();
    await page.getByText("live", { exact: true }).waitFor();
    await page.goto(`${hub.address}/#/system`);
    const shown = await page.locator("code", { hasText: "owner transfer" }).innerText();
    assert.match(shown, /^sudo ledge .* you@example\.org$/);
    assert.equal(await page.getByText(`as ${email}`).count(), 0);
    await hub.ledge(...shown.replace("sudo ledge ", "").replace("you@example.org", email).split(" "));
    await page.getByText(`Log in at ${cloud.address} as ${email} to open this home`).waitFor();
    assert.equal(await page.locator("code", { hasText: "owner transfer" }).count(), 0);
    assert.deepEqual(owner.problems, []);
    await owner.close();
  });

  test("asks for an address, then for the password from the mail, and refuses another", async () => {
    const { page } = seen;
    await page.getByRole("button", { name: "Send me a password" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await assertAccessible(seen, "cloud");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send me a password" }).click();
    await page.getByLabel("Password from the mail").fill("WRONGWRONG");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("the address or the password is wrong").waitFor();
    await assertAccessible(seen, "cloud, password");
    await page.getByLabel("Password from the mail").fill(cloud.password());
    await page.getByRole("button", { name: "Open", exact: true }).click();
  });

  test("opens a hub of the account, and switches its lamp through the relay", async () => {
    const { page } = seen;
    const home = page.getByRole("button", { name: /reachable/ });
    await home.waitFor();
    await assertAccessible(seen, "homes");
    await home.click();
    await page.getByText("live", { exact: true }).waitFor();
    const lamp = '[role="switch"][aria-label^="Hallway ceiling"]';
    await page.locator(`${lamp}[aria-checked="false"]`).click();
    await page.locator(`${lamp}[aria-checked="true"]:not(.pending)`).waitFor();
  });

  test("explains, and shows screens, as at the hub", async () => {
    const { page } = seen;
    for (const [screen, title] of [
      ["devices", "Devices"],
      ["rules", "Rules"],
      ["timeline", "Timeline"],
      ["people", "People"],
      ["more", "More"],
    ] as const) {
      await page.goto(`${cloud.address}/#/${screen}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await assertAccessible(seen, screen);
    }
  });

  test("invites somebody, who accepts and may look, and takes the access back", async () => {
    const { page } = seen;
    await page.goto(`${cloud.address}/#/people`);
    await page.getByRole("button", { name: "Send the invitation" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("E-mail address").fill("bob@example.org");
    await page.getByLabel("Let in as").selectOption({ label: "guest from afar: may look" });
    await page.getByRole("button", { name: "Send the invitation" }).click();
    await page.getByRole("button", { name: "Take the invitation of bob@example.org back" }).waitFor();
    const bob = await visit(browser, cloud);
    await logIn(bob.page, "bob@example.org");
    await bob.page.getByText("ann@example.org invites you to Ledge.").waitFor();
    await assertAccessible(bob, "an invitation");
    await bob.page.getByRole("button", { name: "Accept Ledge" }).click();
    await bob.page.getByRole("button", { name: /reachable/ }).click();
    await bob.page.getByText("live", { exact: true }).waitFor();
    // Whoever may look sees the lamp, and nothing that switches it.
    await bob.page.getByRole("link", { name: /^Hallway ceiling/ }).click();
    await bob.page.getByRole("heading", { level: 2, name: "State" }).waitFor();
    assert.deepEqual(await bob.page.getByRole("heading", { level: 2 }).allTextContents(), ["State", "About"]);
    assert.equal(await bob.page.locator("main").getByRole("button").count(), 0);
    assert.equal(await bob.page.getByRole("switch").count(), 0);
    await assertAccessible(bob, "a device, for who may look");
    await page.reload();
    await page.getByRole("button", { name: "Take access from bob@example.org" }).click();
    await bob.page.getByText("No hub is open to this account yet.").waitFor();
    assert.equal(await bob.page.getByRole("button", { name: /^Ledge/ }).count(), 0);
    assert.deepEqual(bob.problems, []);
    await bob.close();
  });

  test("opens the same home again after a reload, and the list of homes on demand", async () => {
    const { page } = seen;
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    await page.goto(`${cloud.address}/#/more`);
    await page.getByRole("button", { name: "Your homes" }).click();
    await page.getByRole("button", { name: /reachable/ }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: /reachable/ }).waitFor();
  });

  test("says that a hub is away, and asks for a password again after logging out", async () => {
    const { page } = seen;
    await hub.kill();
    await page.reload();
    await page.getByRole("button", { name: /^Ledge(?!.*(?:reachable|connecting))/ }).waitFor();
    await assertAccessible(seen, "homes, one away");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("E-mail address").waitFor();
    await page.reload();
    await page.getByLabel("E-mail address").waitFor();
    assert.deepEqual(seen.problems, []);
  });
});
