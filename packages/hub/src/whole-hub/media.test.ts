import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { SimulatedRenderer } from "@ledge/testkit/upnp";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const sofa = new SimulatedRenderer({ udn: "uuid:sofa", loudest: 50 });
const hall = new SimulatedRenderer({ udn: "uuid:hall", name: "Hall", hasDirectory: true });
let hub: HubProcess;
let key: string;
let profile: string;

before(async () => {
  await sofa.listen();
  await hall.listen();
  const discovery = { address: "127.0.0.1", port: await hall.announce() };
  const renderers = [
    { id: "sofa", name: "Sofa", host: "127.0.0.1", port: sofa.port, path: "/description.xml" },
  ];
  const upnp = { discovery, renderers, pollEveryMs: 500 };
  profile = bareProfile(folder.path, { name: "media", localTargets: true, adapters: { upnp } });
  hub = await HubProcess.start(join(folder.path, "data"), "--profile", profile);
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  await sofa.close();
  await hall.close();
  folder.remove();
});

type Part = Readonly<Record<string, unknown>>;
const shows = (name: string, is: (state: Part, avt: Part, rc: Part) => boolean): Promise<Device> =>
  hub.device(name, key, ({ state }) =>
    is(state, { ...(state["avtData"] as Part) }, { ...(state["rcData"] as Part) }),
  );
const tell = async (name: string, state: object): Promise<void> => {
  const { id } = await hub.device(name, key);
  await hub.done("PUT", "/devices/command", key, [{ type: "CMD_DEVICE", id, state }]);
};
const ask = async (name: string, type: string, more: object = {}): Promise<unknown> => {
  const { id } = await hub.device(name, key);
  const { status, json } = await hub.call("PUT", "/devices/command", key, [{ type, id, ...more }]);
  assert.equal(status, 200, JSON.stringify(json));
  return json;
};

test("a renderer plays, pauses, changes track and volume, and shows what it does", async () => {
  await shows("Sofa", (_, { state }) => state === "STOPPED");
  await tell("Sofa", { isOn: true });
  await shows("Sofa", ({ isOn }, { state }) => isOn === true && state === "PLAYING");
  await tell("Sofa", { rcData: { volume: 40, mute: true } });
  const device = await shows("Sofa", (_, __, { volume, mute }) => volume === 40 && mute === true);
  assert.equal(sofa.volume, 20, "of 50");
  assert.ok(!device.capabilities.values.includes("BASS"), "a renderer without bass has none");
  await tell("Sofa", { avtData: { action: "NEXT" } });
  const next = await shows("Sofa", (_, { currentTrack }) => currentTrack === 2);
  assert.partialDeepStrictEqual(next.state["avtData"], {
    currentTrackMetadata: { title: "Noon & after", artist: "The Simulated", durationMs: 200_000 },
    numberOfTracks: 3,
  });
  await tell("Sofa", { avtData: { action: "SEEK", position: "0:01:30" } });
  await eventually("the position", async () => (sofa.position === "0:01:30" ? true : undefined));
  await tell("Sofa", { avtData: { action: "PAUSE" } });
  await shows("Sofa", ({ isOn }, { state }) => isOn === false && state === "PAUSED_PLAYBACK");
  // Somebody stops it at the device.
  sofa.state = "STOPPED";
  await shows("Sofa", (_, { state }) => state === "STOPPED");
});

test("a renderer without a content directory tells the present and the next track", async () => {
  sofa.track = 2;
  const queue = await ask("Sofa", "CMD_GET_QUEUE");
  assert.partialDeepStrictEqual(queue, {
    type: "MR_QUEUE",
    currentTrack: 2,
    tracks: [
      { number: 2, title: "Noon & after" },
      { number: 3, title: "Evening" },
    ],
  });
});

test("a search finds a renderer, and its queue and folders are asked", async () => {
  const scan = async (): Promise<readonly Part[]> =>
    ((await hub.call("GET", "/hub/scan", key)).json as { devices: Part[] }).devices;
  await scan();
  const { id } = await eventually("the renderer", async () =>
    (await scan()).find(({ pairingStatus }) => pairingStatus === "COMPLETE"),
  );
  await hub.call("PUT", "/hub/scan", key, { id, ignored: false });
  await hub.call("GET", "/hub/stopscan", key);
  await shows("Hall", ({ reachable }) => reachable === true);
  const queue = (await eventually("its adapter has it", async () => {
    const device = await hub.device("Hall", key);
    const answer = await hub.call("PUT", "/devices/command", key, [{ type: "CMD_GET_QUEUE", id: device.id }]);
    return answer.status === 200 ? answer.json : undefined;
  })) as { readonly tracks: readonly Part[] };
  assert.deepEqual(
    queue.tracks.map(({ number, title }) => [number, title]),
    [
      [1, "Morning"],
      [2, "Noon & after"],
      [3, "Evening"],
    ],
  );
  assert.partialDeepStrictEqual(await ask("Hall", "CMD_GET_CD"), {
    total: 1,
    items: [{ objectId: "music", isContainer: true, title: "Music" }],
  });
  assert.partialDeepStrictEqual(await ask("Hall", "CMD_GET_CD", { objectId: "music", start: 1, count: 1 }), {
    total: 3,
    items: [{ objectId: "music/2", isContainer: false, title: "Noon & after", album: "One Day" }],
  });
});

test("an unplugged renderer is unreachable until it is back, and a killed hub knows both", async () => {
  await sofa.unplug();
  await shows("Sofa", ({ reachable }) => reachable === false);
  await sofa.listen();
  await shows("Sofa", ({ reachable }) => reachable === true);
  await hub.kill();
  hub = await HubProcess.start(join(folder.path, "data"), "--profile", profile);
  sofa.state = "PLAYING";
  await shows("Sofa", ({ isOn }) => isOn === true);
  hall.volume = 33;
  await shows("Hall", (_, __, { volume }) => volume === 33);
});
