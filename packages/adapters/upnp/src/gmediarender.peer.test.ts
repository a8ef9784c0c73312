// Against the renderer of Debian, over a network of its own: it needs an interface with multicast.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { addresses, type Call, twoNetworks } from "@ledge/testkit/network";

const folder = temporaryFolder();
const udn = "11111111-2222-3333-4444-555555555555";
const port = 49_494;
let networks: Awaited<ReturnType<typeof twoNetworks>>;
let renderer: ReturnType<typeof networks.run>;
let hub: Call;
let native: string;

const begin = (): void => {
  const sink = ["--gstout-audiopipe", "fakesink sync=true"];
  const flags = ["-I", "cable", "-p", String(port), "-u", udn, "-f", "Den", ...sink];
  renderer = networks.run("building", "gmediarender", ...flags);
};

before(async () => {
  networks = await twoNetworks();
  begin();
  hub = networks.start("hub", new URL("./testdata/hub.child.ts", import.meta.url));
  await hub("start");
});
after(async () => {
  await hub("stop");
  await networks.dispose();
  folder.remove();
});

test("a search finds a renderer of another make, with what it can do", async () => {
  const description = (await hub("find")) as { native: string; capabilities: string[] };
  ({ native } = description);
  assert.partialDeepStrictEqual(description, {
    native: `uuid:${udn}`,
    class: "MEDIA_RENDERER",
    name: "Den",
    model: "gmediarender",
  });
  for (const each of ["PLAY", "SEEK", "VOLUME", "MUTE"]) assert.ok(description.capabilities.includes(each));
  assert.ok(!description.capabilities.includes("BASS"));
  await hub("shows", native, { reachable: true, isOn: false, rcData: { volume: 100, mute: false } });
});

test("it refuses to play nothing, then plays, pauses, seeks and stops a file, quieter", async () => {
  await assert.rejects(hub("set", native, { isOn: true }), /Playing failed/);
  const track = join(folder.path, "tone.wav");
  writeFileSync(track, silence(60));
  const item =
    '<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/"><item id="1" parentID="0" restricted="1"><dc:title>Rain &amp;amp; wind</dc:title></item></DIDL-Lite>';
  const control = `http://${addresses.building}:${port}/upnp/control/rendertransport1`;
  const escaped = item.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  assert.equal(await hub("give", control, `file://${track}`, escaped), 200);
  await hub("set", native, { isOn: true, rcData: { volume: 40, mute: true } });
  await hub("shows", native, {
    isOn: true,
    rcData: { volume: 40, mute: true },
    avtData: {
      state: "PLAYING",
      currentTrackDuration: "0:01:00",
      currentTrackMetadata: { title: "Rain & wind" },
      numberOfTracks: 1,
    },
  });
  assert.partialDeepStrictEqual(await hub("queue", native), {
    currentTrack: 1,
    tracks: [{ title: "Rain & wind", durationMs: 60_000 }],
  });
  await hub("set", native, { avtData: { action: "SEEK", position: "0:00:30" } });
  await hub("set", native, { avtData: { action: "PAUSE" } });
  await hub("shows", native, { isOn: false, avtData: { state: "PAUSED_PLAYBACK" } });
  await hub("set", native, { isOn: false });
  await hub("shows", native, { avtData: { state: "STOPPED" } });
  await assert.rejects(hub("set", native, { avtData: { action: "NEXT" } }), /Failed/);
});

test("a killed renderer is unreachable until it is back", async () => {
  renderer.kill("SIGKILL");
  await hub("shows", native, { reachable: false, isOn: false });
  begin();
  await hub("shows", native, { reachable: true });
});

/** Returns a WAV file of one channel with 8000 samples a second. */
function silence(seconds: number): Buffer {
  const bytes = seconds * 16_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}
