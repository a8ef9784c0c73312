import type { Entity, Wanted } from "./entity.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a key of a remote can do, by its modifiers. */
const gestures: Readonly<Record<string, string>> = {
  "": "press",
  longpress: "hold",
  "longpress,stop": "release",
  double: "double",
  triple: "triple",
  quadruple: "quadruple",
  many: "many",
};
const eventTypes = Object.values(gestures);

const numberOf = (button: unknown): number | undefined => {
  const { id } = { ...(button as { readonly id?: unknown } | null) };
  return typeof id === "number" && Number.isInteger(id) ? id : undefined;
};

/** Returns an entity for each key of a remote, which has an event for each press. */
export function keysOf({ device, places }: Wanted): readonly Entity[] {
  const buttons = device.buttons ?? [];
  return buttons.flatMap((button): readonly Entity[] => {
    const id = numberOf(button);
    if (id === undefined) return [];
    const { label } = button as { readonly label?: unknown };
    const name = typeof label === "string" && label !== "" ? label : `Button ${id}`;
    const config = {
      state_topic: places.part(`button/${id}`),
      event_types: eventTypes,
      device_class: "button",
    };
    return [{ component: "event", key: `button_${id}`, name, config }];
  });
}

/** Returns the message of a press, and the part of the device that it belongs to. */
export function pressOf(
  button: unknown,
  modifiers: unknown,
): { readonly part: string; readonly event: Json } | undefined {
  if (typeof button !== "number" || !Array.isArray(modifiers)) return undefined;
  const gesture = modifiers.map(String).toSorted().join();
  const event_type = (Object.hasOwn(gestures, gesture) && gestures[gesture]) || "press";
  return { part: `button/${button}`, event: { event_type } };
}
