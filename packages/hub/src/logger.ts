import type { AdapterLog } from "@ledge/port";
import type { Logger } from "pino";
import { pino } from "pino";

export type { Logger } from "pino";

/**
 * Structured log lines (JSON) on standard error, for the journal to collect. What could be a credential is
 * never written.
 * @param level `silent`, `error`, `warn`, `info` or `debug`.
 */
export function createLogger(level: string): Logger {
  const redact = {
    paths: ["*.authorization", "*.password", "*.token", "*.key", "authorization", "password"],
    censor: "…",
  };
  return pino(
    { level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** The log of one adapter. */
export function adapterLog(logger: Logger, protocol: string): AdapterLog {
  const child = logger.child({ adapter: protocol });
  return (level, message, fields) => child[level](fields ?? {}, message);
}
