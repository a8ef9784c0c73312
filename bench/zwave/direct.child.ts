// The library alone on a stick: prints "up" and "known", and takes a node and a level per line. Arguments: port, cache.
import { createInterface } from "node:readline";
import { Driver } from "zwave-js";

const [, , path = "", cacheDir = ""] = process.argv;
const driver = new Driver(path, {
  storage: { cacheDir, throttle: "slow" },
  logConfig: { enabled: false },
});
driver.on("error", (error) => {
  throw error;
});
driver.on("driver ready", () => process.stdout.write("up\n"));
driver.on("all nodes ready", () => process.stdout.write("known\n"));
await driver.start();
for await (const line of createInterface(process.stdin)) {
  const [node = 0, level = 0] = line.split(" ").map(Number);
  void driver.controller.nodes.get(node)?.commandClasses["Multilevel Switch"].set(level);
}
await driver.destroy();
