import assert from "node:assert/strict";
import test from "node:test";
import type { DeviceAction } from "./action.ts";
import { settingActions } from "./configuration.ts";
import { framesFor, identifyFrames } from "./frames.ts";
import type { SentFrame } from "./test-herdsman.ts";
import { herdsmanDevice } from "./test-herdsman.ts";
import { models } from "./test-models.ts";
import { factsToRead, unitsOf } from "./units.ts";

interface AnyEndpoint {
  command(cluster: string, name: string, payload: object): Promise<unknown>;
  write(cluster: string, values: object): Promise<unknown>;
  read(cluster: string, attributes: readonly string[]): Promise<unknown>;
  configureReporting(cluster: string, items: readonly object[]): Promise<unknown>;
}

const wanted = [
  { isOn: true },
  { isOn: true, brightness: 0.5, hue: 1, saturation: 0.5, position: 0.5, transitionMsec: 1000 },
  { isOn: false, brightness: 0.5, temperature: 3000 },
  { targetTemperature: 21, mode: 2, locked: true, fanMode: 2, sirenOn: true, tiltPct: 10 },
  { locked: false, sirenOn: false },
];

/** Returns every action that the map can produce for a model. */
function actionsOf(node: (typeof models)[keyof typeof models]): readonly DeviceAction[] {
  return [
    ...factsToRead(node),
    ...unitsOf(node).flatMap((unit) => [
      ...unit.setup.reads,
      ...identifyFrames(unit),
      ...wanted.flatMap((each) => framesFor(unit, each, {})),
      ...settingActions(unit, { startUpOnOff: 1, pirOToUDelay: 60, localTemperatureCalibration: 1 }),
    ]),
  ];
}

async function send(endpoint: AnyEndpoint, action: DeviceAction): Promise<void> {
  assert.ok(action.kind !== "convert");
  if (action.kind === "command") await endpoint.command(action.cluster, action.name, action.payload);
  else if (action.kind === "write") await endpoint.write(action.cluster, action.values);
  else await endpoint.read(action.cluster, action.attributes);
}

for (const [name, node] of Object.entries(models)) {
  test(`zigbee-herdsman knows and encodes every cluster, command and attribute of ${name}`, async () => {
    const { device, sent } = herdsmanDevice(node);
    const at = (id: number): AnyEndpoint => device.getEndpoint(id) as unknown as AnyEndpoint;
    for (const action of actionsOf(node)) {
      assert.ok(action.kind !== "convert");
      const before = sent.length;
      await send(at(action.endpoint), action);
      assert.equal(sent.length, before + 1);
      assert.equal(
        asked(sent[before]),
        action.kind === "read" ? action.attributes.length : undefined,
        JSON.stringify(action),
      );
    }
    for (const { setup } of unitsOf(node)) {
      for (const { endpoint, cluster, attribute, minSeconds, maxSeconds, change } of setup.reporting) {
        const item = {
          attribute,
          minimumReportInterval: minSeconds,
          maximumReportInterval: maxSeconds,
          reportableChange: change,
        };
        await at(endpoint).configureReporting(cluster, [item]);
      }
    }
  });
}

/** Returns the number of attributes that a read requests; the library drops those that it does not know. */
function asked(frame: SentFrame | undefined): number | undefined {
  return frame?.kind === "read" ? (frame.payload as readonly unknown[]).length : undefined;
}
