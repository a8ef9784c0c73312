import type { Command, Following, Output, Reaction, RuleState, Wish, World } from "@ledge/model";
import { holdAgainst } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.ts";
import type { RuleIndex } from "./rule-index.ts";
import { lapseId, parseLapseId } from "./run-id.ts";
import { workingRule } from "./members.ts";
import { byRank } from "./stimuli.ts";

interface Wisher {
  readonly rule: RuleState;
  readonly entry: CatalogueEntry;
  readonly wish: Wish;
}

/**
 * Lets rules do what a hold kept them from, once it ends. It waits on a timer even for a hold that ends at
 * once, so that the next holder comes first.
 */
export function lapsing(index: RuleIndex, catalogue: Catalogue): Reaction {
  return {
    name: "lapsing",
    on: ["OutputHeld", "OutputWished", "TimerFired"],
    react(event, world) {
      index.build(world);
      if (event.type !== "TimerFired") return arm(event.id, event.type === "OutputHeld", world, index);
      const device = parseLapseId(event.id);
      if (device === undefined) return [];
      return [
        ...wishers(device, world, index, catalogue).flatMap((wisher) => carriedOut(device, wisher, world)),
        ...arm(device, false, world, index),
      ];
    },
  };
}

function wishers(device: string, world: World, index: RuleIndex, catalogue: Catalogue): readonly Wisher[] {
  const { wishes = {} } = world.get("output", device) ?? {};
  const found = [...index.driving(device)].flatMap((id): Wisher[] => {
    const wish = wishes[id];
    const rule = wish && workingRule(id, world, catalogue);
    const entry = rule && catalogue.entry(rule.config.configType, world);
    return wish && rule?.is_on && entry ? [{ rule, entry, wish }] : [];
  });
  return found.toSorted(byRank);
}

function carriedOut(id: string, { rule, entry, wish }: Wisher, world: World): readonly Following[] {
  if (isKept(id, rule.id, wish, world)) return [];
  const origin = `rule:${rule.id}` as const;
  // A rule that looks for itself may want something else by now.
  const isLooking = entry.template.hears?.includes("freed") === true;
  const command = isLooking
    ? { type: "RELEASE_OUTPUT", id, by: origin }
    : { type: "DRIVE", id, rule: rule.id, level: true, ...wish };
  return [{ command, origin }];
}

function isKept(id: string, rule: string, { class: of, attributes }: Wish, world: World): boolean {
  const device = world.get("device", id);
  if (device === undefined) return true;
  return (
    holdAgainst(world.get("output", id), device, attributes, { class: of, rule }, world.now) !== undefined
  );
}

/**
 * Sets the timer if a rule waits for the device.
 * @param isHold the holds have changed
 */
function arm(id: string, isHold: boolean, world: World, index: RuleIndex): readonly Command[] {
  const { holds = {}, wishes = {} }: Partial<Output> = world.get("output", id) ?? {};
  const wanted = Object.entries(wishes);
  const isHeard = index.drivingAbout("freed", id).length > 0;
  if (wanted.length === 0 && !isHeard) return [];
  const ends = Object.values(holds).flatMap(({ until }) => (until > world.now ? [until] : []));
  const isFree =
    isHold && (ends.length === 0 || wanted.some(([rule, wish]) => !isKept(id, rule, wish, world)));
  if (!isFree && ends.length === 0) return [];
  const due = isFree ? world.now : Math.min(...ends);
  const timer = lapseId(id);
  if ((world.get("timer", timer)?.due ?? Infinity) <= due) return [];
  return [{ type: "SET_TIMER_AT", id: timer, due, late: "recheck" } as Command];
}
