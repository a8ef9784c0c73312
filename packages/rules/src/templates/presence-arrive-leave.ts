import type { Rejection, RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import type { Action } from "../machine/chart.ts";
import { out } from "../machine/chart.ts";
import { devices, duration, scenes } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

/** Returns whether anybody is at home; undefined while no presence is known. */
const isHome = (view: View): boolean | undefined => view.any("presence");
const isNews = (view: View): boolean => view.change?.isNews === true;

function turnedOn(field: string): Action<object> {
  return out(({ event: { view } }) => view.texts(field).map((scene) => ({ do: "scene", scene, on: true })));
}

function scenesProblem({ extras }: RuleConfig): Rejection | undefined {
  const given = ["arriveScene", "leaveScene"].some((field) => (extras[field] ?? []).length > 0);
  return given ? undefined : reject("invalid", "one of the scenes is needed", "extras.arriveScene");
}

/** Turns one scene on when the first person comes home, and another when everybody has been away for a while. */
export const presenceArriveLeave = template({
  configType: "PRESENCE_ARRIVE_LEAVE",
  version: 1,
  priority: 65,
  class: "RULE",
  icon: "presence",
  inputs: { presence: devices(["USER_PRESENCE"], 1, 16) },
  outputs: {},
  extras: {
    leaveDelay: duration(600_000, 0, 86_400_000),
    arriveScene: scenes(0, 1),
    leaveScene: scenes(0, 1),
  },
  late: { late: "recheck" },
  check: scenesProblem,
  chart: {
    context: {},
    initial: "away",
    delays: { leaveDelay: ({ event: { view } }) => view.number("leaveDelay") },
    states: {
      away: {
        idle: true,
        on: {
          "in.presence": {
            guard: ({ event: { view } }) => isHome(view) === true && isNews(view),
            target: "home",
            actions: [turnedOn("arriveScene")],
          },
        },
        // The first known presence, or that after a start, is neither an arrival nor a departure.
        always: { guard: ({ event: { view } }) => isHome(view) === true, target: "home" },
      },
      home: {
        idle: true,
        on: {
          "in.presence": {
            guard: ({ event: { view } }) => isHome(view) === false && isNews(view),
            target: "leaving",
          },
        },
        always: { guard: ({ event: { view } }) => isHome(view) === false, target: "away" },
      },
      leaving: {
        on: {
          "in.presence": { guard: ({ event: { view } }) => isHome(view) === true, target: "home" },
        },
        after: {
          leaveDelay: [
            {
              guard: ({ event: { view } }) => isHome(view) === false,
              target: "away",
              actions: [turnedOn("leaveScene")],
            },
            { target: "away" },
          ],
        },
      },
    },
  },
  texts: {
    en: {
      name: "Coming home and leaving",
      summary: "Scenes go on when the first comes home and when the last has left",
      description:
        "When the first person comes home, the scene for coming home goes on. When nobody has been at home for the given time, the scene for leaving goes on; nothing happens if somebody comes back within that time. Presence that is first known when the rule goes on or the hub starts does not count as coming or leaving.",
      fields: {
        presence: ["People", "Whose coming and going counts"],
        leaveDelay: ["Time away", "How long nobody has to be at home"],
        arriveScene: ["Scene for coming home", "What goes on when the first comes home"],
        leaveScene: ["Scene for leaving", "What goes on when the last has left"],
      },
    },
    fi: {
      name: "Kotiintulo ja lähtö",
      summary: "Tilanteet menevät päälle, kun ensimmäinen tulee kotiin ja kun viimeinen on lähtenyt",
      description:
        "Kun joku tulee kotiin eikä siellä ollut ketään, kotiintulon tilanne menee päälle. Kun kotona ei ole ollut ketään annettuun aikaan, lähdön tilanne menee päälle; sinä aikana palaava ei muuta mitään. Se, kuka on missä säännön mennessä päälle tai keskuksen käynnistyessä, ei ole tulo eikä lähtö.",
      fields: {
        presence: ["Henkilöt", "Kenen tulot ja lähdöt huomioidaan"],
        leaveDelay: ["Poissaoloaika", "Kuinka kauan kotona ei saa olla ketään"],
        arriveScene: ["Kotiintulon tilanne", "Mikä menee päälle, kun ensimmäinen tulee kotiin"],
        leaveScene: ["Lähdön tilanne", "Mikä menee päälle, kun viimeinen on lähtenyt"],
      },
    },
    sv: {
      name: "Komma hem och gå",
      summary: "Scener slås på när den första kommer hem och när den sista har gått",
      description:
        "När någon kommer hem och ingen var där slås scenen för hemkomst på. När ingen har varit hemma under den angivna tiden slås scenen för att gå på; den som kommer tillbaka inom den tiden ändrar ingenting. Vem som är var när regeln slås på eller centralen startar är varken att komma eller gå.",
      fields: {
        presence: ["Personer", "Vilkas kommande och gående som räknas"],
        leaveDelay: ["Tid borta", "Hur länge ingen ska ha varit hemma"],
        arriveScene: ["Scen för hemkomst", "Det som slås på när den första kommer hem"],
        leaveScene: ["Scen för att gå", "Det som slås på när den sista har gått"],
      },
    },
    de: {
      name: "Heimkommen und Weggehen",
      summary: "Szenen gehen an, wenn der Erste heimkommt und wenn der Letzte gegangen ist",
      description:
        "Kommt jemand heim und war niemand da, geht die Szene zum Heimkommen an. War die angegebene Zeit lang niemand zu Hause, geht die Szene zum Weggehen an; wer in dieser Zeit zurückkommt, ändert nichts. Wer wo ist, wenn die Regel angeht oder die Zentrale startet, ist weder Kommen noch Gehen.",
      fields: {
        presence: ["Personen", "Wessen Kommen und Gehen zählt"],
        leaveDelay: ["Zeit der Abwesenheit", "Wie lange niemand zu Hause sein muss"],
        arriveScene: ["Szene zum Heimkommen", "Was angeht, wenn der Erste heimkommt"],
        leaveScene: ["Szene zum Weggehen", "Was angeht, wenn der Letzte gegangen ist"],
      },
    },
  },
});
