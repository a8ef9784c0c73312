import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { rowName, rows } from "@ledge/api";
import { socketConsole } from "@ledge/host/cli/client";
import { logFolder } from "@ledge/host/folder";
import { openHistoryIndex, type Overview, type Sample } from "@ledge/history";
import { openLmdbLog } from "@ledge/log";
import type { Device } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { historyFolder, type HistoryStatus } from "./history.ts";

const root = temporaryFolder();
const folder = join(root.path, "home");
let hub: HubProcess;
let key: string;

after(async () => {
  await hub?.stop();
  root.remove();
});

const row = rows.find((each) => rowName(each) === "GET /devices/history");
const result = Compile(row?.result ?? Type.Never());

type Found = Overview & { from: number; to: number; oldest: number; before: unknown };

/** @param reportsPerSecond of all devices; few enough that a busy machine indexes them as fast as they come */
const start = async (reportsPerSecond = 100): Promise<void> => {
  const profile = bareProfile(root.path, { adapters: { sim: { seed: 5, reportsPerSecond } } });
  hub = await HubProcess.start(folder, "--profile", profile);
  key = await hub.key();
};

const ask = (query: string): ReturnType<HubProcess["call"]> =>
  hub.call("GET", `/devices/history?${query}`, key);

/** The history of a device's attribute, asked again until no other question is under way. */
async function history(device: string, attribute: string, more = ""): Promise<Found> {
  return eventually("an answer", async () => {
    const { status, json } = await ask(`deviceId=${device}&attribute=${attribute}${more}`);
    if (status === 503 || status === 429) return undefined;
    assert.equal(status, 200, JSON.stringify(json));
    assert.ok(result.Check(json), `it is what the row says: ${JSON.stringify(json)}`);
    return json as Found;
  });
}

async function statusOf(): Promise<{ history: HistoryStatus; log: { events: number } }> {
  const { json } = await socketConsole(folder).call("GET", "/cc/1.14/console/status");
  return json as { history: HistoryStatus; log: { events: number } };
}

/** The time of the newest commit. A report that comes now may get a time of before, and be committed later. */
async function published(): Promise<number> {
  const { json } = await hub.call("GET", `/hub/poll?ts=${Date.now() - 1000}`, key);
  return (json as { timestamp: number }).timestamp;
}

/** Asks for history, so that the hub indexes the log; resolves when the index is ready. */
async function indexed(device: string): Promise<HistoryStatus> {
  return eventually("an index", async () => {
    await ask(`deviceId=${device}`);
    const { history: found } = await statusOf();
    return found.state === "ready" && !found.indexing ? found : undefined;
  });
}

/** The values of a device's attribute in the log. */
async function logged(device: string, attribute: string): Promise<Pick<Sample, "timestamp" | "value">[]> {
  const log = await openLmdbLog({ folder: logFolder(folder), readOnly: true });
  const found = [...log.readSealed()].flatMap(({ timestamp, events }) =>
    events.flatMap((event) => {
      if (event.type !== "DeviceReported" || event.id !== device || !("attributes" in event)) return [];
      const attributes = event.attributes as Record<string, unknown>;
      return attribute in attributes ? [{ timestamp, value: attributes[attribute] }] : [];
    }),
  );
  await log.close();
  return found;
}

async function thermometer(): Promise<string> {
  const { json } = await hub.call("GET", "/devices", key);
  const found = Object.values(json as Record<string, Device>).find(
    ({ state }) => typeof state["temperature"] === "number" && typeof state["humidity"] === "number",
  );
  return found?.id ?? assert.fail("there is no thermometer");
}

test("history over thousands of reports is the same from the log and from the index", async () => {
  await start(2000);
  await hub.homeAnnounced(key);
  await eventually("thousands of reports", async () =>
    (await statusOf()).log.events > 8000 ? true : undefined,
  );
  await hub.stop();
  await start();
  const device = await thermometer();
  const { timestamp: first } = await eventually("reports of the thermometer", async () => {
    const reports = await logged(device, "temperature");
    return reports.length > 20 ? reports[0] : undefined;
  });
  const to = await published();
  const span = `&from=${first}&to=${to}&points=5000`;
  assert.equal((await statusOf()).history.state, "behind", "nobody has asked, and it is not due");
  const before = await history(device, "temperature", span);
  const { mark, usedBytes, quotaBytes } = await indexed(device);
  assert.ok(mark >= to && usedBytes > 0 && quotaBytes === Math.floor((512 * 2 ** 20) / 5));
  const found = await history(device, "temperature", span);
  assert.deepEqual(found, before);
  const expected = (await logged(device, "temperature")).filter(({ timestamp }) => timestamp <= to);
  assert.ok(expected.length > 20);
  assert.deepEqual(found.form === "samples" && found.points, expected);
  const few = await history(device, "temperature", `&from=${first}&to=${to}&points=7`);
  assert.ok(few.form === "buckets" && few.points.length <= 7);
  assert.equal(
    few.points.reduce((sum, { count }) => sum + count, 0),
    expected.length,
  );
  const attributes = await eventually("the attributes", async () => {
    const { status, json } = await ask(`deviceId=${device}`);
    return status === 200 ? (json as { attributes: string[] }).attributes : undefined;
  });
  assert.ok(attributes.includes("humidity"));
});

test("history shows the newest report at once, before it is indexed", async () => {
  const { json } = await hub.call("GET", "/devices", key);
  const lamp =
    Object.values(json as Record<string, Device>).find(({ name }) => name === "Living room ceiling") ??
    assert.fail();
  const isOn = lamp.state["isOn"] === true;
  const type = isOn ? "CMD_DEVICE_OFF" : "CMD_DEVICE_ON";
  await hub.call("PUT", "/devices/command", key, [{ type, id: lamp.id }]);
  const last = await eventually("its report", async () => {
    const found = await history(lamp.id, "isOn", "&points=50");
    const point = found.form === "changes" ? found.points.at(-1) : undefined;
    return point?.value === !isOn ? point : undefined;
  });
  const reports = await logged(lamp.id, "isOn");
  assert.equal(last.from, reports.at(-1)?.timestamp);
});

test("a killed hub continues with its index, and builds a damaged one anew", async () => {
  const device = await thermometer();
  const to = await published();
  const span = `&from=${to - 5000}&to=${to}&points=5000`;
  const before = await history(device, "temperature", span);
  await hub.kill();
  await start();
  assert.deepEqual(await history(device, "temperature", span), before);
  await indexed(device);
  assert.deepEqual(await history(device, "temperature", span), before);
  await hub.stop();
  const data = join(historyFolder(folder), "data.mdb");
  const bytes = readFileSync(data);
  for (let place = 8192; place < bytes.length; place += 512)
    bytes.writeUInt8(bytes.readUInt8(place) ^ 0xff, place);
  writeFileSync(data, bytes);
  await start();
  assert.deepEqual(
    await history(device, "temperature", span),
    before,
    "it is not believed before it was read",
  );
  await indexed(device);
  assert.deepEqual(await history(device, "temperature", span), before);
  const index = openHistoryIndex(historyFolder(folder));
  assert.equal(index.verify(), undefined);
  await index.close();
});

test("refuses questions that it cannot answer", async () => {
  const device = await thermometer();
  const refused: [string, number, RegExp][] = [
    ["", 422, /deviceId/],
    ["deviceId=nobody", 404, /no device nobody/],
    [`deviceId=${device}&attribute=nothing`, 404, /nothing is known of nothing/],
    [`deviceId=${device}&attribute=temperature&from=2&to=1`, 422, /from is behind to/],
    [`deviceId=${device}&attribute=temperature&points=0`, 422, /points/],
    [`deviceId=${device}&attribute=temperature&points=5001`, 422, /points/],
    [`deviceId=${device}&attribute=temperature&from=-1`, 422, /from/],
    [`deviceId=${device}&attribute=temperature&from=x`, 422, /from/],
    [`deviceId=${device}&attribute=temperature&from=0&to=1`, 404, /the log goes back to/],
    [`deviceId=${device}&attribute=temperature&from=${Date.now() + 3_600_000}`, 422, /from.*lies ahead/],
  ];
  for (const [query, status, problem] of refused) {
    const answer = await eventually("an answer", async () => {
      const found = await ask(query);
      return found.status === 429 || found.status === 503 ? undefined : found;
    });
    assert.equal(answer.status, status, `${query}: ${JSON.stringify(answer.json)}`);
    assert.match(JSON.stringify(answer.json), problem);
  }
  const { json } = await ask(`deviceId=${device}&attribute=temperature&from=0&to=1`);
  assert.equal((json as { code: string }).code, "HISTORY_PRUNED");
  const { json: ahead } = await ask(`deviceId=${device}&attribute=reachable&to=${Number.MAX_SAFE_INTEGER}`);
  const { from, points } = ahead as { from: number; points: { ms: number }[] };
  assert.ok(from < Date.now(), "the last day there was");
  assert.ok(points.every(({ ms }) => ms >= 0 && ms < 86_400_000));
});

test("`ledge history` draws it, and `ledge status` and `ledge doctor` show the index's progress", async () => {
  const device = await thermometer();
  const attributes = await ledge("history", device, "--data", folder);
  assert.match(attributes.stdout, /^humidity$/m);
  const drawn = await ledge(
    "history",
    device,
    "temperature",
    "--points",
    "5",
    "--from",
    "1h",
    "--data",
    folder,
  );
  assert.equal(drawn.code, 0, drawn.stderr);
  assert.match(drawn.stdout, /^from +average +least +most\n/m);
  assert.match(drawn.stdout, /#/);
  const json = await ledge("history", device, "temperature", "--points", "5", "--json", "--data", folder);
  assert.equal((JSON.parse(json.stdout) as Found).form, "buckets");
  assert.match((await ledge("status", "--data", folder)).stdout, /^index +up to 20.* of 107.4 MB/m);
  assert.match((await ledge("doctor", "--data", folder)).stdout, /^ok +history index +ready, up to/m);
  for (const args of [[], ["a", "b", "c"], [device, "--points", "0"], [device, "--from", "soon"]])
    assert.equal((await ledge("history", ...args, "--data", folder)).code, 2, args.join(" "));
});

test("metrics show how far the index is behind", async () => {
  const response = await fetch(`${hub.address}/metrics`, { headers: { authorization: key } });
  const text = await response.text();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  assert.equal(figure("ledge_history_ready"), 1);
  assert.ok(figure("ledge_history_bytes") > 0);
  assert.ok(Math.abs(figure("ledge_history_mark_seconds") - Date.now() / 1000) < 600);
  assert.ok(figure("ledge_history_lag_seconds") >= 0);
});

test("a backup leaves out the index, and a factory reset deletes it", async () => {
  const device = await thermometer();
  await indexed(device);
  const backup = join(root.path, "home.backup");
  const made = await ledge("backup", backup, "--without-secrets", "--data", folder);
  assert.equal(made.code, 0, made.stderr);
  const restored = join(root.path, "restored");
  const back = await ledge("restore", backup, "--data", restored);
  assert.equal(back.code, 0, back.stderr);
  assert.ok(existsSync(logFolder(restored)) && !existsSync(historyFolder(restored)));
  await hub.stop();
  const reset = await ledge("factory-reset", "--yes", "--data", folder);
  assert.equal(reset.code, 0, reset.stderr);
  assert.ok(!existsSync(historyFolder(folder)));
});
