import type { Logger } from "@ledge/host/logger";
import type { AdapterLog } from "@ledge/port";

/** Returns the logger of one adapter. */
export function adapterLog(logger: Logger, protocol: string): AdapterLog {
  const child = logger.child({ adapter: protocol });
  return (level, message, fields) => child[level](fields ?? {}, message);
}
