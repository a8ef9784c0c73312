import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { RuleTemplate } from "@ledge/model";
import { openRuleHome, type RuleHome } from "@ledge/testkit/templates";
import { configOf, type Draft, draftOf, flawsOf, newDraft, saidAt } from "./draft.ts";
import { type Field, fieldsOf, type Members, pathOf, takes } from "./fields.ts";
import { editorOf, emptyEntry, type Entry } from "./values.ts";

describe("the form of a rule, for every template that the hub serves,", () => {
  let home: RuleHome;
  let templates: readonly RuleTemplate[];
  let members: Members;
  before(async () => {
    home = await openRuleHome();
    templates = home.templates("en");
    members = { device: (id) => home.devices.get(id), members: () => undefined };
  });

  test("has each of its fields once, in its order, and an editor for each value", () => {
    assert.equal(templates.length, 40);
    for (const template of templates) {
      const { configType, inputs, outputs, extras } = template;
      const fields = fieldsOf(template);
      const names = [inputs, outputs, extras].flatMap((part) => Object.keys(part));
      assert.deepEqual(fields.map(({ name }) => name).toSorted(), names.toSorted(), configType);
      const free = fields.filter((field) => field.part !== "extras" || field.about === null);
      const orders = free.map(({ part, name }) => template[part][name]?.displayOrder ?? 0);
      assert.deepEqual(
        orders,
        orders.toSorted((a, b) => a - b),
        configType,
      );
      for (const field of fields) if (field.part === "extras") assert.notEqual(editorOf(field.type), "json");
    }
  });

  test("puts what is about devices behind them", () => {
    const fields = fieldsOf(templateOf("NUMBER_LIMIT")).map(({ name }) => name);
    assert.equal(fields[0], "watched");
    assert.equal(fields[1], "attribute");
    assert.equal(fields[fields.indexOf("targets") + 1], "invert");
  });

  const templateOf = (configType: string): RuleTemplate => {
    const found = templates.find((template) => template.configType === configType);
    assert.ok(found, configType);
    return found;
  };

  /** Fills in what a new rule of a template lacks, as a person would. */
  const filled = (template: RuleTemplate): Draft => {
    const draft = newDraft(template);
    const [devices, values] = [{ ...draft.devices }, { ...draft.values }];
    const used = new Set<string>();
    for (const field of fieldsOf(template)) {
      const path = pathOf(field);
      if (field.part === "extras") {
        // Some templates want one of several scenes, or as many of one field as of another.
        const isWanted =
          ["SCENE", "setpoints"].some((each) => each === field.type || each === field.name) ||
          flawsOf(template, { ...draft, values }, members).has(path);
        if (isWanted) values[path] = [wanted(field)];
        continue;
      }
      const fitting = [...home.devices.keys()].filter((id) => takes(field, id, members) && !used.has(id));
      devices[path] = fitting.slice(0, Math.max(1, field.min));
      for (const id of devices[path]) used.add(id);
    }
    return { ...draft, devices, values };
  };

  const attributes: Readonly<Record<string, string>> = {
    NUMBER_LIMIT: "temperature",
    TRUTH_FOR: "isOn",
    TEXT_ONE_OF: "mode",
  };
  const wanted = (field: Extract<Field, { part: "extras" }>): Entry => {
    const words = { SCENE: home.scene, TIME_OF_DAY: "06:45", STRING: "word", ATTRIBUTE: attribute };
    const known = Object.entries(words).find(([type]) => type === field.type);
    if (known !== undefined) return { kind: "text", text: known[1] };
    return editorOf(field.type) === "range" ? emptyEntry(field) : { kind: "text", text: "20" };
  };
  let attribute = "";

  test("makes a CONFIG that the hub takes, and shows the same when it is opened again", async () => {
    for (const template of templates) {
      const { configType } = template;
      attribute = attributes[configType] ?? "";
      const draft = filled(template);
      assert.deepEqual([...flawsOf(template, draft, members)], [], configType);
      const config = configOf(template, draft);
      assert.deepEqual(await home.save(config), undefined, configType);
      const again = draftOf(template, { ...config, id: "r1" });
      assert.deepEqual(configOf(template, again), { ...config, id: "r1" }, configType);
    }
  });

  test("says of each field that the hub wants filled in that it is missing", async () => {
    for (const template of templates) {
      const empty: Draft = { ...newDraft(template), values: {} };
      const flaws = [...flawsOf(template, empty, members).keys()];
      const least = fieldsOf(template).filter(({ min }) => min > 0);
      assert.deepEqual(flaws, least.map(pathOf), template.configType);
      const refused = await home.save(configOf(template, empty));
      if (flaws.length > 0) assert.ok(flaws.includes(refused?.field ?? ""), `${refused?.field}`);
    }
  });

  test("keeps what the template does not have, and values that it does not know", () => {
    const template = templateOf("MOTION_LIGHT");
    const future = { type: "FUTURE", value: { deep: [1] } };
    const config = {
      ...configOf(template, newDraft(template)),
      id: "r1",
      extras: { timeout: [future], later: [future] },
    };
    const kept = configOf(template, draftOf(template, config));
    assert.deepEqual(kept.extras["timeout"], [future]);
    assert.deepEqual(kept.extras["later"], [future]);
  });

  test("counts the members of groups, and wants no more than a field takes", () => {
    const template = templateOf("BIND_ON_OFF");
    const lamps = [...home.devices].filter(([, { capabilities }]) => capabilities.values.includes("ON_OFF"));
    const ids = lamps.map(([id]) => id);
    assert.equal(ids.length, 2);
    const grouped: Members = { ...members, members: (id) => (id === "both" ? ids : undefined) };
    const draft = newDraft(template);
    const choose = (source: readonly string[]): Draft => ({
      ...draft,
      devices: { "inputs.source": source, "outputs.targets": ids },
    });
    assert.deepEqual(
      [...flawsOf(template, choose(["both"]), grouped)],
      [["inputs.source", { kind: "many", limit: 1 }]],
    );
    assert.deepEqual([...flawsOf(template, choose(ids.slice(0, 1)), grouped)], []);
    assert.deepEqual(
      [...flawsOf(template, { ...choose(ids.slice(0, 1)), name: " " }, grouped)],
      [["name", { kind: "missing" }]],
    );
  });
});

test("finds the field in the form that the hub names", () => {
  const errors = [
    { field: "rules.0.extras.timeout.0", message: "timeout: value is at least 0" },
    { field: "rules.0", message: "too long" },
    { field: "onConfiguration.scenes", message: "no scene" },
  ];
  assert.deepEqual(
    [...saidAt(errors)],
    [
      ["extras.timeout.0", "timeout: value is at least 0"],
      ["", "too long"],
      ["onConfiguration.scenes", "no scene"],
    ],
  );
});
