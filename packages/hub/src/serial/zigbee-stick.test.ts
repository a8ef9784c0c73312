import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveStick, SimulatedAir, Stick, type ServedStick } from "@ledge/testkit/zigbee";
import { bareProfile, eventually, temporaryFolder, TestHome } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
let served: ServedStick<Stick>;
before(async () => {
  served = await serveStick(new Stick({ air: new SimulatedAir() }));
  bareProfile(folder.path, { adapters: { zigbee: {} } });
});
const home = new TestHome("--profile", `${folder.path}/bare.json`);
after(async () => {
  await served.close();
  folder.remove();
});

function connected(is: boolean): Promise<true> {
  return eventually(is ? "a network" : "no network", async () => {
    const { status, json } = await home.call("GET", "/hub/zigbeestatus");
    return status === 200 && (json as { connected: boolean }).connected === is ? true : undefined;
  });
}

test("a chosen stick is used at once and after a restart, and released when it is given up", async () => {
  await connected(false);
  assert.equal(served.stick.network, null);
  const choice = { port: served.path, protocol: "zigbee", driver: "zstack" };
  const taken = await home.call("POST", "/hub/stick", choice);
  assert.equal(taken.status, 200, JSON.stringify(taken.json));
  await connected(true);
  const { network } = served.stick;
  await home.hub.kill();
  await home.start();
  await connected(true);
  assert.deepEqual(served.stick.network, network);
  assert.equal((await home.call("DELETE", "/hub/stick?protocol=zigbee")).status, 200);
  await connected(false);
});
