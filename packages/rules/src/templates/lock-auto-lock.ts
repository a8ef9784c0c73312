import { tell, untell } from "./parts/alarming.ts";
import type { Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { set } from "../machine/effect.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** How many commands to lock have gone out since it was unlocked or the door was open. */
  readonly tries: number;
}

/** How long (ms) a lock may take to confirm. */
const confirmMs = 15_000;

const lockShows = (view: View, value: boolean): boolean =>
  view.devices("lock").some((lock) => view.reading("lock", lock) === value);
/** An unknown door does not count as closed: a bolt must not run out of an open door. */
const isDoorClosed = (view: View): boolean => view.devices("door").length === 0 || view.any("door") === false;
const isReady = (view: View): boolean => lockShows(view, false) && isDoorClosed(view);

const locked: Transition<Context> = {
  guard: ({ event: { view } }) => lockShows(view, true),
  target: "locked",
};
const opened: Transition<Context> = {
  guard: ({ event: { view } }) => !isDoorClosed(view),
  target: "waiting",
};

/** Locks a door again a while after it was unlocked or closed. */
export const lockAutoLock = template<Context>({
  configType: "LOCK_AUTO_LOCK",
  version: 1,
  priority: 90,
  // Unlocking by hand is not a wish that it stay unlocked.
  class: "MANUAL",
  icon: "lock",
  inputs: { door: devices(["CONTACT"], 0, 1) },
  outputs: { lock: devices(["LOCK"], 1, 1) },
  extras: {
    after: duration(300_000, 1000, 86_400_000, { for: "lock" }),
    retry: number("NUMBER", 3, 0, 10, { for: "lock" }),
  },
  late: { late: "recheck" },
  hears: ["outputs"],
  chart: {
    context: { tries: 0 },
    initial: "locked",
    delays: {
      after: ({ event: { view } }) => view.number("after"),
      confirm: () => confirmMs,
    },
    states: {
      locked: {
        idle: true,
        entry: [
          out(({ event: { view } }) =>
            lockShows(view, true)
              ? view.devices("lock").flatMap((lock) => untell(view, ["LOCK_FAILED"], lock))
              : [],
          ),
        ],
        always: { guard: ({ event: { view } }) => lockShows(view, false), target: "waiting" },
      },
      waiting: {
        entry: [keep(() => ({ tries: 0 }))],
        always: [locked, { guard: ({ event: { view } }) => isReady(view), target: "closed" }],
      },
      closed: {
        always: [locked, { guard: ({ event: { view } }) => !isReady(view), target: "waiting" }],
        after: { after: { target: "locking" } },
      },
      locking: {
        entry: [
          keep(({ context }) => ({ tries: context.tries + 1 })),
          out(({ event: { view } }) => set(view.devices("lock"), { locked: true })),
        ],
        always: [locked, opened],
        after: {
          confirm: [
            {
              guard: ({ context, event: { view } }) => context.tries <= view.number("retry"),
              target: "locking",
              reenter: true,
            },
            { target: "failed" },
          ],
        },
      },
      failed: {
        entry: [
          out(({ context: { tries }, event: { view } }) =>
            view.devices("lock").flatMap((lock) => tell(view, "LOCK_FAILED", lock, { times: tries })),
          ),
        ],
        always: [locked, opened],
      },
    },
  },
  texts: {
    en: {
      name: "Lock the door again",
      summary: "A lock locks itself a while after it was unlocked",
      description:
        "When the lock has been unlocked and the door closed for the given time, it is locked; while the door is open the rule waits. If the lock does not confirm, the command is repeated, and then you are warned.",
      fields: {
        door: ["Door sensor", "Tells whether the door is closed; without one the time alone counts"],
        lock: ["Lock", "What is locked again"],
        after: ["Time", "How long the door stays closed and unlocked"],
        retry: ["Retries", "How often the command is repeated before you are warned"],
      },
    },
    fi: {
      name: "Oven uudelleenlukitus",
      summary: "Lukko lukittuu hetken kuluttua avaamisesta",
      description:
        "Kun lukko on ollut avattuna ja ovi kiinni annetun ajan, se lukitaan; oven ollessa auki sääntö odottaa. Jos lukko ei kuittaa lukitusta, käsky toistetaan ja lopulta annetaan varoitus.",
      fields: {
        door: ["Ovianturi", "Kertoo, onko ovi kiinni; ilman sitä vain aika ratkaisee"],
        lock: ["Lukko", "Mikä lukitaan uudelleen"],
        after: ["Aika", "Kuinka kauan ovi on kiinni ja lukitsematta"],
        retry: ["Uudet yritykset", "Kuinka monta kertaa käsky toistetaan ennen varoitusta"],
      },
    },
    sv: {
      name: "Lås dörren igen",
      summary: "Ett lås låser sig en stund efter att det låsts upp",
      description:
        "När låset har varit upplåst och dörren stängd under den angivna tiden låses det; medan dörren är öppen väntar regeln. Om låset inte bekräftar det upprepas ordern, och sedan varnas du.",
      fields: {
        door: ["Dörrsensor", "Säger om dörren är stängd; utan den räknas bara tiden"],
        lock: ["Lås", "Det som låses igen"],
        after: ["Tid", "Hur länge dörren är stängd och olåst"],
        retry: ["Nya försök", "Hur många gånger ordern upprepas innan du varnas"],
      },
    },
    de: {
      name: "Tür wieder abschließen",
      summary: "Ein Schloss schließt eine Weile nach dem Aufschließen wieder ab",
      description:
        "War das Schloss für die angegebene Zeit auf und die Tür zu, so wird abgeschlossen; solange die Tür offen ist, wartet die Regel. Bestätigt das Schloss es nicht, wird der Befehl wiederholt, und dann werden Sie gewarnt.",
      fields: {
        door: ["Türsensor", "Sagt, ob die Tür zu ist; ohne ihn zählt allein die Zeit"],
        lock: ["Schloss", "Was wieder abgeschlossen wird"],
        after: ["Zeit", "Wie lange die Tür zu und nicht abgeschlossen ist"],
        retry: ["Neue Versuche", "Wie oft der Befehl wiederholt wird, bevor Sie gewarnt werden"],
      },
    },
  },
});
