import type { Template } from "../catalogue/template.ts";

/** What people read of `POWER_OVERLOAD`. */
export const powerOverloadTexts: Template["texts"] = {
  en: {
    name: "Overload protection",
    summary: "Turns off loads when too much power is drawn, and on again when there is room",
    description:
      "When one of the meters, or all of them together, shows more than the limit for the given time, the first load of the list that is on goes off, and another every ten seconds while it is still too much. When less than the given part of the limit is drawn, the loads come back in reverse order, each when its shortest time off is over. The rule overrides people and other rules. You get a message for each load that goes off, and when nothing is left to turn off.",
    fields: {
      meter: ["Meters", "One for each phase; the one that shows most counts, unless the sum is limited"],
      loads: ["Loads", "In the order in which they go off: the least important first"],
      limitW: ["Limit", "How much each meter, or all together, may show, in watts"],
      sum: ["Sum", "The limit is for all meters together"],
      forMs: ["Overload for", "How long it has to be too much before a load goes off"],
      restoreBelow: ["Back below", "Below which part of the limit loads come back"],
      minOff: ["Shortest time off", "How long a load stays off at least"],
    },
  },
  fi: {
    name: "Ylikuormasuoja",
    summary: "Sammuttaa kuormia, kun tehoa otetaan liikaa, ja palauttaa ne, kun on tilaa",
    description:
      "Kun jokin mittari tai kaikki yhdessä näyttävät annetun ajan yli rajan, luettelon ensimmäinen päällä oleva kuorma sammutetaan, ja kymmenen sekunnin välein seuraava, niin kauan kuin tehoa otetaan liikaa. Kun tehoa otetaan alle annetun osan rajasta, kuormat palautetaan päinvastaisessa järjestyksessä, kukin oltuaan pois vähintään lyhimmän ajan. Tämä menee ihmisten ja muiden sääntöjen ohjausten edelle. Saat tiedon jokaisesta sammutetusta kuormasta ja siitä, jos mitään ei ole enää sammutettavissa.",
    fields: {
      meter: ["Mittarit", "Yksi kullekin vaiheelle; eniten näyttävä ratkaisee, ellei summaa rajoiteta"],
      loads: ["Kuormat", "Sammutusjärjestyksessä: vähiten tärkeä ensin"],
      limitW: ["Raja", "Kuinka paljon kukin mittari tai kaikki yhdessä saavat näyttää, watteina"],
      sum: ["Summa", "Raja koskee kaikkia mittareita yhteensä"],
      forMs: ["Ylikuorman kesto", "Kuinka kauan tehoa on otettava liikaa, ennen kuin kuorma sammuu"],
      restoreBelow: ["Palautus alle", "Minkä rajan osan alla kuormat palautetaan"],
      minOff: ["Lyhin poissaoloaika", "Kuinka kauan kuorma on vähintään pois"],
    },
  },
  sv: {
    name: "Överlastskydd",
    summary: "Stänger av laster när för mycket effekt tas ut och slår på dem igen när det finns plats",
    description:
      "När någon av mätarna, eller alla tillsammans, visar mer än gränsen under den angivna tiden stängs den första lasten i listan som är på av, och en till var tionde sekund så länge det är för mycket. När mindre än den angivna delen av gränsen tas ut kommer lasterna tillbaka i omvänd ordning, var och en efter minst den kortaste tiden. Det går före vad människor och andra regler har ställt in. Du får veta om varje last som stängs av, och om inget mer finns att stänga av.",
    fields: {
      meter: ["Mätare", "En för varje fas; den som visar mest gäller, om inte summan begränsas"],
      loads: ["Laster", "I den ordning de stängs av: den minst viktiga först"],
      limitW: ["Gräns", "Hur mycket varje mätare, eller alla tillsammans, får visa, i watt"],
      sum: ["Summa", "Gränsen gäller alla mätare tillsammans"],
      forMs: ["Överlast i", "Hur länge det ska vara för mycket innan en last stängs av"],
      restoreBelow: ["Tillbaka under", "Under vilken del av gränsen lasterna kommer tillbaka"],
      minOff: ["Kortaste tid av", "Hur länge en last minst är av"],
    },
  },
  de: {
    name: "Überlastschutz",
    summary: "Schaltet Verbraucher ab, wenn zu viel Leistung gezogen wird, und wieder ein, wenn Platz ist",
    description:
      "Zeigt einer der Zähler, oder zeigen alle zusammen, so lange wie angegeben mehr als die Grenze, geht der erste Verbraucher der Liste, der an ist, aus, und alle zehn Sekunden ein weiterer, solange es zu viel ist. Wird weniger als der angegebene Teil der Grenze gezogen, kommen die Verbraucher in umgekehrter Reihenfolge zurück, jeder nach der Mindestzeit. Das geht allem vor, was Menschen und andere Regeln geschaltet haben. Sie erfahren von jedem Verbraucher, der ausgeht, und wenn nichts mehr abzuschalten ist.",
    fields: {
      meter: [
        "Zähler",
        "Einer je Phase; der mit dem höchsten Wert zählt, wenn nicht die Summe begrenzt wird",
      ],
      loads: ["Verbraucher", "In der Reihenfolge, in der sie ausgehen: der unwichtigste zuerst"],
      limitW: ["Grenze", "Wie viel jeder Zähler, oder alle zusammen, zeigen dürfen, in Watt"],
      sum: ["Summe", "Die Grenze gilt für alle Zähler zusammen"],
      forMs: ["Überlast seit", "Wie lange es zu viel sein muss, bevor ein Verbraucher ausgeht"],
      restoreBelow: ["Zurück unter", "Unter welchem Teil der Grenze Verbraucher zurückkommen"],
      minOff: ["Mindestzeit aus", "Wie lange ein Verbraucher mindestens aus bleibt"],
    },
  },
};
