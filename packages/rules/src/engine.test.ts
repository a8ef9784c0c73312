import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyDecider, LoggedEvent } from "@ledge/model";
import { aggregates } from "@ledge/model";
import { addLamp, given, openTestKernel } from "@ledge/testkit";
import { Catalogue } from "./catalogue/catalogue.ts";
import { out } from "./machine/chart.ts";
import { rulesOf } from "./catalogue/config.ts";
import { RuleEngine } from "./engine.ts";
import { devices } from "./catalogue/field.ts";
import { template } from "./catalogue/template.ts";
import { catalogue } from "./templates/index.ts";

const words = { name: "", summary: "", description: "", fields: {} };
const texts = { en: words, fi: words, sv: words, de: words };

test("a raise effect raises an alarm and sends a message on behalf of the rule", async () => {
  const bell = template({
    configType: "BELL",
    version: 1,
    priority: 1,
    class: "RULE",
    icon: "bell",
    inputs: { lamps: devices(["ON_OFF"], 1, 8) },
    outputs: {},
    extras: {},
    late: { late: "fire" },
    chart: {
      context: {},
      initial: "on",
      states: {
        on: { on: { "in.lamps": { actions: [out(() => [{ do: "raise", alarm: "RULE_STOPPED" }])] } } },
      },
    },
    texts,
  });
  const hub = openTestKernel({ reactions: new RuleEngine(new Catalogue([bell])).reactions });
  await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  const lamp = await hub.accept(addLamp());
  const config = {
    type: "CONFIG",
    name: "Bell",
    configType: "BELL",
    inputs: { lamps: [lamp] },
    outputs: {},
    extras: {},
  };
  const rule = await hub.accept({ type: "SET_RULE", config });
  await hub.accept({ type: "RULE_ON_COMMAND", id: rule });
  await hub.accept({ type: "REPORT_DEVICE", id: lamp, attributes: { isOn: true }, at: hub.clock.now() });
  const last = [...hub.kernel.log.read()].at(-1)?.events ?? [];
  assert.deepEqual(
    last.slice(0, 3).map(({ type, origin }) => [type, origin]),
    [
      ["DeviceReported", "system"],
      ["AlarmRaised", `rule:${rule}`],
      ["MessageQueued", `rule:${rule}`],
    ],
  );
  const message = last[2] as LoggedEvent & { channels: string[]; text: object; sourceId: string };
  assert.deepEqual([message.channels, message.sourceId], [["journal"], rule]);
  assert.deepEqual(message.text, { id: "alarm.RULE_STOPPED", parameters: { name: "Bell", rule: "Bell" } });
});

test("refuses a CONFIG that does not fit its template", () => {
  const rules = rulesOf(catalogue) as AnyDecider;
  const over = aggregates.map((aggregate) => (aggregate.kind === "rule" ? rules : aggregate));
  const lamp = {
    type: "DeviceAdded",
    id: "lamp",
    name: "Lamp",
    class: "LIGHT",
    capabilities: ["DEVICE", "ON_OFF"],
    manufacturer: null,
    model: null,
    extras: {},
  };
  const motion = {
    ...lamp,
    id: "motion",
    name: "Motion",
    class: "MOTION",
    capabilities: ["DEVICE", "MOTION"],
  };
  const config = {
    type: "CONFIG",
    name: "Light",
    configType: "MOTION_LIGHT",
    inputs: { motion: ["motion"], lux: [] },
    outputs: { lights: ["lamp"] },
    extras: {},
  };
  const refused: readonly (readonly [object, string])[] = [
    [{ configType: "NOTHING" }, "configType"],
    [{ configType: "SCENE_SCHEDULER" }, "configType"],
    [{ inputs: { motion: ["motion"] } }, "inputs.lux"],
    [{ inputs: { motion: [], lux: [] } }, "inputs.motion"],
    [{ inputs: { motion: ["motion", "motion"], lux: [] } }, "inputs.motion"],
    [{ inputs: { motion: ["lamp"], lux: [] } }, "inputs.motion.0"],
    [{ inputs: { motion: ["nobody"], lux: [] } }, "inputs.motion.0"],
    [{ outputs: { lights: Array.from({ length: 33 }, (_, index) => `lamp${index}`) } }, "outputs.lights"],
    [{ extras: { timeout: [{ type: "TIME_DELTA_MS", value: -1 }] } }, "extras.timeout.0"],
    [{ extras: { timeout: [{ type: "TIME_DELTA_MS", value: 3_600_001 }] } }, "extras.timeout.0"],
    [{ extras: { timeout: [{ type: "TIME_DELTA_MS", value: 0.5 }] } }, "extras.timeout.0"],
    [{ extras: { timeout: [{ type: "NUMBER", value: 5 }] } }, "extras.timeout.0"],
    [{ extras: { timeout: [{ type: "TIME_DELTA_MS" }] } }, "extras.timeout.0"],
    [
      {
        extras: {
          level: [
            { type: "PERCENT", value: 1 },
            { type: "PERCENT", value: 1 },
          ],
        },
      },
      "extras.level",
    ],
    [{ extras: { activeTimes: [{ type: "TIME_RANGE", value: 1 }] } }, "extras.activeTimes.0"],
  ];
  for (const [change, field] of refused) {
    given([lamp, motion], over)
      .when({ type: "SET_RULE", config: { ...config, ...change } })
      .then({ rejected: "invalid", field });
  }
  const extras = {
    timeout: [{ type: "TIME_DELTA_MS", value: 3_600_000 }],
    level: [{ type: "FUTURE_LEVEL", deep: { value: 7 } }],
    unheardOf: [{ type: "FUTURE", value: 1 }],
  };
  const created = given([lamp, motion], over).when({ type: "SET_RULE", config: { ...config, extras } });
  created.then([
    {
      type: "RuleCreated",
      id: "new-1",
      config: { ...config, id: "new-1", extras },
      scenes: [],
      timers: [],
    },
  ]);
});
