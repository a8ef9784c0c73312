import assert from "node:assert/strict";
import { test } from "node:test";
import { features, isRejection, type Why } from "@ledge/model";
import { installing } from "../custom/installing.ts";
import { stairsSource } from "../custom/test-sources.ts";
import { lengthHash, TestHouse } from "../testdata/house.ts";
import { asked, TestRecord } from "./test-recorded.ts";

const minute = 60_000;

interface Hall {
  readonly house: TestHouse;
  readonly lamp: string;
  readonly motion: string;
  readonly lux: string;
  readonly rule: string;
  readonly ask: (attribute?: string) => Why;
}

async function hall(): Promise<Hall> {
  const house = await TestHouse.open({ at: "2026-01-15T20:00:00+02:00" });
  const lamp = await house.lamp("Hall lamp");
  const motion = await house.addDevice("Motion Hall", "MOTION", ["MOTION"], { motion: false });
  const lux = await house.addDevice("Lux Hall", "MULTI_SENSOR", ["LUX"], { lux: 10 });
  const rule = await house.addRule("Hall light", "MOTION_LIGHT", {
    inputs: { motion: [motion], lux: [lux] },
    outputs: { lights: [lamp] },
  });
  const ask = (attribute = "isOn"): Why =>
    asked(new TestRecord(house).at(house.kernel.timestamp), { id: lamp, attribute });
  return { house, lamp, motion, lux, rule, ask };
}

test("why a lamp went on: a rule commanded it, because somebody moved", async () => {
  const { house, motion, rule, ask } = await hall();
  await house.report(motion, { motion: true });
  const { links, end, value } = ask();
  assert.deepEqual([value, end], [true, "root"]);
  assert.deepEqual(
    links.map(({ type, text }) => [type, text]),
    [
      ["DeviceReported", "Hall lamp went on"],
      ["CommandIssued", "The rule Hall light told Hall lamp: on"],
      [
        "RuleStepped",
        "The rule Hall light acted, as: Motion Hall: motion, Lux Hall: light 10 lx, Brightness limit 50 lx",
      ],
      ["DeviceReported", "Motion Hall saw motion"],
    ],
  );
  assert.equal(links[1]?.outcome?.outcome, "confirmed");
  const { step } = links[2] ?? {};
  assert.deepEqual([step?.rule, step?.before, step?.after], [rule, "dark", "moving"]);
  assert.deepEqual(
    step?.guards?.map(({ from, to, held }) => [from, to, held]),
    [["dark", "moving", true]],
  );
  await house.close();
});

test("why a lamp went off: the time without motion was over, which began when motion ended", async () => {
  const { house, motion, ask } = await hall();
  await house.report(motion, { motion: true });
  await house.report(motion, { motion: false });
  await house.clock.pass(3 * minute);
  const { links, end } = ask();
  assert.equal(end, "root");
  assert.deepEqual(
    links.map(({ text }) => text),
    [
      "Hall lamp went off",
      "The rule Hall light told Hall lamp: off",
      "The rule Hall light acted",
      "The rule Hall light: the time was over (Time without motion)",
      "The rule Hall light began to wait: Time without motion 2 min",
      "Motion Hall saw no more motion",
    ],
  );
  await house.close();
});

test("a chain begins with the person who gave the command", async () => {
  const { house, lamp, ask } = await hall();
  await house.use(lamp, { isOn: true });
  assert.deepEqual(
    ask().links.map(({ text, origin }) => [text, origin]),
    [
      ["Hall lamp went on", "user"],
      ["A user told Hall lamp: on", "user"],
    ],
  );
  await house.close();
});

test("why lists commands that the device has not carried out", async () => {
  const { house, lamp, ask } = await hall();
  await house.use(lamp, { isOn: true });
  house.dead.add(lamp);
  await house.use(lamp, { isOn: false });
  house.lost.add(lamp);
  await house.use(lamp, { isOn: false });
  const { value, links, attempts } = ask();
  assert.deepEqual([value, links[0]?.text], [true, "Hall lamp went on"]);
  assert.deepEqual(
    attempts.map(({ text, outcome }) => [text, outcome?.outcome]),
    [
      ["A user told Hall lamp: off", "pending"],
      ["A user told Hall lamp: off", "failed"],
    ],
  );
  assert.deepEqual(ask("reachable").attempts, []);
  house.lost.clear();
  house.dead.clear();
  await house.use(lamp, { isOn: false });
  assert.deepEqual(ask().attempts, []);
  await house.close();
});

test("why a lamp went on that was used by hand", async () => {
  const { house, lamp, ask } = await hall();
  await house.report(lamp, { isOn: true });
  const { links, end } = ask();
  assert.equal(end, "root");
  assert.deepEqual(
    links.map(({ text }) => text),
    ["Hall lamp went on: nobody told it to, it was used by hand or did so by itself"],
  );
  await house.close();
});

test("why a device has its name, whatever it has reported since", async () => {
  const { house, lamp, ask } = await hall();
  await house.submit({ type: "CMD_DEVICE_META", id: lamp, name: "Ceiling" }, "user:person");
  await house.use(lamp, { isOn: true });
  const { links, value } = ask("name");
  assert.deepEqual([value, links.map(({ text }) => text)], ["Ceiling", ["A user named it Ceiling"]]);
  await house.close();
});

test("why says when events are gone from the log", async () => {
  const { house, lamp, motion } = await hall();
  await house.report(motion, { motion: true });
  const record = new TestRecord(house).at(house.kernel.timestamp, house.kernel.timestamp);
  const { links } = asked(record, { id: lamp, attribute: "isOn" });
  assert.deepEqual(links[2]?.step?.guards, null);
  assert.equal(links[2]?.text, "The rule Hall light acted");
  await house.close();
});

test("why and why not explain a custom rule like any other", async () => {
  const house = await TestHouse.open();
  await house.accept({ type: "SET_FEATURES", id: house.hubId, features: [features.CUSTOM_RULES] });
  const command = installing(stairsSource, lengthHash);
  assert.ok(!isRejection(command));
  await house.accept({ ...command });
  const motion = await house.addDevice("Motion", "MOTION", ["MOTION"], { motion: false });
  const lux = await house.addDevice("Lux", "MULTI_SENSOR", ["LUX"], { lux: 80 });
  const lamp = await house.lamp("Lamp");
  const rule = await house.addRule("Stairs", "CUSTOM_STAIRS", {
    inputs: { motion: [motion], lux: [lux] },
    outputs: { lights: [lamp] },
  });
  await house.report(motion, { motion: true });
  const { not } = asked(new TestRecord(house).at(house.kernel.timestamp), { id: rule, not: true });
  const [guard] = (not[0]?.obstacles ?? []).flatMap((obstacle) => obstacle.guard ?? []);
  const deciding = guard?.readings.filter(({ decides }) => decides) ?? [];
  assert.deepEqual([guard?.to, deciding.map(({ device }) => device?.name)], ["lit", ["Lux"]]);
  await house.report(motion, { motion: false });
  await house.report(lux, { lux: 5 });
  await house.report(motion, { motion: true });
  const { links } = asked(new TestRecord(house).at(house.kernel.timestamp), { id: lamp });
  assert.deepEqual(
    links.map(({ type }) => type),
    ["DeviceReported", "CommandIssued", "RuleStepped", "DeviceReported"],
  );
  const { step } = links[2] ?? {};
  assert.deepEqual([step?.rule, step?.before, step?.after], [rule, "dark", "lit.bright"]);
  assert.equal(step?.guards?.[0]?.held, true);
  await house.close();
});
