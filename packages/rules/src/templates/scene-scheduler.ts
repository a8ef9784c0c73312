import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { ranges, scenes, words } from "../catalogue/field.ts";
import { edges } from "../schedule/index.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The time (ms since the epoch) up to which the rule has handled edges. */
  readonly seen: number;
}

function turned(view: View, on: boolean): readonly Effect[] {
  const [scene] = view.texts("scene");
  const rule = view.text("rule");
  return scene === undefined ? [{ do: "rule", rule, on }] : [{ do: "scene", scene, on }];
}

/** Follows the newest edge since the last look; an end counts only when no other range holds. */
function since(view: View, seen: number): readonly Effect[] {
  const newest = edges(view.ranges("ranges"), seen, view.now, view.place).edges.at(-1);
  if (newest === undefined) return [];
  if (newest.edge === "start") return turned(view, true);
  return view.isWithin("ranges") ? [] : turned(view, false);
}

/** A rule goes on at once when it gets ranges that hold already; a scene waits for the next start. */
const begun = (view: View): readonly Effect[] =>
  view.text("rule") !== "" && view.isWithin("ranges") ? turned(view, true) : [];

/** Turns a scene or a rule on and off by time ranges: those of `sceneTimes` and of RULE_ON_CFG. */
export const sceneScheduler = template<Context>({
  configType: "SCENE_SCHEDULER",
  version: 1,
  priority: 80,
  class: "SCENE",
  icon: "clock",
  internal: true,
  inputs: {},
  outputs: {},
  extras: { ranges: ranges(1, 32), scene: scenes(0, 1), rule: words() },
  late: { late: "fire" },
  times: (view) => view.ranges("ranges"),
  chart: {
    context: { seen: 0 },
    initial: "watching",
    states: {
      watching: {
        entry: [
          keep(({ event: { view } }) => ({ seen: view.now })),
          out(({ event: { type, view } }) => (type === "rule.on" ? begun(view) : [])),
        ],
        on: {
          time: {
            target: "watching",
            reenter: true,
            actions: [out(({ context, event: { view } }) => since(view, context.seen))],
          },
          zone: { target: "watching", reenter: true },
        },
      },
    },
  },
  texts: {
    en: {
      name: "Schedule",
      summary: "Scenes and rules go on and off by time",
      description: "A scene or a rule goes on when one of its time ranges begins and off when it ends.",
      fields: {
        ranges: ["Times", "When it is on"],
        scene: ["Scene", "What goes on and off"],
        rule: ["Rule", "What goes on and off"],
      },
    },
    fi: {
      name: "Aikataulu",
      summary: "Tilanteet ja säännöt menevät päälle ja pois ajan mukaan",
      description:
        "Tilanne tai sääntö menee päälle, kun jokin sen aikaväleistä alkaa, ja pois, kun se päättyy.",
      fields: {
        ranges: ["Ajat", "Milloin se on päällä"],
        scene: ["Tilanne", "Mikä menee päälle ja pois"],
        rule: ["Sääntö", "Mikä menee päälle ja pois"],
      },
    },
    sv: {
      name: "Schema",
      summary: "Scener och regler slås på och av efter tid",
      description:
        "En scen eller en regel slås på när ett av dess tidsintervall börjar och av när det slutar.",
      fields: {
        ranges: ["Tider", "När den är på"],
        scene: ["Scen", "Det som slås på och av"],
        rule: ["Regel", "Det som slås på och av"],
      },
    },
    de: {
      name: "Zeitplan",
      summary: "Szenen und Regeln gehen nach Zeit an und aus",
      description:
        "Eine Szene oder Regel geht an, wenn einer ihrer Zeiträume beginnt, und aus, wenn er endet.",
      fields: {
        ranges: ["Zeiten", "Wann sie an ist"],
        scene: ["Szene", "Was an- und ausgeht"],
        rule: ["Regel", "Was an- und ausgeht"],
      },
    },
  },
});
