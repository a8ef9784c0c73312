import { terminalLine } from "@ledge/host/terminal";
import { resolve } from "node:path";
import { createLogger, isLogLevel, logLevels } from "@ledge/host/logger";
import { start, type ValuesOf } from "@ledge/host/start";
import { defaultFolder } from "./folder/folder.ts";
import { type RunOptions, runCloud } from "./run.ts";
import { plainProblem, readSettings, storeProblem } from "./settings.ts";
import { release } from "./version.ts";

const usage = `usage: node packages/cloud/src/main.ts [--data DIR] [--host H] [--port N] [--config FILE] [--log LEVEL]
           [--store URL [--bus URL] [--cluster HOST:PORT] [--node URL]]

  --data    the data folder (default ${defaultFolder})
  --host    the address to listen on (default 127.0.0.1)
  --port    the port to listen on (default 8894; 0 for any)
  --config  JSON file with address, aliases, issuer, tls {key, certificate}, trustedProxies, metrics {token}, relay,
            mail {host, port, security, user, password, from}; without mail, the cloud writes mails
            into a folder below --data (docs/cloud.md)
  --store   the PostgreSQL database to keep everything in, instead of the data folder: postgres://user@host/database
  --bus     the NATS server by which the processes of one cloud share news: nats://host:4222 (docs/fleet.md)
  --cluster where other processes on the same database reach this one (default: on 127.0.0.1, any port)
  --node    the URL under which clients reach this process alone (docs/fleet.md)
  --log     silent, error, warn, info or debug (default warn; on standard error, JSON)
`;

const flags = {
  data: { type: "string", default: defaultFolder },
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string", default: "8894" },
  config: { type: "string" },
  store: { type: "string" },
  bus: { type: "string" },
  cluster: { type: "string" },
  node: { type: "string" },
  log: { type: "string", default: "warn" },
  help: { type: "boolean" },
} as const;

process.exitCode = await start({ flags, usage, optionsOf, run: runCloud });

/** Returns how to run the cloud, or what is wrong with the flags. */
function optionsOf(values: ValuesOf<typeof flags>): RunOptions | string {
  const { data, host, port: portText, config, store, bus, cluster, node, log } = values;
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > 65_535) return "--port takes a port, a number up to 65535";
  if (!isLogLevel(log)) return `--log ${log} is not a log level: use one of ${logLevels.join(", ")}`;
  try {
    const given = config === undefined ? {} : readSettings(config);
    const joined = {
      ...given.cluster,
      ...(cluster !== undefined && { listen: cluster }),
      ...(node !== undefined && { url: node }),
    };
    const settings = {
      ...given,
      ...(Object.keys(joined).length > 0 && { cluster: joined }),
      ...(store !== undefined && { store }),
      ...(bus !== undefined && { bus }),
    };
    const problem = plainProblem(host, settings) ?? storeProblem(settings);
    if (problem !== undefined) return problem;
    return {
      folder: resolve(data),
      host,
      port,
      settings,
      release,
      logger: createLogger(log),
      print: (line) => process.stdout.write(`${terminalLine(line)}\n`),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
