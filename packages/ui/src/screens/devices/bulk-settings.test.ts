import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CfgItem, ConfigurationObject } from "@ledge/model";
import { type Configurable, modelOf, sharedItems, takenBy } from "./bulk-settings.ts";

function device(model: string | null, more: Partial<Configurable> = {}): Configurable {
  return { manufacturer: "Ledge", model, capabilities: { values: ["CONFIGURABLE"] }, ...more };
}

describe("settings of many devices", () => {
  test("are those of one model that all of them are", () => {
    assert.equal(modelOf([device("Warm 2"), device("Warm 2")]), "Warm 2");
    assert.equal(modelOf([device("Warm 2"), device("Air T")]), undefined);
    assert.equal(modelOf([device("Warm 2"), device("Warm 2", { manufacturer: "Other" })]), undefined);
    assert.equal(modelOf([device("Warm 2"), device("Warm 2", { capabilities: { values: [] } })]), undefined);
    assert.equal(modelOf([device(null), device(null)]), undefined);
    assert.equal(modelOf([]), undefined);
  });

  test("leave out what is read alone and what is secret", () => {
    const item = (name: string, more: object): CfgItem => ({ name, readOnly: false, ...more }) as CfgItem;
    const all = [item("offset", {}), item("serial", { readOnly: true }), item("code", { secret: true })];
    const template = { type: "CFG_TEMPLATE", parameters: all } as const;
    assert.deepEqual(
      sharedItems({ template }).map(({ name }) => name),
      ["offset"],
    );
    assert.deepEqual(sharedItems({}), []);
  });

  const fates: readonly [of: Pick<ConfigurationObject, "status" | "message">, taken: object][] = [
    [{ status: "APPLIED", message: null }, { status: "taken" }],
    [{ status: "PENDING", message: null }, { status: "pending" }],
    [
      { status: "FAILED", message: "offset: too much" },
      { status: "refused", message: "too much" },
    ],
    [
      { status: "FAILED", message: "no answer" },
      { status: "refused", message: "no answer" },
    ],
    [{ status: "FAILED", message: null }, { status: "missed" }],
  ];
  for (const [of, taken] of fates) {
    test(`say of a device that is ${of.status}${of.message === null ? "" : ` (${of.message})`} ${JSON.stringify(taken)}`, () => {
      const whole = { ...of, requested: of.status === "APPLIED" ? null : { offset: 9 } };
      assert.deepEqual(takenBy(whole as unknown as ConfigurationObject, "offset"), taken);
    });
  }

  test("of a change of another setting say nothing", () => {
    const of = { status: "FAILED", message: "title: too long", requested: { title: "x" } };
    assert.deepEqual(takenBy(of as unknown as ConfigurationObject, "offset"), { status: "taken" });
  });
});
