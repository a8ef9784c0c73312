import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { devices } from "@ledge/testkit/zigbee";
import { propertiesOf } from "../map/index.ts";
import { KnownModel } from "../map/known-model.ts";
import { herdsmanDevice } from "../map/test-herdsman.ts";
import { nodeFacts } from "../map/test-node.ts";
import { unitsOf } from "../map/units.ts";
import type { Rig } from "../test-rig.ts";
import { codeOf, startRig } from "../test-rig.ts";
import { definitionOf } from "./definition.ts";
import { descriptionOf } from "./description.ts";
import { definitionFor, definitionLimits, readDefinitions } from "./folder.ts";

const description = {
  models: ["GenericSocket1"],
  manufacturer: "Nobody",
  vendor: "Acme",
  model: "Plug 7",
  exposes: [
    { type: "switch" },
    {
      type: "numeric",
      name: "resting_level",
      unit: "%",
      access: "both",
      cluster: "genOnOff",
      attribute: "onTime",
      scale: 0.1,
      min: 0,
      max: 100,
    },
    { type: "text", name: "label_text", cluster: "genBasic", attribute: "modelId" },
  ],
};

test("reads the definitions of a folder, and leaves out what it cannot use", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ledge-definitions-"));
  const complaints: string[] = [];
  const read = async () =>
    await readDefinitions(folder, (level, _, fields) =>
      complaints.push(`${level} ${JSON.stringify(fields)}`),
    );
  await writeFile(join(folder, "a.json"), JSON.stringify(description));
  await writeFile(join(folder, "b.js"), "module.exports = {}");
  await writeFile(join(folder, "c.json"), "{");
  await writeFile(join(folder, "d.json"), JSON.stringify({ ...description, fromZigbee: [] }));
  await writeFile(join(folder, "e.json"), " ".repeat(definitionLimits.bytes + 1));
  await mkdir(join(folder, "f.json"));
  const known = await read();
  assert.deepEqual(known, [description]);
  assert.equal(complaints.length, 5);
  for (const [index, reason] of [/without code/, /JSON/, /needs code/, /bytes/, /EISDIR/].entries())
    assert.match(complaints[index] ?? "", reason);
  const found = (modelID: string | undefined, manufacturerName: string) =>
    definitionFor(known, { modelID, manufacturerName });
  assert.ok(found("GenericSocket1", "Nobody"));
  assert.equal(found("GenericSocket1", "Somebody"), undefined);
  assert.equal(found("GenericSocket2", "Nobody"), undefined);
  assert.equal(found(undefined, "Nobody"), undefined);
  await rm(folder, { recursive: true });
  assert.deepEqual(await read(), []);
});

describe("a device with a definition of its own", () => {
  const ieee = "0x00158d0000000b01";
  const socket = devices.unknownSocket(ieee);
  let rig: Rig;

  before(async () => {
    rig = await startRig();
    await mkdir(join(rig.folder, "definitions"));
    await writeFile(join(rig.folder, "definitions", "plug.json"), JSON.stringify(description));
    await rig.restart();
    await rig.pair(socket);
  });
  after(() => rig.close());

  test("is what its definition says, on its standard clusters too", async () => {
    const described = rig.announced.findLast(({ native }) => native === ieee) ?? assert.fail();
    assert.equal(described.name, "Acme Plug 7");
    assert.ok(described.capabilities.includes("ON_OFF"));
    assert.ok(!described.capabilities.includes("MEASURE_POWER"));
    assert.ok(described.configuration?.items.some(({ name }) => name === "resting_level"));
    assert.deepEqual(
      described.stateExtras?.map(({ name }) => name),
      ["label_text"],
    );
    await rig.set(ieee, { isOn: true });
    assert.equal(await codeOf(rig.set(ieee, { brightness: 1 })), "unsupported");
  });

  test("shows an attribute that it names, and writes one in its scale", async () => {
    await rig.until("its text", () => rig.latest(ieee, "extras.label_text") === "GenericSocket1");
    const parameters = { resting_level: 12.5 };
    await rig.ask({ type: "SET_CONFIGURATION", native: ieee, parameters });
    const shown = rig.announced.findLast(({ native }) => native === ieee)?.configuration?.values;
    assert.equal(shown?.["resting_level"], 12.5);
    assert.equal(socket.onOff.get("onTime"), 125);
  });
});

test("reads and writes attributes of a maker's own cluster", async () => {
  const own = {
    models: ["ACME-1"],
    vendor: "Acme",
    model: "Air 1",
    clusters: {
      acmeAir: { id: 0xfc77, manufacturerCode: 0x1037, attributes: { dust: { id: 1, type: "uint16" } } },
    },
    exposes: [
      {
        type: "numeric",
        name: "pm25",
        unit: "µg/m³",
        cluster: "acmeAir",
        attribute: "dust",
        scale: 0.1,
        report: { minSeconds: 10, maxSeconds: 600, change: 5 },
      },
      {
        type: "enum",
        name: "fan",
        cluster: "acmeAir",
        attribute: "dust",
        access: "both",
        values: { low: 3 },
      },
    ],
  };
  const parsed = descriptionOf(own);
  assert.ok(!("problem" in parsed));
  const facts = nodeFacts([{ device: 0x0302, in: [0xfc77] }], { model: "ACME-1", manufacturer: "Acme" });
  const { device, coordinator, sent } = herdsmanDevice(facts);
  const model = await KnownModel.of(device, {
    log: () => undefined,
    said: () => undefined,
    changed: () => undefined,
    external: (_, library) => definitionOf(parsed, library),
  });
  assert.ok(model);
  await model.event("start");
  assert.equal(device.customClusters["acmeAir"]?.ID, 0xfc77);
  const [unit = assert.fail()] = unitsOf(facts, model.facts);
  const data = { dust: 123 };
  const message = {
    type: "attributeReport",
    cluster: "acmeAir",
    data,
    device,
    endpoint: device.endpoints[0],
  };
  const properties = model.read(message as unknown as Parameters<typeof model.read>[0]);
  assert.deepEqual(propertiesOf(unit, properties, {}), { pm25: 12.3 });
  await model.set({ kind: "convert", key: "fan", endpointName: null, value: "low" });
  await assert.rejects(
    model.set({ kind: "convert", key: "fan", endpointName: null, value: "high" }),
    /cannot be/,
  );
  await model.configure(coordinator);
  assert.deepEqual(
    sent.map(({ kind, cluster }) => [kind, cluster]),
    [
      ["write", "acmeAir"],
      ["zdo", ""],
      ["configReport", "acmeAir"],
      ["read", "acmeAir"],
      ["read", "acmeAir"],
    ],
  );
});
