// Whether this browser says that its user is at home. It is of one home: whoever leaves that ends it.
import { signal } from "@preact/signals";
import { keep, kept, newId } from "../browser.ts";

const name = "presence";

/** The id by which the hub knows this browser; null while it says nothing. */
export const presenceId = signal<string | null>(null);

/** Goes on as at the last visit. */
export async function openPresence(): Promise<void> {
  presenceId.value = (await kept<string>(name)) ?? null;
}

/** Begins to say that the user is at home, or ends that. */
export async function setPresence(isSaid: boolean): Promise<void> {
  presenceId.value = isSaid ? newId() : null;
  await keep(name, presenceId.peek() ?? undefined);
}
