// A cloud with sites whose events wait for their targets. Says when all of them wait, and then does what it is told.
//
//   node egress-cloud.child.ts FOLDER LOAD
import { setTimeout as sleep } from "node:timers/promises";
import { type Egress, openEgress, Receivers } from "@ledge/cloud/egress";
import { systemClock } from "@ledge/kernel";
import { openBenchCloud, siteCommands, targetCommand } from "./egress/cloud-with-sites.ts";
import { type Live, type Load, siteName, type Told } from "./egress/loads.ts";
import { monotonicMs } from "./push/reports.ts";

const [folder = "", load = ""] = process.argv.slice(2);
const { url, sites, targetsOfSite, fetchMaxEvents, waiting } = JSON.parse(load) as Load;
const bench = await openBenchCloud(folder, "bench");
const numbers = Array.from({ length: sites }, () => 0);
let egress: Egress | undefined;

for (let index = 0; index < sites; index++) {
  const id = siteName(index);
  const targets = Array.from({ length: targetsOfSite }, (_, at) =>
    targetCommand(id, `target${at}`, { url, fetchMaxEvents }),
  );
  await bench.submit([...siteCommands(id, "owner"), ...targets]);
}
for (let index = 0; index < sites; index++)
  await bench.submit(Array.from({ length: waiting }, () => changing(index)));
process.send?.("waiting");
process.on("message", (told: Told) => {
  if (told !== "send") return void live(told).then(() => process.send?.("done"));
  egress ??= openEgress({
    ...bench,
    receivers: new Receivers(["127.0.0.0/8"]),
    clock: systemClock,
  });
  process.send?.("begun");
});

/** A change whose event has its number, and when it was made. */
function changing(index: number) {
  const number = numbers[index] ?? 0;
  numbers[index] = number + 1;
  return {
    type: "UPDATE_SITE_ENTITY",
    id: siteName(index),
    path: "a",
    displayName: `${number} ${monotonicMs()}`,
  };
}

async function live({ sites: changed, perSecond, events }: Live): Promise<void> {
  const next = (count: number) => changing(changed[count % changed.length] ?? 0);
  if (perSecond === null) return bench.submit(Array.from({ length: events }, (_, count) => next(count)));
  const begun = monotonicMs();
  const submitted: Promise<void>[] = [];
  for (let count = 0; count < events; count++) {
    const waitMs = begun + (count * 1000) / perSecond - monotonicMs();
    if (waitMs > 0) await sleep(waitMs);
    submitted.push(bench.submit([next(count)]));
  }
  await Promise.all(submitted);
}
