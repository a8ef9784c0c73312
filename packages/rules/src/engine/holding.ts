import type { Command, LoggedEvent, Reaction, World } from "@ledge/model";
import { isOfBus, isOfPerson, isSettable, limits, ruleIn, stoppable } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { RuleIndex } from "./rule-index.ts";

type WithAttributes = LoggedEvent & { readonly attributes: Readonly<Record<string, unknown>> };

/**
 * Lets changes by people and scenes hold an output against rules (arbitration: see `Output`). A report that
 * answers no command shows that somebody used the device by hand.
 */
export function holding(index: RuleIndex, catalogue: Catalogue): Reaction {
  /** When each device last got a command (ms); for a while its reports may be on the way to the commanded state. */
  const told = new Map<string, number>();
  return {
    name: "holds",
    on: ["CommandIssued", "DeviceReported", "SceneTurnedOff"],
    react(event, world) {
      const { origin } = event as LoggedEvent;
      index.build(world);
      switch (event.type) {
        case "CommandIssued": {
          const { device, attributes } = event as WithAttributes & { device: string };
          if (!isDriven(device, index)) return [];
          told.set(device, world.now);
          const of = origin.startsWith("scene:") ? "SCENE" : "MANUAL";
          const isHeld =
            of === "SCENE" || isOfPerson(origin) || isOfBus(origin) || isByHand(origin, catalogue, world);
          return isHeld ? [hold(device, of, origin, attributes, world)] : [];
        }
        case "DeviceReported": {
          if (origin !== "device" || !isDriven(event.id, index)) return [];
          if (world.now - (told.get(event.id) ?? -Infinity) < limits.echoMs) return [];
          const device = world.get("device", event.id);
          const { attributes } = event as WithAttributes;
          const set = Object.entries(attributes).filter(([name]) => device && isSettable(device, name));
          return set.length === 0 ? [] : [hold(event.id, "MANUAL", origin, Object.fromEntries(set), world)];
        }
        default: {
          const by = `scene:${event.id}`;
          return [...world.all("output")]
            .filter(([, { holds }]) => Object.values(holds).some((held) => held.by === by))
            .map(([id]) => ({ type: "RELEASE_OUTPUT", id, by }) as Command);
        }
      }
    },
  };
}

/** Returns whether a rule passed on a person's wish, such as a key press. */
function isByHand(origin: string, catalogue: Catalogue, world: World): boolean {
  const id = ruleIn(origin);
  const rule = id === undefined ? undefined : world.get("rule", id);
  return rule !== undefined && catalogue.template(rule.config.configType, world)?.byHand === true;
}

function isDriven(device: string, index: RuleIndex): boolean {
  for (const _ of index.driving(device)) return true;
  return false;
}

function turnedOnBy(scene: string, world: World): string[] {
  const rules = [...world.all("rule")].filter(([, { scenes }]) => scenes.includes(scene));
  return rules.map(([id]) => id).toSorted();
}

/** A scene does not hold devices against the rules that it turns on. */
function hold(
  id: string,
  of: "SCENE" | "MANUAL",
  by: string,
  attributes: Readonly<Record<string, unknown>>,
  world: World,
): Command {
  const free = of === "SCENE" ? turnedOnBy(by.slice("scene:".length), world) : [];
  const stopped = "stop" in attributes ? stoppable : [];
  const names = [...new Set([...Object.keys(attributes), ...stopped, "isOn"])];
  return { type: "HOLD_OUTPUT", id, class: of, by, attributes: names, free } as Command;
}
