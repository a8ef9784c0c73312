import type { network as english } from "../en/network.ts";
import type { Translated } from "../text.ts";

/** The texts of the radio network, in Swedish. */
export const network: Translated<typeof english> = {
  "network.title": "Radionät",
  "network.view": "Vy",
  "network.tree": "Träd",
  "network.drawing": "Teckning",
  "network.drawn": "{n} noder runt den här hubben",
  "network.table": "Tabell",
  "network.search": "Sök på namn, tillverkare eller modell",
  "network.troubled": "Bara noder som saknas eller är svaga",
  "network.all": "Alla länkar",
  "network.hub": "Den här hubben",
  "network.by": "Nås via",
  "network.hops": "Hopp",
  "network.quality": "Länkens kvalitet",
  "network.lqi": "kvalitet {lqi}",
  "network.weak": "svag, kvalitet {lqi}",
  "network.missing": "saknas",
  "network.noWay": "ingen känd länk",
  "network.links": "Länkar",
  "network.hears": "hör {name}, kvalitet {lqi}",
  "network.heardBy": "hörs av {name}, kvalitet {lqi}",
  "network.nobody": "Ingen nod är sådan.",
  "network.none": "Inget Zigbee-nät",
  "network.noneHow": "En hubb med Zigbee-sticka visar här vilken enhet som nås via vilken.",
  "network.counts": { one: "{n} nod, frågad", other: "{n} noder, frågade" },
  "network.partly": "Alla routrar har inte svarat.",
  "network.onlyNow": "Hubben känner bara sitt nät av nu.",
  "network.channels": "Kanaler",
  "network.channelsHow":
    "Vad som annars finns i luften. Medan radion mäter, några sekunder, hör den ingen enhet.",
  "network.measure": "Mät",
  "network.channel": "Kanal {channel}: {share} %",
  "network.channelOurs": "Kanal {channel}, vår: {share} %",
};
