import type { Template } from "../catalogue/template.ts";

/** What people read of `IRRIGATION`. */
export const irrigationTexts: Template["texts"] = {
  en: {
    name: "Irrigation",
    summary: "Waters one valve after the other, unless it is wet",
    description:
      "When a time range begins, the valves open in the order of the list, strictly one at a time, each for its time. When a sensor says that it is wet, or the time range ends, the rest of the round is skipped. A round that the hub has missed is skipped too. No valve stays open for more than half an hour, whoever opened it; when a valve does not close, the command is repeated each minute and you are warned. When the rule goes off, the valve that it has opened closes.",
    fields: {
      wet: ["Rain and soil sensors", "Any of them that is wet skips the watering"],
      valves: ["Valves", "In the order in which they open"],
      ranges: ["Times", "When a round begins, and by when it has to end"],
      perValve: ["Time of each valve", "How long each valve is open in a round"],
      maxPerDay: [
        "At most a day",
        "How long each valve is open in a day altogether; no limit, when nothing is given",
      ],
      wetAt: ["Wet from", "The humidity of the soil from which on it is wet"],
    },
  },
  fi: {
    name: "Kastelu",
    summary: "Kastelee venttiili kerrallaan, ellei ole märkää",
    description:
      "Aikavälin alkaessa venttiilit avautuvat luettelon järjestyksessä, tarkasti yksi kerrallaan, kukin omaksi ajakseen. Jos anturi kertoo märästä tai aikaväli päättyy, kierroksen loppu jää väliin. Myös kierros, jonka aikana keskitin ei ollut käynnissä, jää väliin. Mikään venttiili ei ole auki yli puolta tuntia, avasipa sen kuka tahansa; sulkeutumattomalle käsky toistetaan minuutin välein ja saat varoituksen. Kun sääntö kytketään pois, sen avaama venttiili sulkeutuu.",
    fields: {
      wet: ["Sade- ja maa-anturit", "Mikä tahansa märkä anturi estää kastelun"],
      valves: ["Venttiilit", "Avautumisjärjestyksessä"],
      ranges: ["Ajat", "Milloin kierros alkaa ja mihin mennessä sen on päätyttävä"],
      perValve: ["Venttiilin aika", "Kuinka kauan kukin venttiili on kierroksella auki"],
      maxPerDay: [
        "Enintään päivässä",
        "Kuinka kauan kukin venttiili on päivässä auki; rajatta, jos ei annettu",
      ],
      wetAt: ["Märkää alkaen", "Maan kosteus, josta alkaen on märkää"],
    },
  },
  sv: {
    name: "Bevattning",
    summary: "Vattnar en ventil i taget, om det inte är vått",
    description:
      "När ett tidsintervall börjar öppnas ventilerna i listans ordning, strikt en i taget, var och en under sin tid. När en sensor säger att det är vått, eller intervallet slutar, hoppas resten av rundan över. En runda som hubben har missat hoppas också över. Ingen ventil står öppen i mer än en halvtimme, vem som än öppnade den; en som inte stängs får ordern igen varje minut och du varnas. När regeln stängs av stängs ventilen som den har öppnat.",
    fields: {
      wet: ["Regn- och jordsensorer", "Var och en som är våt stoppar bevattningen"],
      valves: ["Ventiler", "I den ordning de öppnas"],
      ranges: ["Tider", "När en runda börjar och när den senast ska sluta"],
      perValve: ["Tid per ventil", "Hur länge varje ventil är öppen i en runda"],
      maxPerDay: ["Högst per dag", "Hur länge varje ventil är öppen per dag; utan gräns om inget anges"],
      wetAt: ["Vått från", "Jordens fuktighet från vilken det är vått"],
    },
  },
  de: {
    name: "Bewässerung",
    summary: "Bewässert ein Ventil nach dem anderen, wenn es nicht nass ist",
    description:
      "Beginnt ein Zeitraum, öffnen die Ventile in der Reihenfolge der Liste, streng eines nach dem anderen, jedes für seine Zeit. Meldet ein Sensor Nässe oder endet der Zeitraum, entfällt der Rest der Runde. Auch eine Runde, die der Hub verpasst hat, entfällt. Kein Ventil bleibt länger als eine halbe Stunde offen, wer auch immer es geöffnet hat; einem, das nicht schließt, wird es jede Minute noch einmal gesagt, und Sie werden gewarnt. Geht die Regel aus, schließt das Ventil, das sie geöffnet hat.",
    fields: {
      wet: ["Regen- und Bodensensoren", "Jeder, der nass ist, verhindert das Bewässern"],
      valves: ["Ventile", "In der Reihenfolge, in der sie öffnen"],
      ranges: ["Zeiten", "Wann eine Runde beginnt und bis wann sie zu enden hat"],
      perValve: ["Zeit je Ventil", "Wie lange jedes Ventil in einer Runde offen ist"],
      maxPerDay: [
        "Höchstens am Tag",
        "Wie lange jedes Ventil am Tag insgesamt offen ist; unbegrenzt, wenn nichts angegeben ist",
      ],
      wetAt: ["Nass ab", "Die Bodenfeuchte, ab der es nass ist"],
    },
  },
};
