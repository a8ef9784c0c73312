import { rising } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { picture } from "../machine/effect.ts";
import { devices, duration, number, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** When the rule was last triggered, ms since the epoch. */
  readonly since: number;
  /** How many pictures of a burst are still to be taken. */
  readonly left: number;
}

/** The pause between the pictures of a burst, ms. */
const gapMs = 2000;
const lateMaxMs = 10_000;

/** Returns whether the burst goes on: pictures are left, and it is not so late that the visitor is gone. */
function goesOn({ since, left }: Context, view: View): boolean {
  return left > 0 && view.now - since <= view.number("burst") * gapMs + lateMaxMs;
}

const shoot: Transition<Context> = {
  guard: ({ context, event: { view } }) =>
    rising(view) !== undefined && view.now - context.since >= view.number("cooldown"),
  target: "shooting",
  reenter: true,
  actions: [keep(({ event: { view } }) => ({ since: view.now, left: view.number("burst") }))],
};

/** Takes pictures when a sensor, a door or a doorbell triggers. */
export const cameraSnapshot = template<Context>({
  configType: "CAMERA_SNAPSHOT",
  version: 1,
  priority: 50,
  class: "RULE",
  icon: "camera",
  feature: "VIDEO_SERVICE",
  inputs: { trigger: sensors(["MOTION", "CONTACT", "DOORBELL"], 1, 16) },
  outputs: { cameras: devices(["RECORD_VIDEO", "LIVE_FEED"], 1, 8) },
  extras: {
    cooldown: duration(60_000, 0, 86_400_000),
    burst: number("NUMBER", 1, 1, 5),
  },
  late: { late: "skip", lateMaxMs },
  chart: {
    context: { since: 0, left: 0 },
    initial: "waiting",
    delays: { gap: () => gapMs },
    states: {
      waiting: { idle: true, on: { "in.trigger": shoot } },
      shooting: {
        entry: [
          out(({ event: { view } }) => picture(view.devices("cameras"))),
          keep(({ context }) => ({ left: context.left - 1 })),
        ],
        on: { "in.trigger": shoot },
        after: {
          gap: [
            {
              guard: ({ context, event: { view } }) => goesOn(context, view),
              target: "shooting",
              reenter: true,
            },
            { target: "waiting" },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Pictures of visitors",
      summary: "Cameras take pictures when somebody moves, opens or rings",
      description:
        "When a sensor sees motion, a door opens or a doorbell rings, each camera takes a picture, or several in a row. Then there is a pause before the next.",
      fields: {
        trigger: ["Sensors", "Motion, doors and doorbells; any of them starts it"],
        cameras: ["Cameras", "What takes the pictures"],
        cooldown: ["Pause", "How long after the first picture nothing new is taken"],
        burst: ["Pictures in a row", "How many pictures each camera takes"],
      },
    },
    fi: {
      name: "Kuvat tulijoista",
      summary: "Kamerat ottavat kuvia, kun joku liikkuu, avaa tai soittaa",
      description:
        "Kun anturi havaitsee liikettä, ovi avautuu tai ovikello soi, kukin kamera ottaa kuvan tai useita peräkkäin. Sen jälkeen kestää hetken ennen seuraavaa.",
      fields: {
        trigger: ["Anturit", "Liike, ovet ja ovikellot; mikä tahansa niistä käynnistää kuvauksen"],
        cameras: ["Kamerat", "Mitkä ottavat kuvat"],
        cooldown: ["Tauko", "Kuinka kauan ensimmäisen kuvan jälkeen ei kuvata uudelleen"],
        burst: ["Peräkkäiset kuvat", "Kuinka monta kuvaa kukin kamera ottaa"],
      },
    },
    sv: {
      name: "Bilder av besökare",
      summary: "Kameror tar bilder när någon rör sig, öppnar eller ringer",
      description:
        "När en sensor ser rörelse, en dörr öppnas eller en dörrklocka ringer tar varje kamera en bild, eller flera i rad. Sedan dröjer det en stund till nästa.",
      fields: {
        trigger: ["Sensorer", "Rörelse, dörrar och dörrklockor; var och en av dem startar"],
        cameras: ["Kameror", "Det som tar bilderna"],
        cooldown: ["Paus", "Hur länge efter den första bilden inget nytt tas"],
        burst: ["Bilder i rad", "Hur många bilder varje kamera tar"],
      },
    },
    de: {
      name: "Bilder von Besuchern",
      summary: "Kameras machen Bilder, wenn sich jemand bewegt, öffnet oder klingelt",
      description:
        "Sieht ein Sensor Bewegung, geht eine Tür auf oder klingelt es, so macht jede Kamera ein Bild, oder mehrere hintereinander. Dann dauert es eine Weile bis zum nächsten.",
      fields: {
        trigger: ["Sensoren", "Bewegung, Türen und Klingeln; jeder von ihnen löst aus"],
        cameras: ["Kameras", "Was die Bilder macht"],
        cooldown: ["Pause", "Wie lange nach dem ersten Bild nichts Neues aufgenommen wird"],
        burst: ["Bilder hintereinander", "Wie viele Bilder jede Kamera macht"],
      },
    },
  },
});
