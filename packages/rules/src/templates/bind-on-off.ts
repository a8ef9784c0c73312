import type { Reader, Rejection, RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { turn } from "../machine/effect.ts";
import { devices, flag } from "../catalogue/field.ts";
import { devicesBehind } from "../engine/members.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

function follow(view: View, isOn: boolean): readonly Effect[] {
  return turn(view.devices("targets"), isOn !== view.flag("invert"));
}

/** Rejects a CONFIG whose targets lead back to its source through any rules, whether they are on or off. */
function loopProblem(
  { id, inputs, outputs }: RuleConfig,
  read: Pick<Reader, "all" | "get">,
): Rejection | undefined {
  const leads = new Map<string, string[][]>();
  for (const [other, { config }] of read.all("rule")) {
    if (other === id) continue;
    const driven = [...devicesBehind(Object.values(config.outputs).flat(), read)];
    for (const heard of devicesBehind(Object.values(config.inputs).flat(), read)) {
      leads.set(heard, [...(leads.get(heard) ?? []), driven]);
    }
  }
  const reached = new Set(outputs["targets"]);
  // Iterating a Set also visits what is added on the way.
  for (const device of reached) {
    for (const further of (leads.get(device) ?? []).flat()) reached.add(further);
  }
  const comesBack = (inputs["source"] ?? []).some((source) => reached.has(source));
  return comesBack
    ? reject("invalid", "what the targets do would come back to the source", "outputs.targets")
    : undefined;
}

/** Switches targets with their source. A person's change to a target holds until the source is off again. */
export const bindOnOff = template({
  configType: "BIND_ON_OFF",
  version: 1,
  priority: 40,
  class: "RULE",
  level: true,
  icon: "link",
  inputs: { source: devices(["ON_OFF"], 1, 1) },
  outputs: { targets: devices(["ON_OFF"], 1, 32) },
  extras: { invert: flag(false) },
  late: { late: "recheck" },
  check: loopProblem,
  chart: {
    context: {},
    initial: "unknown",
    states: {
      unknown: {
        idle: true,
        always: [
          { guard: ({ event: { view } }) => view.any("source") === true, target: "on" },
          { guard: ({ event: { view } }) => view.any("source") === false, target: "off" },
        ],
      },
      on: {
        entry: [out(({ event: { view } }) => follow(view, true))],
        always: { guard: ({ event: { view } }) => view.any("source") === false, target: "off" },
      },
      off: {
        idle: true,
        entry: [out(({ event: { view } }) => follow(view, false))],
        always: { guard: ({ event: { view } }) => view.any("source") === true, target: "on" },
      },
    },
  },
  texts: {
    en: {
      name: "Follow another device",
      summary: "Devices go on and off with another one",
      description:
        "When the source goes on or off, whoever switched it, the targets do the same, or the opposite. A target that somebody switches meanwhile stays as it is until the source has gone off.",
      fields: {
        source: ["Source", "The device that is followed"],
        targets: ["Targets", "What goes on and off with it; they cannot lead back to the source"],
        invert: ["Opposite", "The targets are off while the source is on"],
      },
    },
    fi: {
      name: "Seuraa toista laitetta",
      summary: "Laitteet kytkeytyvät päälle ja pois toisen mukana",
      description:
        "Kun lähde kytkeytyy päälle tai pois, kytkipä sen kuka tahansa, kohteet tekevät samoin tai päinvastoin. Kohde, jonka joku kytkee sillä välin, pysyy ennallaan, kunnes lähde on kytkeytynyt pois.",
      fields: {
        source: ["Lähde", "Laite, jota seurataan"],
        targets: ["Kohteet", "Mitkä kytkeytyvät sen mukana; ne eivät saa johtaa takaisin lähteeseen"],
        invert: ["Päinvastoin", "Kohteet ovat pois päältä, kun lähde on päällä"],
      },
    },
    sv: {
      name: "Följ en annan enhet",
      summary: "Enheter slås på och av tillsammans med en annan",
      description:
        "När källan slås på eller av, vem som än gör det, gör målen likadant eller tvärtom. Ett mål som någon själv slår på eller av under tiden förblir som det är tills källan har slagits av.",
      fields: {
        source: ["Källa", "Enheten som följs"],
        targets: ["Mål", "Det som slås på och av med den; de får inte leda tillbaka till källan"],
        invert: ["Tvärtom", "Målen är av när källan är på"],
      },
    },
    de: {
      name: "Einem anderen Gerät folgen",
      summary: "Geräte gehen mit einem anderen an und aus",
      description:
        "Geht die Quelle an oder aus, wer auch immer sie schaltet, tun die Ziele dasselbe oder das Gegenteil. Ein Ziel, das inzwischen jemand selbst schaltet, bleibt so, bis die Quelle ausgegangen ist.",
      fields: {
        source: ["Quelle", "Das Gerät, dem gefolgt wird"],
        targets: ["Ziele", "Was mit ihr an- und ausgeht; sie dürfen nicht zur Quelle zurückführen"],
        invert: ["Umgekehrt", "Die Ziele sind aus, während die Quelle an ist"],
      },
    },
  },
});
