import type { Logger } from "pino";
import { pino, stdSerializers } from "pino";
import { logRecord } from "./log-record.ts";

export type { Logger } from "pino";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(level: string): level is LogLevel {
  return (logLevels as readonly string[]).includes(level);
}

/**
 * Creates a logger of structured lines (JSON) on standard error, for the journal to collect. It never writes
 * what could be a credential.
 * @param ring gets lines too, of level `info` and above whatever the level is
 */
export function createLogger(level: LogLevel, ring?: { write(line: string): void }): Logger {
  const redact = {
    paths: ["*.authorization", "*.password", "*.token", "*.key", "authorization", "password"],
    censor: "…",
  };
  const standardError = pino.destination({ fd: 2, sync: true });
  const lines = { write: (line: string) => void standardError.write(logRecord(line)) };
  const streams = [
    ...(level === "silent" ? [] : [{ level, stream: lines }]),
    ...(ring === undefined
      ? []
      : [{ level: "info" as const, stream: { write: (line: string) => ring.write(logRecord(line)) } }]),
  ];
  const isFine = level === "debug" || ring === undefined;
  return pino(
    {
      level: isFine ? level : "info",
      redact,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
    },
    pino.multistream(streams),
  );
}
