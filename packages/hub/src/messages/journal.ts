import type { AlarmLevel } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Channel } from "./channel.ts";

const levels = { info: "info", warn: "warn", err: "error" } as const satisfies Record<AlarmLevel, string>;

/**
 * Returns the channel that writes one line to the process's log: `{level, time, message: {id, level, sourceId,
 * textId, text, queuedAt}, msg}`.
 */
export function journalChannel(logger: Logger): Channel {
  return {
    name: "journal",
    reaches: null,
    send: ({ id, level, sourceId, textId, text, queuedAt }) => {
      logger[levels[level]]({ message: { id, level, sourceId, textId, text, queuedAt } }, "message");
      return Promise.resolve();
    },
  };
}
