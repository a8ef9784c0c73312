// Remotes and sensors of the second interface: devices with services of these types.
import { isRecord } from "@ledge/exposes";
import { listIn, numberIn, recordIn, wordIn } from "./reading.ts";
import { luxOf, measured, type Press, type Sensor } from "./sensor.ts";
import type { Resources } from "./v2.ts";

type Resource = Readonly<Record<string, unknown>>;

const types: ReadonlySet<unknown> = new Set(["button", "motion", "temperature", "light_level"]);

/** Returns the remotes and sensors of a bridge. */
export function sensorsIn(resources: Resources): readonly Sensor[] {
  const owners = new Map<unknown, Resource[]>();
  for (const each of resources.values()) {
    const owner = ownerOf(each);
    if (owner === undefined) continue;
    owners.set(owner, [...(owners.get(owner) ?? []), each]);
  }
  return [...owners].flatMap(([owner, services]) => {
    if (!services.some(({ type }) => types.has(type))) return [];
    const device = recordIn(resources.get(String(owner)));
    const product = recordIn(device["product_data"]);
    const of = (type: string): Resource => services.find((each) => each["type"] === type) ?? {};
    const { motion } = recordIn(of("motion")["motion"]);
    const buttons = services.flatMap((each) => buttonOf(each) ?? []);
    return [
      {
        id: idOf(services, String(owner)),
        kind: "sensor" as const,
        name: wordIn(recordIn(device["metadata"])["name"]) ?? "Sensor",
        manufacturer: wordIn(product["manufacturer_name"]),
        model: wordIn(product["model_id"]),
        isReachable: ["connected", undefined].includes(
          of("zigbee_connectivity")["status"] as string | undefined,
        ),
        values: measured({
          motion: typeof motion === "boolean" ? motion : undefined,
          temperature: numberIn(recordIn(of("temperature")["temperature"])["temperature"], -100, 200),
          lux: luxOf(numberIn(recordIn(of("light_level")["light"])["light_level"], 0, 65_535)),
          battery: numberIn(recordIn(of("device_power")["power_state"])["battery_level"], 0, 100),
        }),
        buttons: [...new Set(buttons)].toSorted((one, other) => one - other),
      },
    ];
  });
}

/** Returns the presses in one message of the event stream, in their order. @param resources as they were before it */
export function pressesIn(resources: Resources, events: unknown): readonly Press[] {
  const last = new Map<string, unknown>();
  return listIn(events).flatMap((event) =>
    event["type"] !== "update"
      ? []
      : listIn(event["data"]).flatMap((news) => {
          const id = wordIn(news["id"]) ?? "";
          const known = resources.get(id);
          const button = known && buttonOf(known);
          const said = eventOf(news);
          if (known === undefined || button === undefined || said === undefined) return [];
          const before = last.has(id) ? last.get(id) : eventOf(known);
          last.set(id, said);
          const modifiers = modifiersOf(said, before, known);
          if (modifiers === undefined) return [];
          const owner = ownerOf(known);
          const services = [...resources.values()].filter((each) => ownerOf(each) === owner);
          return [{ id: idOf(services, String(owner)), button, modifiers }];
        }),
  );
}

function modifiersOf(said: string, before: unknown, button: Resource): readonly string[] | undefined {
  const known = recordIn(button["button"])["event_values"];
  switch (said) {
    case "initial_press":
      // A switch without a battery says nothing when it goes up.
      return Array.isArray(known) && !known.includes("short_release") ? [] : undefined;
    case "short_release":
      return [];
    case "double_short_release":
      return ["double"];
    case "repeat":
    case "long_press":
      return before === "repeat" || before === "long_press" ? undefined : ["longpress"];
    case "long_release":
      return ["longpress", "stop"];
    default:
      return undefined;
  }
}

/** The last event of a button; older bridges say it in one place, newer ones in both. */
function eventOf(resource: Resource): string | undefined {
  const button = recordIn(resource["button"]);
  const said = recordIn(button["button_report"])["event"] ?? button["last_event"];
  return typeof said === "string" ? said : undefined;
}

function buttonOf(resource: Resource): number | undefined {
  if (resource["type"] !== "button") return undefined;
  return numberIn(recordIn(resource["metadata"])["control_id"], 1, 32);
}

function ownerOf({ owner }: Resource): unknown {
  return isRecord(owner) ? owner["rid"] : undefined;
}

/** The first of the device's ids in the first interface. */
function idOf(services: readonly Resource[], otherwise: string): string {
  const numbers = services.flatMap(({ type, id_v1: first }) => {
    const number =
      types.has(type) && typeof first === "string" ? /^\/sensors\/(\d{1,6})$/.exec(first)?.[1] : undefined;
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.length > 0 ? `sensors/${Math.min(...numbers)}` : `sensors/${otherwise}`;
}
