/*
 * A hub that reads the number of free bytes from the file $LEDGE_TEST_FREE, and waits while the file says
 * "wait".
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LogRing } from "../process/log-ring.ts";
import { createLogger } from "@ledge/host/logger";
import { readProfile } from "../profile.ts";
import { runHub } from "../run.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, port: { type: "string", default: "0" } },
  strict: false,
});
const file = process.env["LEDGE_TEST_FREE"] ?? "";
readFileSync(file);
process.exitCode = await runHub({
  profile: readProfile(new URL("../../../../firmware-profiles/sim.json", import.meta.url).pathname),
  folder: String(values["data"]),
  host: "127.0.0.1",
  port: Number(values["port"]),
  httpsPort: 0,
  mdns: false,
  logger: createLogger("error"),
  ring: new LogRing(),
  print: (line) => process.stdout.write(`${line}\n`),
  free: async () => {
    while (readFileSync(file, "utf8") === "wait") await sleep(50);
    return Number(await readFile(file, "utf8"));
  },
});
