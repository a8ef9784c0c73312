import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DriveClass, Feature } from "@ledge/model";
import { capabilities, languages, limits, readingOf, RuleTemplate } from "@ledge/model";
import { Compile } from "typebox/compile";
import { describeTemplate } from "./descriptor.ts";
import type { ValueField } from "./field.ts";
import type { Template } from "./template.ts";
import { catalogue } from "../templates/index.ts";
import { valueProblem } from "./value.ts";

/** By `configType`. In the same class the rule with the higher priority decides first. */
const ranks: Readonly<Record<string, readonly [priority: number, of: DriveClass, feature?: Feature]>> = {
  MOTION_LIGHT: [100, "RULE"],
  NIGHT_LIGHT: [60, "RULE"],
  TWILIGHT_LIGHT: [90, "RULE"],
  SUN_SCHEDULE: [80, "RULE"],
  REMOTE_CONTROL: [85, "MANUAL"],
  DOUBLE_TAP_SCENE: [40, "MANUAL"],
  BIND_ON_OFF: [40, "RULE"],
  AUTO_OFF: [70, "MANUAL"],
  ALL_OFF: [75, "MANUAL"],
  SUNRISE_WAKEUP: [45, "RULE"],
  AWAY_SIMULATION: [55, "RULE"],
  VACATION_MODE: [55, "RULE"],
  PRESENCE_ARRIVE_LEAVE: [65, "RULE"],
  THERMOSTAT_SCHEDULE: [95, "RULE"],
  ON_OFF_THERMOSTAT: [90, "RULE"],
  HEATING_CURVE: [50, "RULE"],
  WINDOW_OPEN_PAUSE: [88, "RULE"],
  HUMIDITY_FAN: [85, "RULE"],
  AIR_QUALITY_VENT: [80, "RULE"],
  LEAK_ALERT_VALVE: [120, "SAFETY"],
  SMOKE_CO_ALARM: [130, "SAFETY"],
  FREEZE_TEMP_LIMIT: [100, "RULE"],
  DOOR_LEFT_OPEN: [95, "RULE"],
  INTRUSION_ALARM: [115, "MANUAL"],
  CAMERA_SNAPSHOT: [50, "RULE", "VIDEO_SERVICE"],
  DOOR_CHIME: [60, "RULE"],
  LOCK_AUTO_LOCK: [90, "MANUAL"],
  BATTERY_LOW: [30, "RULE"],
  DEVICE_OFFLINE: [35, "RULE"],
  POWER_OVERLOAD: [110, "SAFETY"],
  SPOT_CHEAPEST: [85, "RULE", "SPOT_PRICES"],
  SPOT_LIMIT: [70, "RULE", "SPOT_PRICES"],
  EV_CHARGE: [60, "RULE"],
  IRRIGATION: [45, "RULE"],
  APPLIANCE_DONE: [40, "RULE"],
  INACTIVITY_CARE: [50, "RULE"],
  EMERGENCY_BUTTON: [125, "SAFETY"],
  NUMBER_LIMIT: [72, "RULE"],
  TRUTH_FOR: [71, "RULE"],
  TEXT_ONE_OF: [70, "RULE"],
  SCENE_SCHEDULER: [80, "SCENE"],
};

const shape = Compile(RuleTemplate);
const wordsChars = 24;
const nowhere = { get: () => undefined };

function fieldNames({ inputs, outputs, extras }: Template): readonly string[] {
  return [...Object.keys(inputs), ...Object.keys(outputs), ...Object.keys(extras)];
}

/** Returns the default values of a field, as a client would give them. */
function standards({ fieldType, standard, max }: ValueField): readonly { type: string; value?: unknown }[] {
  if (standard === null) return [];
  const values = fieldType === "SCENE" || max > 1 ? (standard as readonly unknown[]) : [standard];
  const isWhole = fieldType === "TIME_RANGE";
  return values.map((value) => (isWhole ? (value as { type: string }) : { type: fieldType, value }));
}

test("the catalogue has every template once", () => {
  const types = catalogue.templates.map(({ configType }) => configType);
  assert.deepEqual(types.toSorted(), Object.keys(ranks).toSorted());
});

for (const template of catalogue.templates) {
  const { configType, inputs, outputs, extras, texts } = template;
  describe(configType, () => {
    test("has its type, its rank and its feature", () => {
      assert.match(configType, /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/);
      assert.match(template.icon, /^[a-z]+(?:-[a-z]+)*$/);
      const { priority, class: of, feature } = template;
      assert.deepEqual([priority, of, ...(feature === undefined ? [] : [feature])], ranks[configType]);
    });

    test("has unique field names that a rule accepts", () => {
      const names = fieldNames(template);
      assert.deepEqual(names, [...new Set(names)]);
      assert.ok(names.length <= limits.ruleFields);
      for (const name of names) assert.match(name, /^[a-z][A-Za-z0-9]*$/);
      const { each } = template;
      assert.ok(each === undefined || each in { ...inputs, ...outputs }, "each is a field of devices");
    });

    test("asks for known capabilities, and only for inputs that have readings", () => {
      for (const [name, { capabilities: asked, min, max }] of Object.entries({ ...inputs, ...outputs })) {
        assert.ok(asked.length > 0 && min >= 0 && max >= min && max >= 1, name);
        assert.ok(max <= limits.ruleFieldValues, name);
        for (const capability of asked)
          assert.ok(capabilities.includes(capability), `${name}: ${capability}`);
      }
      for (const [name, { capabilities: asked }] of Object.entries(inputs)) {
        for (const capability of asked) assert.ok(readingOf(capability), `${name}: ${capability}`);
      }
    });

    test("has valid defaults and limits", () => {
      for (const [name, field] of Object.entries(extras)) {
        const { fieldType, min, max, minValue, maxValue, options, standard, for: about } = field;
        assert.ok(min >= 0 && max >= min && max >= 1 && max <= limits.ruleFieldValues, name);
        const given = standards(field);
        assert.ok(given.length <= max, name);
        for (const value of given) assert.equal(valueProblem(value, field, nowhere), undefined, name);
        assert.ok(about === undefined || about in { ...inputs, ...outputs }, `${name} belongs to a field`);
        if (fieldType === "OPTION") assert.equal(options?.[0], standard, name);
        if (minValue === null || maxValue === null || fieldType === "WEEKDAYS") continue;
        for (const value of [minValue, maxValue])
          assert.equal(
            valueProblem({ type: fieldType, value }, field, nowhere),
            undefined,
            `${name}: ${value}`,
          );
        for (const value of [minValue - 1, maxValue + 1])
          assert.ok(valueProblem({ type: fieldType, value }, field, nowhere), `${name}: ${value}`);
      }
    });

    test("describes exactly its fields in every language", () => {
      const names = fieldNames(template).toSorted();
      assert.deepEqual(Object.keys(texts).toSorted(), [...languages].toSorted());
      for (const language of languages) {
        const { name, summary, description, fields } = texts[language];
        assert.deepEqual(Object.keys(fields).toSorted(), names, language);
        for (const text of [name, summary, description, ...Object.values(fields).flat()]) {
          assert.ok(text.trim() === text && text.length > 0, `${language}: "${text}"`);
        }
        assert.ok(description.endsWith("."), `${language}: sentences`);
        for (const text of [name, summary, ...Object.values(fields).flat()])
          assert.ok(!text.endsWith("."), `${language}: ${text}`);
        for (const [field, [label, help]] of Object.entries(fields)) {
          assert.ok(label !== field && help !== field && help !== label, `${language}: ${field}`);
        }
      }
    });

    test("has different texts in every language", () => {
      const all = languages.map((language) => texts[language]);
      const differ = (said: readonly string[]): void => {
        // In some languages a word or two may be the same.
        const least = said.every(({ length }) => length <= wordsChars) ? 2 : languages.length;
        assert.ok(new Set(said).size >= least, said.join(" | "));
      };
      for (const part of ["name", "summary", "description"] as const) differ(all.map((text) => text[part]));
      for (const field of fieldNames(template)) {
        for (const part of [0, 1] as const) differ(all.map(({ fields }) => fields[field]?.[part] ?? ""));
      }
    });

    test("appears to clients as a TEMPLATE with its fields in order", () => {
      for (const language of languages) {
        const shown = describeTemplate(template, language);
        assert.ok(shape.Check(shown), JSON.stringify(shape.Errors(shown)));
        const fields = { ...shown.inputs, ...shown.outputs, ...shown.extras };
        const orders = fieldNames(template).map((name) => fields[name]?.displayOrder);
        assert.deepEqual(
          orders,
          orders.map((_, index) => index + 1),
        );
      }
    });
  });
}
