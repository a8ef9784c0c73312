import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { attributesShown } from "./promised.ts";
import { coverageOf } from "./test-coverage.ts";
import { definedDevices } from "./test-definitions.ts";
import { exposesTable, withExposes } from "./test-page.ts";

const devices = [...definedDevices()].map((device) => ({ name: device.name, ...coverageOf(device) }));

test("shows and sets at least 99.5 % of what all definitions expose", (t) => {
  const all = devices.flatMap(({ name, becomings }) => becomings.map((each) => ({ name, ...each })));
  const lost = all.filter(({ unshown, untold }) => unshown.length + untold.length > 0);
  const covered = 1 - lost.length / all.length;
  t.diagnostic(
    `${devices.length} definitions, ${all.length} exposes, ${(covered * 100).toFixed(2)} % covered`,
  );
  for (const { name, leaf, as, unshown, untold } of lost)
    t.diagnostic(
      `${name}: ${[leaf.property, ...leaf.path].join(".")} ${JSON.stringify({ as, unshown, untold })}`,
    );
  assert.ok(devices.length > 4000);
  assert.ok(covered >= 0.995, `${lost.length} of ${all.length} are lost`);
});

test("gives every attribute of a device to one property", () => {
  const doubled = devices.flatMap(({ name, units }) =>
    units.flatMap(({ native, known }) => {
      const owners = new Map<string, string>();
      return (known?.own ?? []).flatMap(({ attributes, property }) =>
        attributes.flatMap((attribute) => {
          const owner = owners.get(attribute) ?? property;
          owners.set(attribute, owner);
          return owner === property ? [] : [`${name} ${native} ${attribute}: ${owner}, ${property}`];
        }),
      );
    }),
  );
  assert.deepEqual(doubled, []);
});

test("gives every setting and extra of a device a name of its own, within the limits", () => {
  for (const { name, units } of devices) {
    assert.equal(new Set(units.map(({ native }) => native)).size, units.length, name);
    for (const { known } of units) {
      const settings = (known?.settings ?? []).map(({ item }) => item.name);
      const extras = (known?.extras ?? []).map(({ described }) => described);
      assert.equal(new Set(settings).size, settings.length, name);
      assert.equal(new Set(extras.map((each) => each.name)).size, extras.length, name);
      assert.ok(settings.length <= limits.configurationItems, name);
      assert.ok(extras.length <= limits.stateExtras, name);
      assert.ok(JSON.stringify(extras).length <= limits.stateExtrasChars, name);
    }
  }
});

test("lets a device report every attribute that its properties have", () => {
  const withheld = new Set<string>();
  for (const { units } of devices)
    for (const { known, capabilities } of units) {
      const shown = attributesShown(capabilities);
      for (const { attributes } of known?.own ?? [])
        for (const attribute of attributes) if (!shown.has(attribute)) withheld.add(attribute);
    }
  // Only commands have it.
  withheld.delete("stop");
  assert.deepEqual([...withheld], []);
});

test("docs/zigbee-devices.md says what each expose becomes", () => {
  const page = readFileSync(new URL("../../../../../docs/zigbee-devices.md", import.meta.url), "utf8");
  assert.ok(page === withExposes(page, exposesTable(devices)), "to write it: npm run -s zigbee:page");
});
