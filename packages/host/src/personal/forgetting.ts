import type { Clock } from "@ledge/kernel";
import type { Commit } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Logger } from "../logger.ts";
import type { PersonalKeys } from "./keys.ts";

export interface ForgettingOptions {
  readonly kernel: { subscribe(listener: { published(commit: Commit): void }): () => void };
  /** Whom the log says to be forgotten already. */
  readonly forgotten: Iterable<string>;
  /** Type of the event that forgets the person whom its id names. */
  readonly event: string;
  readonly keys: PersonalKeys;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
}

/**
 * Destroys the keys of people whom the log says to be forgotten: before whoever asked for it is answered, or, when the
 * process had died in between, now. What cannot be written is tried again until it can.
 * @returns its end
 */
export function destroyForgotten({
  kernel,
  forgotten,
  event,
  keys,
  clock,
  logger,
}: ForgettingOptions): () => void {
  let cancel = (): void => {};
  const destroy = (people: Iterable<string>): void => {
    cancel();
    try {
      keys.destroy(people);
    } catch (error) {
      logger.error({ error }, "a personal key is still on the disk: it is tried again");
      cancel = clock.after(limits.noteRetryMs, () => destroy([]));
    }
  };
  destroy(forgotten);
  const end = kernel.subscribe({
    published: ({ events }) => {
      const people = events.filter(({ type }) => type === event).map(({ id }) => id);
      if (people.length > 0) destroy(people);
    },
  });
  return () => {
    end();
    cancel();
  };
}
