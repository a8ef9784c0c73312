import type { Bus, RowKey } from "@ledge/fleet";

const nothing = new Uint8Array();

/** Tells those who follow a register that a row of it has changed or gone. They read the row itself in the store. */
export function publishRow(bus: Pick<Bus, "publish">, { register, kind, id }: RowKey): void {
  bus.publish(topicOf(register), `${kind} ${id}`, nothing);
}

/**
 * Calls back with the id of a row of a kind that has changed or gone, one after the other.
 * @returns a function that unsubscribes
 */
export function followRows(
  bus: Pick<Bus, "subscribe">,
  register: string,
  kind: RowKey["kind"],
  changed: (id: string) => Promise<void>,
): () => void {
  const prefix = `${kind} `;
  return bus.subscribe(topicOf(register), (key) =>
    key.startsWith(prefix) ? changed(key.slice(prefix.length)) : undefined,
  );
}

function topicOf(register: string): string {
  return `reg.${register}`;
}
