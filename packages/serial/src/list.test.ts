import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { limits } from "@ledge/model";
import { sticks, TestMachine } from "@ledge/testkit";
import { listPorts } from "./list.ts";

function machine(t: TestContext): TestMachine {
  const made = new TestMachine();
  t.after(() => made.remove());
  return made;
}

test("lists a stick by its persistent path, with everything it reports", async (t) => {
  const home = machine(t);
  home.plug(sticks.dongleP);
  const byId = "usb-ITead_Sonoff_Zigbee_3.0_USB_Dongle_Plus_b8b49abd27a6ed11a280eba32981d111-if00-port0";
  assert.deepEqual(await listPorts(home.root), [
    {
      path: home.path(`dev/serial/by-id/${byId}`),
      node: home.path("dev/ttyUSB0"),
      byId,
      byPath: "pci-0000:00-usb-0:ttyUSB0:1.0-port0",
      vendorId: "10c4",
      productId: "ea60",
      manufacturer: "ITead",
      product: "Sonoff Zigbee 3.0 USB Dongle Plus",
      serialNumber: "b8b49abd27a6ed11a280eba32981d111",
      interfaceNumber: 0,
      driver: "cp210x",
    },
  ]);
});

test("lists the board's UARTs without ids, but not missing ones or consoles", async (t) => {
  const home = machine(t);
  home.uart("ttyAMA0", "uart-pl011", 32);
  home.uart("ttyS0", "serial8250", 4);
  home.uart("ttyS1", "serial8250", 0);
  const listed = await listPorts(home.root);
  assert.deepEqual(
    listed.map(({ path, vendorId, driver }) => [path, vendorId, driver]),
    [
      [home.path("dev/ttyAMA0"), null, "uart-pl011"],
      [home.path("dev/ttyS0"), null, "serial8250"],
    ],
  );
});

test("ignores the layers that Linux puts between a UART and its driver", async (t) => {
  const home = machine(t);
  home.uart("ttyS0", "serial8250", 4);
  const device = "sys/devices/platform/ttyS0-uart/ttyS0:0/ttyS0:0.0";
  home.folder("sys/bus/serial-base/drivers/port");
  home.link(`${device}/driver`, "sys/bus/serial-base/drivers/port");
  home.folder(`${device}/tty/ttyS0`);
  home.link(`${device}/tty/ttyS0/device`, device);
  home.link("sys/class/tty/ttyS0", `${device}/tty/ttyS0`);
  assert.deepEqual(
    (await listPorts(home.root)).map(({ driver }) => driver),
    ["serial8250"],
  );
});

test("uses the by-path name without by-id, and the node without udev", async (t) => {
  const home = machine(t);
  home.plug(sticks.conbee);
  unlinkSync(home.portOf(sticks.conbee));
  const byPath = "pci-0000:00-usb-0:ttyACM0:1.0-port0";
  assert.equal((await listPorts(home.root))[0]?.path, home.path(`dev/serial/by-path/${byPath}`));
  rmSync(home.path("dev/serial"), { recursive: true });
  assert.equal((await listPorts(home.root))[0]?.path, home.path("dev/ttyACM0"));
});

test("returns no ports on a machine that has none or does not exist", async (t) => {
  const home = machine(t);
  assert.deepEqual(await listPorts(home.root), []);
  rmSync(home.path("sys"), { recursive: true });
  assert.deepEqual(await listPorts(home.root), []);
  assert.deepEqual(await listPorts(home.path("nowhere")), []);
});

test("skips broken links and ports that are partly gone", async (t) => {
  const home = machine(t);
  home.plug(sticks.dongleP);
  home.plug(sticks.adapter);
  home.link("dev/serial/by-id/usb-gone-if00", "dev/ttyUSB9");
  home.link("sys/class/tty/ttyUSB9", "sys/devices/nowhere");
  home.file("sys/class/tty/stray");
  rmSync(home.path("dev/ttyUSB1"));
  assert.deepEqual(
    (await listPorts(home.root)).map(({ node }) => node),
    [home.path("dev/ttyUSB0")],
  );
  rmSync(home.path("sys/devices/usb1/ttyUSB0-1/idVendor"));
  const [bare] = await listPorts(home.root);
  assert.deepEqual([bare?.vendorId, bare?.manufacturer, bare?.driver], [null, null, "cp210x"]);
});

test("reads nothing outside the root, wherever links point", async (t) => {
  const outside = machine(t);
  outside.plug(sticks.dongleP);
  outside.file("secret", "10c4\n");
  const home = machine(t);
  home.plug(sticks.conbee);
  const usb = home.path("sys/devices/usb1/ttyACM0-1");
  for (const name of ["idVendor", "manufacturer"]) {
    unlinkSync(join(usb, name));
    symlinkSync(outside.path("secret"), join(usb, name));
  }
  symlinkSync(outside.path("sys/class/tty/ttyUSB0"), home.path("sys/class/tty/ttyUSB0"));
  symlinkSync(outside.path("dev/ttyUSB0"), home.path("dev/ttyUSB0"));
  symlinkSync(outside.path("dev/ttyUSB0"), home.path("dev/serial/by-id/usb-outside-if00"));
  const listed = await listPorts(home.root);
  assert.deepEqual(
    listed.map(({ node, vendorId, manufacturer }) => [node, vendorId, manufacturer]),
    [[home.path("dev/ttyACM0"), null, null]],
  );
  rmSync(home.path("sys/class/tty"), { recursive: true });
  symlinkSync(outside.path("sys/class/tty"), home.path("sys/class/tty"));
  assert.deepEqual(await listPorts(home.root), []);
});

test("cleans and truncates texts, drops invalid ids, and does not block on a pipe", async (t) => {
  const home = machine(t);
  home.plug({ ...sticks.dongleP, vendorId: "10C4", productId: "nonsense" });
  const usb = home.path("sys/devices/usb1/ttyUSB0-1");
  writeFileSync(join(usb, "product"), `a\u001b[31m\nb\u0000${"x".repeat(100_000)}`);
  writeFileSync(join(usb, "serial"), Buffer.from([0xff, 0xfe]));
  unlinkSync(join(usb, "manufacturer"));
  assert.equal(spawnSync("mkfifo", [join(usb, "manufacturer")]).status, 0);
  const [port] = await listPorts(home.root);
  assert.equal(port?.vendorId, "10c4");
  assert.equal(port?.productId, null);
  assert.equal(port?.manufacturer, null);
  assert.equal(port?.serialNumber, null);
  assert.match(port?.product ?? "", /^a \[31m b x+$/);
  assert.equal(port?.product?.length, limits.serialTextBytes);
});

test("lists no more ports than the limit", async (t) => {
  const home = machine(t);
  for (let number = 0; number <= limits.serialPorts; number++) home.uart(`ttyAMA${number}`, "uart-pl011", 32);
  assert.equal((await listPorts(home.root)).length, limits.serialPorts);
  rmSync(home.path("dev/ttyAMA0"));
  assert.equal((await listPorts(home.root)).length, limits.serialPorts);
});

test("lists the machine of this test without an error", async () => {
  for (const { path, node } of await listPorts()) assert.match(`${path} ${node}`, /^\/dev\/\S+ \/dev\/\S+$/);
});
