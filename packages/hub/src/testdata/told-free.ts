/* A hub that reads in the file $LEDGE_TEST_FREE how many bytes of the disk are free. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { LogRing } from "../log/log-ring.ts";
import { createLogger } from "@ledge/host/logger";
import { readProfile } from "../profile.ts";
import { runHub } from "../run.ts";

const { values } = parseArgs({ options: { data: { type: "string" } }, strict: false });
const file = process.env["LEDGE_TEST_FREE"] ?? "";
readFileSync(file);
process.exitCode = await runHub({
  profile: readProfile(new URL("../../../../firmware-profiles/sim.json", import.meta.url).pathname),
  folder: String(values["data"]),
  host: "127.0.0.1",
  port: 0,
  httpsPort: 0,
  mdns: false,
  logger: createLogger("error"),
  ring: new LogRing(),
  print: (line) => process.stdout.write(`${line}\n`),
  free: async () => Number(await readFile(file, "utf8")),
});
