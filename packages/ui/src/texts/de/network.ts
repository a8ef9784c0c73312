import type { network as english } from "../en/network.ts";
import type { Translated } from "../text.ts";

/** The texts of the radio network, in German. */
export const network: Translated<typeof english> = {
  "network.title": "Funknetz",
  "network.view": "Darstellung",
  "network.tree": "Baum",
  "network.drawing": "Zeichnung",
  "network.drawn": "{n} Knoten um diesen Hub",
  "network.table": "Tabelle",
  "network.search": "Nach Name, Hersteller oder Modell suchen",
  "network.troubled": "Nur fehlende und schwache Knoten",
  "network.all": "Alle Verbindungen",
  "network.hub": "Dieser Hub",
  "network.by": "Erreicht über",
  "network.hops": "Sprünge",
  "network.quality": "Güte der Verbindung",
  "network.lqi": "Güte {lqi}",
  "network.weak": "schwach, Güte {lqi}",
  "network.missing": "fehlt",
  "network.noWay": "keine Verbindung bekannt",
  "network.links": "Verbindungen",
  "network.hears": "hört {name}, Güte {lqi}",
  "network.heardBy": "wird gehört von {name}, Güte {lqi}",
  "network.nobody": "Kein Knoten ist so.",
  "network.none": "Kein Zigbee-Netz",
  "network.noneHow": "Ein Hub mit Zigbee-Stick zeigt hier, welches Gerät über welches erreicht wird.",
  "network.counts": { one: "{n} Knoten, gefragt", other: "{n} Knoten, gefragt" },
  "network.partly": "Nicht jeder Router hat geantwortet.",
  "network.onlyNow": "Der Hub kennt nur sein jetziges Netz.",
  "network.channels": "Kanäle",
  "network.channelsHow":
    "Was sonst in der Luft ist. Während der Messung, einige Sekunden lang, hört der Funk kein Gerät.",
  "network.measure": "Messen",
  "network.channel": "Kanal {channel}: {share} %",
  "network.channelOurs": "Kanal {channel}, unserer: {share} %",
  "leaving.title": "Z-Wave-Stick aus einem anderen Netz",
  "leaving.how":
    "Der Z-Wave-Stick gehört zum Netz einer anderen Zentrale, deshalb kann hier kein Gerät beitreten. Diese Zentrale kann ihn entfernen.",
  "leaving.begin": "Dieses Netz verlassen",
  "leaving.sure":
    "Soll der Stick das Netz {network} verlassen? Sein Speicher wird nicht gesichert, und die andere Zentrale muss ihn binnen zwei Minuten entfernen.",
  "leaving.yes": "Verlassen",
  "leaving.no": "Bleiben",
  "leaving.waits":
    "Lassen Sie die andere Zentrale jetzt ein Gerät entfernen (Exklusion). Sie hat zwei Minuten.",
  "leaving.stop": "Abbrechen",
  "leaving.done": "Der Stick hat das Netz verlassen. Er hat jetzt ein eigenes, dem Geräte beitreten können.",
  "leaving.late": "Niemand hat den Stick entfernt. Er ist noch im anderen Netz.",
  "leaving.failed": "Der Stick hat das Netz nicht verlassen. Versuchen Sie es noch einmal.",
};
