import type { CheapTimes } from "./parts/cheap-times.ts";
import { cheapTimes } from "./parts/cheap-times.ts";
import { clock, daily } from "../schedule/daily.ts";
import { devices, number, option, ranges, timeOfDay } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

/** The voltage of a phase. */
const volts = 230;
/** The least power (kW) with which a car charges: 6 A on one phase; a meter may show slightly less. */
const leastKw = 1.2;
/** Changes of the power below this (kW) are ignored. */
const noticedKw = 0.1;

/** Returns the power that the charger draws now (kW), if a meter shows it. */
function measured(view: View): number | undefined {
  const watts = view.mean("meter");
  return watts === undefined ? undefined : Math.max(0, watts) / 1000;
}

/** Charges a car when energy is cheapest before a time of day, until it has the energy that it needs. */
export const evCharge = template<CheapTimes>({
  configType: "EV_CHARGE",
  version: 1,
  priority: 60,
  class: "RULE",
  level: true,
  icon: "car",
  inputs: {
    meter: devices(["MEASURE_POWER"], 0, 1),
    presence: devices(["USER_PRESENCE"], 0, 8),
  },
  outputs: { charger: devices(["ON_OFF", "CONTROL_POWER"], 1, 1) },
  extras: {
    kWhNeeded: number("NUMBER", 20, 0.5, 200),
    deadline: timeOfDay(420),
    maxA: number("NUMBER", 16, 6, 80),
    phases: option(["1", "3"]),
    fallback: ranges(0, 8, [daily(clock(120), clock(360))]),
  },
  late: { late: "fire" },
  hears: ["price", "time", "freed"],
  chart: cheapTimes(
    {
      loads: "charger",
      deadline: "deadline",
      whole: (view) => view.number("kWhNeeded"),
      usual: (view) => (view.number("maxA") * volts * Number(view.text("phases"))) / 1000,
      measured,
      least: leastKw,
      mayRun: (view) => view.any("presence") !== false,
    },
    {
      always: ["in.presence"],
      running: {
        "in.meter": {
          guard: ({ context: { rate }, event: { view } }) =>
            Math.abs((measured(view) ?? rate) - rate) >= noticedKw,
          target: "running",
          reenter: true,
        },
      },
    },
  ),
  texts: {
    en: {
      name: "Charge a car",
      summary: "A car is charged when energy is cheapest before a time of day",
      description:
        "Each day, before the given time, the charger is on when energy is cheapest, for as long as it takes to charge the given energy; otherwise it is off. A meter measures how much the car has got; without one it is estimated from the current. While prices are missing, the car is charged in the fallback times. When the rule goes off, the charger stays as it is.",
      fields: {
        meter: ["Meter", "Measures the charger; without one the current below counts"],
        presence: [
          "Who is at home",
          "The car is charged only while one of them is at home; always, when none is given",
        ],
        charger: ["Charger", "What goes on and off"],
        kWhNeeded: ["Energy needed", "How much the car gets each day (kWh)"],
        deadline: ["Ready by", "The time of day by which the car is charged; the next day begins then"],
        maxA: ["Current", "The charging current (A), from which the charging time is estimated"],
        phases: ["Phases", "How many phases the car charges on"],
        fallback: [
          "Fallback times",
          "When the car is charged while prices are missing; without any from 2 to 6 at night",
        ],
      },
    },
    fi: {
      name: "Auton lataus",
      summary: "Auto ladataan energian ollessa halvinta ennen kellonaikaa",
      description:
        "Laturi on joka päivä päällä silloin, kun energia on halvinta ennen annettua kellonaikaa, niin kauan kuin auto tarvitsee annettuun energiaan; muulloin se on pois päältä. Mittari kertoo, paljonko auto on saanut; ilman sitä se lasketaan virrasta. Kun hinnat puuttuvat, auto ladataan vara-aikoina. Kun sääntö kytketään pois, laturi jää ennalleen.",
      fields: {
        meter: ["Mittari", "Paljonko laturi ottaa; ilman sitä se päätellään virrasta"],
        presence: [
          "Kuka on kotona",
          "Auto ladataan vain, kun joku heistä on kotona; aina, ellei ketään ole annettu",
        ],
        charger: ["Laturi", "Mikä kytkeytyy päälle ja pois"],
        kWhNeeded: ["Tarvittava energia", "Paljonko auto saa päivässä (kWh)"],
        deadline: ["Valmiina", "Kellonaika, johon mennessä auto on ladattu; siitä alkaa seuraava päivä"],
        maxA: ["Virta", "Millä virralla auto latautuu (A): siitä tiedetään, kauanko lataus kestää"],
        phases: ["Vaiheet", "Kuinka monella vaiheella auto latautuu"],
        fallback: [
          "Vara-ajat",
          "Milloin auto ladataan, kun hinnat puuttuvat; ellei annettu, yöllä kello 2–6",
        ],
      },
    },
    sv: {
      name: "Ladda en bil",
      summary: "En bil laddas när energin är billigast före ett klockslag",
      description:
        "Varje dag är laddaren på när energin är billigast före det angivna klockslaget, så länge bilen behöver för den angivna energin; annars är den av. En mätare visar hur mycket bilen har fått; utan den beräknas det ur strömmen. Medan priser saknas laddas bilen på reservtiderna. När regeln stängs av förblir laddaren som den är.",
      fields: {
        meter: ["Mätare", "Vad laddaren tar; utan den räknas det ur strömmen"],
        presence: [
          "Vem som är hemma",
          "Bilen laddas bara medan någon av dem är hemma; alltid om ingen anges",
        ],
        charger: ["Laddare", "Det som slås på och av"],
        kWhNeeded: ["Energi som behövs", "Hur mycket bilen får varje dag (kWh)"],
        deadline: ["Klart till", "Klockslaget då bilen är laddad; då börjar nästa dag"],
        maxA: ["Ström", "Med hur mycket bilen laddas (A): det visar hur lång tid det tar"],
        phases: ["Faser", "På hur många faser bilen laddas"],
        fallback: ["Reservtider", "När bilen laddas medan priser saknas; om inga anges kl. 2–6 på natten"],
      },
    },
    de: {
      name: "Auto laden",
      summary: "Ein Auto wird geladen, wenn Energie vor einer Uhrzeit am billigsten ist",
      description:
        "Jeden Tag ist das Ladegerät an, wenn Energie vor der angegebenen Uhrzeit am billigsten ist, so lange, wie das Auto für die angegebene Energie braucht; sonst ist es aus. Ein Zähler sagt, wie viel das Auto bekommen hat; ohne ihn wird es aus dem Strom berechnet. Solange Preise fehlen, wird das Auto zu den Ersatzzeiten geladen. Geht die Regel aus, bleibt das Ladegerät, wie es ist.",
      fields: {
        meter: ["Zähler", "Was das Ladegerät aufnimmt; ohne ihn wird es aus dem Strom berechnet"],
        presence: [
          "Wer zu Hause ist",
          "Das Auto wird nur geladen, solange einer von ihnen zu Hause ist; immer, wenn niemand angegeben ist",
        ],
        charger: ["Ladegerät", "Was an- und ausgeht"],
        kWhNeeded: ["Benötigte Energie", "Wie viel das Auto am Tag bekommt (kWh)"],
        deadline: ["Fertig um", "Die Uhrzeit, bis zu der das Auto geladen ist; dann beginnt der nächste Tag"],
        maxA: ["Strom", "Womit das Auto geladen wird (A): Das sagt, wie lange es dauert"],
        phases: ["Phasen", "Auf wie vielen Phasen das Auto geladen wird"],
        fallback: [
          "Ersatzzeiten",
          "Wann das Auto geladen wird, solange Preise fehlen; ohne Angabe nachts von 2 bis 6 Uhr",
        ],
      },
    },
  },
});
