import assert from "node:assert/strict";
import { test } from "node:test";
import { isShown, type View, viewsIn, withoutView, withView } from "./views.ts";

const cold: View = { name: "Cold", filter: "therm", chip: undefined };
const flat: View = { name: "Flat", filter: "", chip: "battery" };

test("reads views, whatever another client has written", () => {
  for (const deviceViews of [undefined, null, "a", { 0: cold }, 3])
    assert.deepEqual(viewsIn({ deviceViews }), []);
  const strange = [
    null,
    1,
    "x",
    {},
    { name: "", filter: "" },
    { name: "No filter" },
    { name: 1, filter: "" },
  ];
  assert.deepEqual(viewsIn({ deviceViews: [...strange, cold, flat] }), [cold, flat]);
  assert.deepEqual(viewsIn({ deviceViews: [{ ...flat, chip: "toString", more: 1 }] }), [
    { ...flat, chip: undefined },
  ]);
  assert.deepEqual(viewsIn({ deviceViews: [cold, { ...flat, name: "Cold" }] }), [cold]);
});

test("keeps a view beside others and what other clients keep", () => {
  const values = withView({ theme: "x", favourites: ["a"] }, cold);
  assert.deepEqual(values, { theme: "x", favourites: ["a"], deviceViews: [cold] });
  assert.deepEqual(viewsIn(withView(values, flat)), [cold, flat]);
});

test("keeps a view in the place of one of its name", () => {
  const colder = { ...cold, filter: "freezer" };
  const values = withView(withView(withView({}, cold), flat), colder);
  assert.deepEqual(viewsIn(values), [colder, flat]);
});

test("takes a view away, and no other", () => {
  const values = withView(withView({ theme: "x" }, cold), flat);
  assert.deepEqual(withoutView(values, "Cold"), { theme: "x", deviceViews: [flat] });
  assert.deepEqual(withoutView(values, "Warm"), values);
});

test("is shown by filter and chip together", () => {
  assert.equal(isShown(flat, "", "battery"), true);
  assert.equal(isShown(flat, "", undefined), false);
  assert.equal(isShown(cold, "therm", "battery"), false);
});
