import type { AdapterLog } from "@ledge/port";
import type { Logger } from "pino";
import { pino, stdSerializers } from "pino";

export type { Logger } from "pino";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(level: string): level is LogLevel {
  return (logLevels as readonly string[]).includes(level);
}

/**
 * Structured log lines (JSON) on standard error, for the journal to collect. What could be a credential is
 * never written.
 */
export function createLogger(level: LogLevel): Logger {
  const redact = {
    paths: ["*.authorization", "*.password", "*.token", "*.key", "authorization", "password"],
    censor: "…",
  };
  return pino(
    {
      level,
      redact,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** The log of one adapter. */
export function adapterLog(logger: Logger, protocol: string): AdapterLog {
  const child = logger.child({ adapter: protocol });
  return (level, message, fields) => child[level](fields ?? {}, message);
}
