import type { Bus } from "@ledge/fleet";
import type { ChangeEvent } from "@ledge/link";

/** A change of a device, as its hub or the platform's log says it. */
export type PublishedEvent = ChangeEvent;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Tells those who follow the devices of registers of a change, once its row is stored. */
export function publishDeviceEvent(
  bus: Pick<Bus, "publish">,
  registers: readonly string[],
  event: PublishedEvent,
): void {
  const bytes = (): Uint8Array => encoder.encode(JSON.stringify(event));
  // No event replaces another one that waits.
  for (const register of registers) bus.publish(topicOf(register), `${event.ref} ${event.device}`, bytes);
}

/**
 * Calls back with each change of a device of a register, one after the other.
 * @returns a function that unsubscribes
 */
export function followDeviceEvents(
  bus: Pick<Bus, "subscribe">,
  register: string,
  changed: (event: PublishedEvent) => Promise<void>,
): () => void {
  return bus.subscribe(topicOf(register), (_, bytes) =>
    changed(JSON.parse(decoder.decode(bytes)) as PublishedEvent),
  );
}

function topicOf(register: string): string {
  return `events.${register}`;
}
