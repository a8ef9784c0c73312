// A camera that is asked by its address: tests for a hub and a browser that run already.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SimulatedCamera } from "@ledge/testkit/onvif";
import type { TestHub } from "./hub.ts";
import { keyboardOf } from "./keyboard.ts";
import { assertAccessible, goTo, pressOn, type Visit } from "./visit.ts";

interface Device {
  readonly id: string;
  readonly name: string;
}

/** The owner's page, its hub, and a camera that the hub can reach. */
interface Cameras {
  readonly hub: TestHub;
  readonly home: Visit;
  readonly camera: SimulatedCamera;
}

async function asksByKeys({ home, camera }: Cameras): Promise<void> {
  const { page } = home;
  const keys = keyboardOf(page);
  await goTo(page, "more");
  await goTo(page, "pair");
  await pressOn(page.getByRole("button", { name: "Add a camera" }));
  // The focus moves a moment after the heading is there.
  await keys.isAt(/^H1 IP camera/);
  await keys.press(/^BUTTON Ask the camera/);
  await page.getByText("Fill in this field.").waitFor();
  await keys.reach(/^INPUT Address of the camera/, "Shift+Tab");
  await keys.fill(/^INPUT Address of the camera/, "yard");
  await keys.press(/^BUTTON Ask the camera/);
  await page.getByText("Write an address of the local network").waitFor();
  await assertAccessible(home, "a camera at no address");
  await keys.reach(/^INPUT Address of the camera/, "Shift+Tab");
  await keys.fill(/^INPUT Address of the camera/, `127.0.0.1:${camera.port}`);
  await keys.fill(/^INPUT User name/, "hub");
  await keys.fill(/^INPUT Password/, "wrong");
  await keys.press(/^BUTTON Ask the camera/);
  await page.getByText(/^The user name or password is wrong\. Some cameras have users/).waitFor();
  await assertAccessible(home, "a camera that refuses the login");
  await keys.reach(/^INPUT Password/, "Shift+Tab");
  await keys.fill(/^INPUT Password/, "garden");
  await keys.press(/^BUTTON Ask the camera/);
  await page.getByText(/has answered, and takes the login\.$/).waitFor();
  // The camera is a device a little later.
  await page.getByRole("button", { name: "Name and place 1 device" }).waitFor();
  await keys.press(/^BUTTON Name and place 1 device/);
  await page.getByRole("heading", { level: 2, name: "Ledge Yard" }).waitFor();
  await page.getByText("Settings and keys of Ledge Yard").click();
  await page.getByRole("spinbutton").first().waitFor();
  await assertAccessible(home, "a camera that is placed");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Add more" }).click();
}

async function changesLogin({ home, hub, camera }: Cameras): Promise<void> {
  const { page } = home;
  // It was set up anew: the hub comes back to it with the old login.
  const { port } = camera;
  await camera.close();
  camera.password = "changed";
  await camera.listen(port);
  const { id } =
    Object.values(await hub.call<Record<string, Device>>("GET", "/devices")).find(
      ({ name }) => name === "Ledge Yard",
    ) ?? assert.fail("no camera");
  await goTo(page, `device/${id}`);
  // The form opens by itself.
  await page.getByText("It refuses the login").waitFor();
  assert.equal(await page.getByLabel("User name at the camera").inputValue(), "hub");
  const password = page.getByLabel("Password");
  await password.fill("wrong");
  await page.locator("details").getByRole("button", { name: "Save" }).click();
  await page.getByText("The camera does not take this login.").waitFor();
  await assertAccessible(home, "a camera with a wrong login");
  await password.fill("changed");
  await page.locator("details").getByRole("button", { name: "Save" }).click();
  await page.getByText("The hub logs in at Ledge Yard with it now").waitFor();
}

const tests: readonly (readonly [title: string, act: (of: Cameras) => Promise<void>])[] = [
  ["asks a camera by keys alone, and says what it answers and what helps", asksByKeys],
  ["says when a camera refuses its login, and gives it another", changesLogin],
];

/** Adds the tests. @param running the owner's page, its hub and the camera, once they run */
export function testCamera(running: () => Cameras): void {
  for (const [title, act] of tests) test(title, () => act(running()));
}
