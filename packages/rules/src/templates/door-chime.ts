import type { Device } from "@ledge/model";
import { pressed, sirens, tell } from "./parts/alarming.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { sound, turn } from "../machine/effect.ts";
import { devices, duration, ranges, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** When the chime last rang, ms since the epoch. */
  readonly since: number;
  /** The speakers that the rule turned on for it. */
  readonly ringing: readonly string[];
}

/** How long a chime sounds, ms. */
const chimeMs = 3000;

/** A speaker that is on already plays something else and goes on with it. */
const silent = (view: View): readonly Device[] =>
  view.devices("speaker").filter(({ state }) => state["isOn"] !== true && state["sirenOn"] !== true);

/** Turns on sirens as sirens and other speakers as switches. */
function ring(speakers: readonly Device[], on: boolean): readonly Effect[] {
  return speakers.flatMap((speaker) => {
    const isSiren = sirens.some((capability) => speaker.capabilities.values.includes(capability));
    return isSiren ? sound([speaker], on) : turn([speaker], on);
  });
}

function isDue({ since }: Context, view: View): boolean {
  const isCool = view.now - since >= view.number("cooldown");
  return pressed(view) !== undefined && isCool && !view.isWithin("dnd");
}

/** Chimes and tells people when somebody is at the door. */
export const doorChime = template<Context>({
  configType: "DOOR_CHIME",
  version: 1,
  priority: 60,
  class: "RULE",
  icon: "bell",
  inputs: { bell: sensors(["DOORBELL", "CONTACT", "REMOTE_CONTROL"], 1, 4) },
  outputs: { speaker: devices([...sirens, "VOLUME"], 1, 8) },
  extras: {
    cooldown: duration(5000, 0, 3_600_000),
    dnd: ranges(0, 8),
  },
  late: { late: "skip", lateMaxMs: 5000 },
  // A late timer still ends the sound.
  lateOf: { chime: { late: "fire" } },
  chart: {
    context: { since: 0, ringing: [] },
    initial: "waiting",
    delays: { chime: () => chimeMs },
    states: {
      waiting: {
        idle: true,
        on: {
          "in.bell": {
            guard: ({ context, event: { view } }) => isDue(context, view),
            target: "ringing",
          },
        },
      },
      ringing: {
        entry: [
          keep(({ event: { view } }) => ({
            since: view.now,
            ringing: silent(view).map(({ id }) => id),
          })),
          out(({ event: { view } }) => {
            const bell = pressed(view);
            const told = bell === undefined ? [] : tell(view, "DOOR_CHIME", bell);
            return [...ring(silent(view), true), ...told];
          }),
        ],
        exit: [
          out(({ context: { ringing }, event: { view } }) =>
            ring(
              view.devices("speaker").filter(({ id }) => ringing.includes(id)),
              false,
            ),
          ),
        ],
        after: { chime: { target: "waiting" } },
      },
    },
  },
  texts: {
    en: {
      name: "Door chime",
      summary: "Chimes and tells you when somebody is at the door",
      description:
        "When the doorbell rings, the door opens or a button is pressed, the speakers sound for a moment and you are told. In quiet times nothing happens.",
      fields: {
        bell: ["Bells", "Doorbells, doors, or remote controls of which any button rings"],
        speaker: ["Speakers", "What sounds, unless it plays already"],
        cooldown: ["Pause", "How long after a chime nothing rings again"],
        dnd: ["Quiet times", "When nobody is disturbed"],
      },
    },
    fi: {
      name: "Ovikello",
      summary: "Soi ja ilmoittaa, kun joku on ovella",
      description:
        "Kun ovikello soi, ovi avautuu tai painiketta painetaan, kaiuttimet soivat hetken ja saat ilmoituksen. Hiljaisina aikoina ei tapahdu mitään.",
      fields: {
        bell: ["Kellot", "Ovikellot, ovet tai kaukosäätimet, joiden mikä tahansa painike soittaa"],
        speaker: ["Kaiuttimet", "Mitkä soivat, elleivät jo soita jotain"],
        cooldown: ["Tauko", "Kuinka kauan soiton jälkeen ei soiteta uudelleen"],
        dnd: ["Hiljaiset ajat", "Milloin ketään ei häiritä"],
      },
    },
    sv: {
      name: "Dörrklocka",
      summary: "Ringer och säger till när någon är vid dörren",
      description:
        "När dörrklockan ringer, dörren öppnas eller en knapp trycks in ljuder högtalarna en stund och du får veta det. Under tysta tider händer ingenting.",
      fields: {
        bell: ["Klockor", "Dörrklockor, dörrar, eller fjärrkontroller där varje knapp ringer"],
        speaker: ["Högtalare", "Det som ljuder, om det inte redan spelar"],
        cooldown: ["Paus", "Hur länge efter en ringning ingenting ringer igen"],
        dnd: ["Tysta tider", "När ingen störs"],
      },
    },
    de: {
      name: "Türgong",
      summary: "Läutet und meldet, wenn jemand an der Tür ist",
      description:
        "Klingelt es, geht die Tür auf oder wird ein Knopf gedrückt, so klingen die Lautsprecher einen Moment und Sie erfahren es. In stillen Zeiten geschieht nichts.",
      fields: {
        bell: ["Klingeln", "Klingeln, Türen, oder Fernbedienungen, bei denen jede Taste läutet"],
        speaker: ["Lautsprecher", "Was klingt, wenn es nicht schon spielt"],
        cooldown: ["Pause", "Wie lange nach einem Läuten nichts erneut läutet"],
        dnd: ["Stille Zeiten", "Wann niemand gestört wird"],
      },
    },
  },
});
