import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { toHex, withCrcs, fromHex } from "@ledge/mbus";
import type { DeviceDescription, FoundDevice, Report } from "@ledge/port";
import { systemClock } from "@ledge/port";
import { complaintsIn, recordingHost } from "@ledge/port/testing";
import { until } from "@ledge/testkit";
import { MbusBus, serveStick } from "@ledge/testkit/mbus";
import { createAdapter } from "./index.ts";
import { frameIn } from "./receiver.ts";

// The gas meter of an example of the OMS specification, encrypted in mode 5, and a water meter that is not.
const gas =
  "2E449315785634123303 3363 7A2A0020255923C95AAA26D1B2E7493B C2AD 013EC4A6F6D3529B520EDFF0EA6DEFC9 55B2 9D6D69EBF3 EC8A".replaceAll(
    " ",
    "",
  );
const key = "0102030405060708090A0B0C0D0E0F11";
const water = (litres: number): string =>
  toHex(
    withCrcs(fromHex(`00 44 2D 2C 01 00 00 20 1B 16 78 01 13 ${litres.toString(16).padStart(2, "0")}`), "B"),
    "",
  );

interface World {
  readonly announced: DeviceDescription[];
  readonly reports: Report[];
  readonly found: FoundDevice[];
  readonly complaints: string[];
  /** All that was logged. */
  readonly logged: string[];
  readonly adapter: ReturnType<typeof createAdapter>;
}

function started(t: TestContext, source: object, more: object = {}): Promise<World> {
  const meters = [{ id: "gas", name: "Gas", serial: "12345678", key }];
  return startedWith(t, { receivers: [{ name: "roof", source, reportEveryMs: 0, meters, ...more }] });
}

async function startedWith(t: TestContext, settings: object): Promise<World> {
  const told = { announced: [] as DeviceDescription[], reports: [] as Report[], found: [] as FoundDevice[] };
  const complaints: string[] = [];
  const logged: string[] = [];
  const complain = complaintsIn(complaints);
  const log: typeof complain = (level, message, fields) => {
    logged.push(message);
    complain(level, message, fields);
  };
  const adapter = createAdapter(() => 0);
  t.after(() => adapter.stop());
  const recorded = { ...told, stored: new Map<string, unknown>(), lost: [] };
  const rest = { settings, clock: systemClock, folder: "", log };
  await adapter.start(recordingHost(recorded, rest));
  return { ...told, complaints, logged, adapter };
}

test("follows a file in which a receiver writes frames, also when it is begun anew", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-receiver-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "frames");
  const { reports, announced, complaints } = await started(t, { type: "file", path });
  await until(() => complaints.length > 0);
  assert.match(complaints[0] ?? "", /receiver lost .*ENOENT/);
  writeFileSync(
    path,
    `# receiver 1.0\nT1;1;1;2026-01-15 10:00:00;90;78;12345678;0x${gas}\n${gas.slice(0, 20)}`,
  );
  await until(() => reports.length > 0);
  assert.deepEqual(reports[0]?.attributes, { reachable: true, volume: 28_504_270, "extras.error_flags": 0 });
  assert.deepEqual([announced[0]?.native, announced[0]?.manufacturer], ["roof/gas", "ELS"]);
  appendFileSync(path, `${gas.slice(20)}\nno frame\n${gas.replace("C2AD", "0000")}\n`);
  await until(() => reports.length > 1);
  truncateSync(path);
  writeFileSync(path, `${gas}\n`);
  await until(() => reports.length > 2);
});

test("takes no frame that stood in the file before, nor the end of one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-receiver-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "frames");
  const meters = [{ id: "water", name: "Water", serial: "20000001" }];
  writeFileSync(path, `${water(3)}\n0x`);
  const { reports, logged } = await started(t, { type: "file", path }, { meters });
  await until(() => logged.includes("receiver open"));
  appendFileSync(path, `${water(4)}\n${water(5)}\n`);
  await until(() => reports.length > 0);
  assert.deepEqual(reports, [{ native: "roof/water", attributes: { reachable: true, volume: 5 } }]);
});

/** A receiver's program at a TCP port. */
async function serve(t: TestContext, port = 0): Promise<{ port: number; server: Server; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, server, sockets };
}

test("reads a receiver over TCP, and loses and finds it again", async (t) => {
  const { port, sockets } = await serve(t);
  const { reports } = await started(t, { type: "tcp", host: "127.0.0.1", port });
  await until(() => sockets.length === 1);
  sockets[0]?.write(`${gas}\n`);
  await until(() => reports.at(-1)?.attributes["reachable"] === true);
  sockets[0]?.destroy();
  await until(() => reports.at(-1)?.attributes["reachable"] === false);
  await until(() => sockets.length === 2);
  sockets[1]?.write(`${gas}\n`);
  await until(() => reports.at(-1)?.attributes["reachable"] === true);
});

test("says once that a key is wrong or missing, and reports a meter that falls silent as unreachable", async (t) => {
  const { port, sockets } = await serve(t);
  const meters = [
    { id: "gas", name: "Gas", serial: "12345678", key: "00".repeat(16) },
    { id: "water", name: "Water", serial: "20000001" },
  ];
  const { reports, complaints } = await started(
    t,
    { type: "tcp", host: "127.0.0.1", port },
    { meters, silentAfterMs: 1000 },
  );
  await until(() => sockets.length === 1);
  sockets[0]?.write(`${gas}\n${gas}\n${water(5)}\n`);
  await until(() => reports.length > 0);
  assert.deepEqual(reports, [{ native: "roof/water", attributes: { reachable: true, volume: 5 } }]);
  assert.equal(complaints.length, 1);
  assert.match(complaints[0] ?? "", /the key does not decrypt the payload of meter ELS 12345678/);
  await until(() => reports.at(-1)?.attributes["reachable"] === false);
});

test("finds a meter that is heard while a window is open, keeps it, and cannot ask it", async (t) => {
  const { port, sockets } = await serve(t);
  const { adapter, found, reports } = await started(t, { type: "tcp", host: "127.0.0.1", port });
  await until(() => sockets.length === 1);
  await adapter.pairing?.open(60_000);
  sockets[0]?.write(`${water(7)}\n${gas}\n`);
  await until(() => found.length > 0);
  const native = "roof/20000001.KAM.27.22";
  assert.deepEqual(
    [found.map((each) => each.native), found[0]?.description?.name],
    [[native], "Cold water 20000001"],
  );
  await adapter.pairing?.keep(native);
  sockets[0]?.write(`${water(8)}\n`);
  await until(() => reports.some((report) => report.native === native && report.attributes["volume"] === 8));
  const refused = adapter.send(native, { type: "refresh" }, new AbortController().signal);
  await assert.rejects(refused, /cannot be asked/);
});

test("a search of a bus goes on after a meter that it finds and cannot read", async (t) => {
  const who = { id: "10000009", manufacturer: "KAM", version: 8, medium: 4, telegrams: ["01 13 01"] };
  // The meter answers to one serial, and says another.
  const served = await serveStick(new MbusBus([{ address: 0, ...who, lies: "identity" }]));
  t.after(() => served.close());
  const transport = { type: "tcp", host: "127.0.0.1", port: served.port, baudRate: 38_400 };
  const { adapter, complaints } = await startedWith(t, {
    ports: [{ name: "bus", transport, latencyMs: 100, meters: [] }],
  });
  await adapter.pairing?.open(60_000);
  await until(() => complaints.length > 0);
  assert.match(complaints[0] ?? "", /^cannot read a meter .*"id":"99999999"/);
});

test("takes a frame from the last field of a line", () => {
  assert.deepEqual(frameIn("T1;1;0xABCD"), Uint8Array.of(0xab, 0xcd));
  assert.deepEqual(frameIn(" ab cd\r"), Uint8Array.of(0xab, 0xcd));
  assert.equal(frameIn("# a remark; 0x00"), undefined);
  assert.equal(frameIn("  "), undefined);
  assert.throws(() => frameIn("zz"), /hexadecimal/);
});
