/* A hub on a machine whose /dev and /sys are in the folder $LEDGE_TEST_ROOT, with the adapters of $LEDGE_TEST_ADAPTERS. */
import { parseArgs } from "node:util";
import { LogRing } from "../process/log-ring.ts";
import { createLogger } from "@ledge/host/logger";
import type { Profile } from "../profile.ts";
import { readProfile } from "../profile.ts";
import { runHub } from "../run.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, cloud: { type: "string", default: "none" } },
  strict: false,
});
const profile = readProfile(new URL("../../../../firmware-profiles/sim.json", import.meta.url).pathname);
process.exitCode = await runHub({
  profile: {
    ...profile,
    cloud: values.cloud === "none" ? null : { url: String(values.cloud) },
    adapters: JSON.parse(process.env["LEDGE_TEST_ADAPTERS"] ?? "{}") as Profile["adapters"],
  },
  folder: String(values["data"]),
  host: "127.0.0.1",
  port: 0,
  httpsPort: 0,
  mdns: false,
  systemRoot: process.env["LEDGE_TEST_ROOT"] ?? "/",
  logger: createLogger("silent"),
  ring: new LogRing(),
  print: (line) => process.stdout.write(`${line}\n`),
});
