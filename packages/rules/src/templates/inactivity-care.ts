import { minutes } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import { clock, daily } from "../schedule/daily.ts";
import { duration, ranges, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

const isTime = (view: View): boolean => view.isWithin("times");

/**
 * Returns whether a sensor or switch shows that somebody is active, also while the hub was down. What rules
 * and scenes switch does not count.
 */
function isActivity({ change }: View): boolean {
  if (change === undefined || change.attribute === "reachable") return false;
  return !change.origin.startsWith("rule:") && !change.origin.startsWith("scene:");
}

/** When no device can be reached, silence says nothing. */
const isHeard = (view: View): boolean =>
  view.devices("activity").some((device) => view.reading("activity", device) !== undefined);

const stirs: Transition<object> = {
  guard: ({ event: { view } }) => isActivity(view),
  target: "watching",
  reenter: true,
};

/** Warns when nobody has been active for long at a time when somebody should be. */
export const inactivityCare = template({
  configType: "INACTIVITY_CARE",
  version: 1,
  priority: 50,
  class: "RULE",
  icon: "care",
  inputs: { activity: sensors(["MOTION", "CONTACT", "ON_OFF"], 1, 32) },
  outputs: {},
  extras: {
    quietFor: duration(28_800_000, 60_000, 604_800_000),
    times: ranges(0, 8, [daily(clock(8 * 60), clock(22 * 60))]),
  },
  late: { late: "recheck" },
  times: (view) => view.ranges("times"),
  chart: {
    context: {},
    initial: "resting",
    delays: { quietFor: ({ event: { view } }) => view.number("quietFor") },
    states: {
      resting: {
        idle: true,
        always: { guard: ({ event: { view } }) => isTime(view), target: "watching" },
      },
      watching: {
        always: { guard: ({ event: { view } }) => !isTime(view), target: "resting" },
        on: { "in.activity": stirs },
        after: {
          quietFor: [
            {
              guard: ({ event: { view } }) => isHeard(view),
              target: "told",
              actions: [
                out(({ event: { view } }) => [
                  {
                    do: "raise",
                    alarm: "INACTIVITY",
                    facts: { minutes: minutes(view.number("quietFor")) },
                  } as const,
                ]),
              ],
            },
            { target: "watching", reenter: true },
          ],
        },
      },
      told: {
        on: {
          "in.activity": {
            ...stirs,
            actions: [
              out(({ event: { view } }) =>
                view.isRaised("INACTIVITY") ? [{ do: "close", alarm: "INACTIVITY" } as const] : [],
              ),
            ],
          },
        },
      },
    },
  },
  texts: {
    en: {
      name: "Care",
      summary: "Tells you when nobody stirs at home for long",
      description:
        "When no sensor or switch has shown any activity for the given time, within the times when somebody should be up, you are warned. The warning closes when somebody is active again. What rules and scenes switch does not count.",
      fields: {
        activity: ["Signs of life", "Motion, doors and what is switched by hand; any of them will do"],
        quietFor: ["Quiet for", "How long nobody stirs before you are warned"],
        times: ["Times", "When somebody should be up; each begins anew"],
      },
    },
    fi: {
      name: "Huolenpito",
      summary: "Ilmoittaa, kun kotona ei pitkään aikaan liiku kukaan",
      description:
        "Kun mikään anturi tai kytkin ei ole osoittanut kenenkään liikkuvan annettuun aikaan, aikoina jolloin jonkun pitäisi olla hereillä, annetaan varoitus. Varoitus sulkeutuu, kun joku liikkuu. Sääntöjen ja tilanteiden kytkemä ei vaikuta.",
      fields: {
        activity: ["Elonmerkit", "Liike, ovet ja käsin kytketty; mikä tahansa niistä riittää"],
        quietFor: ["Hiljaisuus", "Kuinka kauan kukaan ei liiku ennen varoitusta"],
        times: ["Ajat", "Milloin jonkun pitäisi olla hereillä; kukin alkaa alusta"],
      },
    },
    sv: {
      name: "Omsorg",
      summary: "Säger till när ingen rör sig hemma på länge",
      description:
        "När ingen sensor eller brytare har visat någon under den angivna tiden, inom de tider då någon borde vara uppe, varnas du. Varningen stängs när någon rör sig. Det som regler och scener slår på och av räknas inte.",
      fields: {
        activity: ["Livstecken", "Rörelse, dörrar och det som slås på för hand; vilket som helst räcker"],
        quietFor: ["Tyst i", "Hur länge ingen rör sig innan du varnas"],
        times: ["Tider", "När någon borde vara uppe; var och en börjar om"],
      },
    },
    de: {
      name: "Fürsorge",
      summary: "Meldet, wenn sich zu Hause lange niemand rührt",
      description:
        "Hat kein Sensor und kein Schalter für die angegebene Zeit jemanden gezeigt, innerhalb der Zeiten, zu denen jemand auf sein sollte, so werden Sie gewarnt. Die Warnung schließt sich, wenn sich jemand rührt. Was Regeln und Szenen schalten, zählt nicht.",
      fields: {
        activity: ["Lebenszeichen", "Bewegung, Türen und was von Hand geschaltet wird; jedes genügt"],
        quietFor: ["Still seit", "Wie lange sich niemand rührt, bevor Sie gewarnt werden"],
        times: ["Zeiten", "Wann jemand auf sein sollte; jede beginnt von vorn"],
      },
    },
  },
});
