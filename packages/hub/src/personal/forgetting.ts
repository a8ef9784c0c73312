import type { Clock, Kernel } from "@ledge/kernel";
import { limits, UserForgotten } from "@ledge/model";
import type { Logger } from "../logger.ts";
import type { PersonalKeys } from "./keys.ts";

/**
 * Destroys the keys of users whom the log says to be forgotten: before whoever asked for it is answered, or, when the
 * process had died in between, now. What cannot be written is tried again until it can.
 * @returns its end
 */
export function forgetUsers(
  kernel: Pick<Kernel, "all" | "subscribe">,
  keys: PersonalKeys,
  clock: Pick<Clock, "after">,
  logger: Logger,
): () => void {
  let cancel = (): void => {};
  const destroy = (users: readonly string[]): void => {
    cancel();
    try {
      keys.destroy(users);
    } catch (error) {
      logger.error({ error }, "a personal key is still on the disk: it is tried again");
      cancel = clock.after(limits.noteRetryMs, () => destroy([]));
    }
  };
  destroy([...kernel.all("user")].flatMap(([id, { forgotten }]) => (forgotten ? [id] : [])));
  const end = kernel.subscribe({
    published: ({ events }) => {
      const users = events.filter(({ type }) => type === UserForgotten.type).map(({ id }) => id);
      if (users.length > 0) destroy(users);
    },
  });
  return () => {
    end();
    cancel();
  };
}
