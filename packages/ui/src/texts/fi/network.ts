import type { network as english } from "../en/network.ts";
import type { Translated } from "../text.ts";

/** The texts of the radio network, in Finnish. */
export const network: Translated<typeof english> = {
  "network.title": "Radioverkko",
  "network.view": "Näkymä",
  "network.tree": "Puu",
  "network.drawing": "Piirros",
  "network.drawn": "{n} solmua tämän hubin ympärillä",
  "network.table": "Taulukko",
  "network.search": "Hae nimellä, valmistajalla tai mallilla",
  "network.troubled": "Vain puuttuvat ja heikot solmut",
  "network.all": "Kaikki yhteydet",
  "network.hub": "Tämä hubi",
  "network.by": "Reitti kulkee",
  "network.hops": "Hypyt",
  "network.quality": "Yhteyden laatu",
  "network.lqi": "laatu {lqi}",
  "network.weak": "heikko, laatu {lqi}",
  "network.missing": "puuttuu",
  "network.noWay": "ei tunnettua yhteyttä",
  "network.links": "Yhteydet",
  "network.hears": "kuulee: {name}, laatu {lqi}",
  "network.heardBy": "kuulija: {name}, laatu {lqi}",
  "network.nobody": "Sellaista solmua ei ole.",
  "network.none": "Ei Zigbee-verkkoa",
  "network.noneHow": "Hubi, jolla on Zigbee-tikku, näyttää tässä, mikä laite tavoitetaan minkäkin kautta.",
  "network.counts": { one: "{n} solmu, kysytty", other: "{n} solmua, kysytty" },
  "network.partly": "Kaikki reitittimet eivät vastanneet.",
  "network.onlyNow": "Hubi tuntee vain nykyisen verkkonsa.",
  "network.channels": "Kanavat",
  "network.channelsHow":
    "Mitä muuta ilmassa on. Mittauksen ajan, muutaman sekunnin, radio ei kuule laitteita.",
  "network.measure": "Mittaa",
  "network.channel": "Kanava {channel}: {share} %",
  "network.channelOurs": "Kanava {channel}, oma: {share} %",
};
