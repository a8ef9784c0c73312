// The library alone on a stick: prints "up" and "known", and takes a node and 0 or 1 per line. Arguments: port, cache.
import { createInterface } from "node:readline";
import { Driver } from "zwave-js";

const [, , path = "", cacheDir = ""] = process.argv;
const driver = new Driver(path, {
  storage: { cacheDir, throttle: "slow" },
  logConfig: { enabled: false },
  emitValueUpdateAfterSetValue: true,
});
driver.on("error", (error) => {
  throw error;
});
driver.on("driver ready", () => process.stdout.write("up\n"));
driver.on("all nodes ready", () => process.stdout.write("known\n"));
await driver.start();
const target = { commandClass: 0x26, property: "targetValue" };
for await (const line of createInterface(process.stdin)) {
  const [node = 0, isOn = 0] = line.split(" ").map(Number);
  // As the adapter does: a lamp that is switched on has the level from before.
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
  void driver.controller.nodes.get(node)?.setValue(target, isOn === 1 ? 0xff : 0);
}
await driver.destroy();
