import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sticks, TestMachine } from "@ledge/testkit";
import { describePort } from "./describe.ts";

const machine = new TestMachine();
machine.plug(sticks.adapter);
machine.plug(sticks.conbee);
machine.uart("ttyAMA0", "uart-pl011", 32);
machine.file("dev/pty7");

after(() => machine.remove());

const described = async (path: string): Promise<string> => {
  const text = await describePort(machine.path(path), machine.root);
  return text.replaceAll(machine.root, "");
};

test("describes a port by its stick and persistent name, whatever path is given", async () => {
  const adapter = "FTDI FT232R USB UART, usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0";
  assert.equal(await described("dev/ttyUSB1"), adapter);
  assert.equal(await described("dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0"), adapter);
  assert.match(await described("dev/ttyACM0"), /^ConBee II, usb-dresden_elektronik_\S+-if00$/);
  assert.equal(await described("dev/ttyAMA0"), "uart-pl011, /dev/ttyAMA0");
});

test("reports a missing port, and returns the path of one without hardware", async () => {
  assert.equal(
    await described("dev/serial/by-id/usb-gone-if00"),
    "/dev/serial/by-id/usb-gone-if00, not plugged in",
  );
  assert.equal(await described("dev/pty7"), "/dev/pty7");
  machine.unplug(sticks.adapter);
  assert.equal(await described("dev/ttyUSB1"), "/dev/ttyUSB1, not plugged in");
});
