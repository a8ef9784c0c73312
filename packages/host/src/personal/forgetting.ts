import type { Clock } from "@ledge/kernel";
import type { Commit } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Logger } from "../logger.ts";
import type { Keyring } from "./keyring.ts";

export interface ForgettingOptions {
  readonly kernel: { subscribe(listener: { published(commit: Commit): void }): () => void };
  /** The people whom the log has already forgotten. */
  readonly forgotten: Iterable<string>;
  /** The type of the event that forgets the person with its id. */
  readonly event: string;
  readonly keys: Pick<Keyring, "destroy">;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
}

/**
 * Destroys the keys of forgotten people: before the request for it is answered, or now for those where the
 * process died in between. Retries what cannot be written.
 * @returns a function that ends it
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
      logger.error({ error }, "a personal key is still on the disk: deleting it will be retried");
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
