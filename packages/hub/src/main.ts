import { terminalLine } from "@ledge/host/terminal";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { defaultFolder } from "./folder/folder.ts";
import { keepHeapSmall } from "./process/heap.ts";
import { LogRing } from "./process/log-ring.ts";
import { createLogger, isLogLevel, logLevels } from "@ledge/host/logger";
import { start, type ValuesOf } from "@ledge/host/start";
import { isSupervision, supervisions } from "./process/machine.ts";
import type { Profile } from "./profile.ts";
import { isCloudUrl, readProfile } from "./profile.ts";
import type { RunOptions } from "./run.ts";
import { runHub } from "./run.ts";
import { httpsPort } from "./tls/https.ts";

/** The path relative to the source, or to the bundle. */
const profiles = import.meta.url.endsWith(".ts") ? "../../../firmware-profiles/" : "../firmware-profiles/";

const usage = `usage: npm start -- [--profile FILE] [--data DIR] [--host H] [--port N] [--https-port N]
                    [--log LEVEL] [--supervised BY] [--no-mdns] [--cloud URL]

  --profile  a firmware profile (default firmware-profiles/sim.json: a simulated home, no radio)
  --data     the data folder (default .data/<profile>)
  --host     the address to listen on (default: the profile's)
  --port     the port to listen on (default: the profile's; 0 for any)
  --https-port  the port of HTTPS (default: the profile's, or 8943; with --port any)
  --log      silent, error, warn, info or debug (default warn; on standard error, JSON)
  --cloud    the address of the cloud that the hub belongs to, or none (default: the profile's)
  --no-mdns  does not announce the hub on its network, which the profile may say too
  --supervised  what starts the hub again when it ends with 85: systemd, which may also reboot and stop the
             machine, or exit for anything else; without it the hub refuses to restart
`;

const flags = {
  profile: { type: "string" },
  data: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "https-port": { type: "string" },
  log: { type: "string" },
  supervised: { type: "string" },
  cloud: { type: "string" },
  "no-mdns": { type: "boolean" },
  help: { type: "boolean" },
} as const;

keepHeapSmall();
process.exitCode = await start({ flags, usage, optionsOf, run: runHub });

/** Returns the options of a run, or the problem with the arguments. */
function optionsOf(values: ValuesOf<typeof flags>): RunOptions | string {
  const [port, httpsAt] = [values.port, values["https-port"]].map((text) =>
    text === undefined ? undefined : Number(text),
  );
  for (const [name, value] of Object.entries({ "--port": port, "--https-port": httpsAt })) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= 65_535))
      return `${name} takes a port, a number up to 65535`;
  }
  const log = values.log ?? "warn";
  if (!isLogLevel(log)) return `--log ${log} is no level: one of ${logLevels.join(", ")}`;
  const { supervised } = values;
  if (supervised !== undefined && !isSupervision(supervised))
    return `--supervised ${supervised} is none: one of ${supervisions.join(", ")}`;
  let profile: Profile;
  try {
    profile = readProfile(values.profile ?? fileURLToPath(new URL(`${profiles}sim.json`, import.meta.url)));
  } catch (error) {
    return (error as Error).message;
  }
  const { cloud } = values;
  if (cloud !== undefined && cloud !== "none" && !isCloudUrl(cloud))
    return "--cloud takes an https: address without a path, or an http: one of this machine, or none";
  if (cloud !== undefined) profile = { ...profile, cloud: cloud === "none" ? null : { url: cloud } };
  const ring = new LogRing();
  return {
    profile,
    folder: values.data === undefined ? defaultFolder(profile.name) : resolve(values.data),
    host: values.host ?? profile.host,
    port: port ?? profile.port,
    // A second hub on the machine gets any free HTTPS port, so that its user need name one port only.
    httpsPort: httpsAt ?? (port === undefined ? (profile.httpsPort ?? httpsPort) : 0),
    logger: createLogger(log, ring),
    ring,
    supervision: supervised,
    mdns: profile.mdns !== false && values["no-mdns"] !== true,
    print: (line) => process.stdout.write(`${terminalLine(line)}\n`),
  };
}
