import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createLogger, isLogLevel, logLevels } from "@ledge/host/logger";
import { defaultFolder } from "./folder.ts";
import { type RunOptions, runCloud } from "./run.ts";
import { plainProblem, readSettings } from "./settings.ts";
import { release } from "./version.ts";

const usage = `usage: node packages/cloud/src/main.ts [--data DIR] [--host H] [--port N] [--config FILE] [--log LEVEL]

  --data    the data folder (default ${defaultFolder})
  --host    the address to listen on (default 127.0.0.1)
  --port    the port to listen on (default 8894; 0 for any)
  --config  a JSON file: address, issuer, tls {key, certificate}, trustedProxies, metrics {token},
            mail {host, port, security, user, password, from}; without mail, mails are put into a folder
            below --data (docs/cloud.md)
  --log     silent, error, warn, info or debug (default warn; on standard error, JSON)
`;

const flags = {
  data: { type: "string", default: defaultFolder },
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string", default: "8894" },
  config: { type: "string" },
  log: { type: "string", default: "warn" },
  help: { type: "boolean" },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof flags }>>["values"];

process.exitCode = await main();

async function main(): Promise<number> {
  let values: Values;
  try {
    ({ values } = parseArgs({ options: flags }));
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage}`);
  }
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const options = optionsOf(values);
  return typeof options === "string" ? refuse(`${options}\n`) : runCloud(options);
}

/** How a cloud is run, or what is wrong with how it was asked for. */
function optionsOf({ data, host, port: given, config, log }: Values): RunOptions | string {
  const port = Number(given);
  if (!/^\d{1,5}$/.test(given) || port > 65_535) return "--port takes a port, a number up to 65535";
  if (!isLogLevel(log)) return `--log ${log} is no level: one of ${logLevels.join(", ")}`;
  try {
    const settings = config === undefined ? {} : readSettings(config);
    const problem = plainProblem(host, settings);
    if (problem !== undefined) return problem;
    return {
      folder: resolve(data),
      host,
      port,
      settings,
      release,
      logger: createLogger(log),
      print: (line) => process.stdout.write(`${line}\n`),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns the exit code of wrong usage */
function refuse(message: string): number {
  process.stderr.write(message);
  return 2;
}
