// rtl_433 itself, with a signal that it decodes without a stick: as a program of the hub, and by a broker.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { type FoundDevice, type Report, systemClock } from "@ledge/port";
import { complaintsIn, recordingHost } from "@ledge/port/testing";
import { temporaryFolder, until } from "@ledge/testkit";
import { BrokerClient, Mosquitto } from "@ledge/testkit/mqtt";
import { createAdapter } from "./index.ts";

const folder = temporaryFolder();
after(() => folder.remove());

/** A Nexus thermometer says the same three times. */
const signal = ["-R", "19", "-F", "json", "-y", Array.from({ length: 3 }, () => "{36}5a80d7f2d").join("/")];
const program = execFileSync("sh", ["-c", "command -v rtl_433"]).toString().trim();

test("a thermometer is found and read by rtl_433 as a program, which is run again when it ends, and by a broker", async () => {
  const broker = await Mosquitto.start(folder.path);
  const stranger = await BrokerClient.join(broker.url);
  const reports: Report[] = [];
  const found: FoundDevice[] = [];
  const complaints: string[] = [];
  const recorded = { stored: new Map(), announced: [], reports, found, lost: [] };
  const settings = {
    receivers: [
      { name: "roof", source: { type: "program", path: program, arguments: signal } },
      { name: "shed", source: { type: "mqtt", url: broker.url, topic: "rtl_433/+/events" } },
    ],
  };
  const adapter = createAdapter(() => 0.5);
  await adapter.start(
    recordingHost(recorded, {
      settings,
      clock: systemClock,
      folder: folder.path,
      log: complaintsIn(complaints),
    }),
  );
  try {
    await adapter.pairing?.open(60_000);
    const line = execFileSync(program, signal, { stdio: ["ignore", "pipe", "ignore"] }).toString();
    const heard = await until("both receivers", async () => {
      await stranger.say("rtl_433/shed/events", line.trim());
      const natives = new Set(found.map(({ native }) => native));
      return natives.size === 2 && [...natives].toSorted();
    });
    assert.deepEqual(
      heard.map((native) => native.split("/")[0]),
      ["roof", "shed"],
    );
    assert.ok(
      complaints.some((text) => text.includes("it has ended (0)")),
      complaints.join(),
    );
    for (const native of heard) await adapter.pairing?.keep(native);
    for (const native of heard)
      await until(`${native} at 21.5 °C`, async () => {
        await stranger.say("rtl_433/shed/events", line.trim());
        const newest = reports.findLast((each) => each.native === native && "temperature" in each.attributes);
        return newest?.attributes["temperature"] === 21.5 && newest.attributes["humidity"] === 45;
      });
    await stranger.say("rtl_433/shed/events", "{no JSON");
  } finally {
    await adapter.stop();
    await stranger.leave();
    await broker.kill();
  }
});
