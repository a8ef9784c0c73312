import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { test, type TestContext } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { Answer, DecodedPacket, Packet } from "dns-packet";
import { decode, encode } from "dns-packet";
import { createLogger } from "@ledge/host/logger";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import type { Announcement } from "./records.ts";
import { hashOf, hostNameOf } from "./records.ts";
import { type Browsing, Responder } from "./responder.ts";

const loopback = "127.0.0.1";
const group = "224.0.0.251";
const groupOfSix = "ff02::fb";
const query: Packet = { type: "query", questions: [{ name: "_ledge._tcp.local", type: "PTR" }] };

/** Another program on the network that receives all mDNS traffic. */
async function neighbour(t: TestContext): Promise<{ socket: Socket; heard: DecodedPacket[] }> {
  const socket = createSocket({ type: "udp4", reuseAddr: true }).bind(5353);
  t.after(() => socket.close());
  await once(socket, "listening");
  socket.addMembership(group, loopback);
  socket.setMulticastInterface(loopback);
  const heard: DecodedPacket[] = [];
  socket.on("message", (bytes: Buffer) => {
    const packet = decode(bytes);
    if (packet.type === "response") heard.push(packet);
  });
  return { socket, heard };
}

/** Like `neighbour`, over IPv6 on an interface with IPv6 multicast; undefined when this machine has none. */
async function neighbourBySix(
  t: TestContext,
): Promise<{ socket: Socket; heard: DecodedPacket[]; name: string; address: string } | undefined> {
  for (const [name, addresses = []] of Object.entries(networkInterfaces())) {
    const address = addresses.find(({ family }) => family === "IPv6")?.address;
    if (address === undefined) continue;
    const socket = createSocket({ type: "udp6", reuseAddr: true, ipv6Only: true }).bind(5353);
    t.after(() => socket.close());
    await once(socket, "listening");
    const heard: DecodedPacket[] = [];
    socket.on("message", (bytes: Buffer) => {
      const packet = decode(bytes);
      if (packet.type === "response") heard.push(packet);
    });
    socket.addMembership(groupOfSix, `::%${name}`);
    socket.setMulticastInterface(`::%${name}`);
    const sent = await new Promise((resolve) =>
      socket.send(encode({ type: "query" }), 5353, groupOfSix, resolve),
    );
    if (sent === null) return { socket, heard, name, address };
  }
  t.diagnostic("no interface of this machine carries multicast of IPv6");
  return undefined;
}

/** The received records that concern one hub. */
function about(heard: readonly DecodedPacket[], hubId: string): Answer[][] {
  const short = hashOf(hubId).slice(0, 6);
  return heard
    .map(({ answers = [], additionals = [] }) => [...answers, ...additionals])
    .filter((records) => records.some(({ name }) => name.includes(short)));
}

/** The TTL of a record (s). */
const ttlOf = (record: Answer | undefined): unknown => (record as { ttl?: number } | undefined)?.ttl;

const until = (what: string, holds: () => boolean): Promise<true> =>
  eventually(what, async () => (holds() ? true : undefined));

interface Rig {
  readonly hubId: string;
  readonly clock: SimulatedClock;
  readonly responder: Responder;
  readonly rename: (name: string) => void;
}

function rig(t: TestContext, host: string = loopback, browsing?: Browsing): Rig {
  const hubId = randomUUID();
  const clock = new SimulatedClock();
  let name = "Cabin";
  const announcement = (): Announcement => ({ hubId, name, port: 8893, facts: {} });
  const logger = createLogger("warn");
  const responder = new Responder({ announcement, host, clock, logger, ...(browsing && { browsing }) });
  t.after(() => responder.stop());
  const rename = (next: string): void => {
    name = next;
    responder.announce();
  };
  return { hubId, clock, responder, rename };
}

test("announces the hub twice, then its new name, and says goodbye at the end", async (t) => {
  const { heard } = await neighbour(t);
  const { hubId, clock, responder, rename } = rig(t);
  const said = (): Answer[][] => about(heard, hubId);
  await until("the announcement", () => said().length === 1);
  assert.equal(
    said()[0]
      ?.map(({ type }) => type)
      .join(" "),
    "PTR PTR SRV TXT A",
  );
  clock.advance(limits.mdnsRepeatMs);
  await until("its repetition", () => said().length === 2);
  rename("Villa");
  await until("the new name", () => said().length === 3);
  const renamed = said()[2] ?? [];
  const ttlNow = (name: string): unknown => ttlOf(renamed.find((record) => record.name.startsWith(name)));
  assert.deepEqual([ttlNow("Villa"), ttlNow("Cabin")], [120, 0]);
  await responder.stop();
  await until("the goodbye", () => said().length === 4);
  assert.ok(said()[3]?.every((record) => ttlOf(record) === 0));
});

test("answers an mDNS client by multicast and a plain DNS client directly", async (t) => {
  const { socket, heard } = await neighbour(t);
  const { hubId } = rig(t);
  const said = (): Answer[][] => about(heard, hubId);
  await until("the announcement", () => said().length === 1);
  socket.send(encode(query), 5353, group);
  await until("the answer", () => said().length === 2);

  const legacy = createSocket("udp4").bind(0);
  t.after(() => legacy.close());
  await once(legacy, "listening");
  legacy.setMulticastInterface(loopback);
  const answers: DecodedPacket[] = [];
  legacy.on("message", (bytes: Buffer) => answers.push(decode(bytes)));
  legacy.send(encode({ ...query, id: 4711 }), 5353, group);
  await until("an answer to it alone", () => about(answers, hubId).length === 1);
  const answer = answers.find((packet) => about([packet], hubId).length === 1);
  assert.deepEqual([answer?.id, answer?.questions?.[0]?.name], [4711, "_ledge._tcp.local"]);
  assert.ok(about(answers, hubId)[0]?.every((record) => Number(ttlOf(record)) <= 10));
  assert.equal(said().length, 2);
});

test("announces, answers and says goodbye over IPv6 as over IPv4", async (t) => {
  const found = await neighbourBySix(t);
  if (found === undefined) return;
  const { socket, heard, name, address } = found;
  const { hubId, responder } = rig(t, address);
  const said = (): Answer[][] => about(heard, hubId);
  await until("the announcement", () => said().length === 1);
  const aaaa = said()[0]?.find(({ type }) => type === "AAAA") as { name: string; data: string } | undefined;
  assert.deepEqual([aaaa?.name, aaaa?.data], [hostNameOf(hubId), address]);
  socket.send(
    encode({ type: "query", questions: [{ name: hostNameOf(hubId), type: "AAAA" }] }),
    5353,
    groupOfSix,
  );
  await until("the answer", () => said().some((records) => records.length === 1));

  const legacy = createSocket({ type: "udp6", ipv6Only: true }).bind(0);
  t.after(() => legacy.close());
  await once(legacy, "listening");
  legacy.setMulticastInterface(`::%${name}`);
  const answers: DecodedPacket[] = [];
  legacy.on("message", (bytes: Buffer) => answers.push(decode(bytes)));
  legacy.send(encode({ ...query, id: 4711 }), 5353, groupOfSix);
  await until("an answer to it alone", () => about(answers, hubId).length === 1);
  const before = said().length;
  await responder.stop();
  await until("the goodbye", () => said().length > before);
  assert.ok(
    said()
      .at(-1)
      ?.every((record) => ttlOf(record) === 0),
  );
});

test("a client on IPv4 finds a hub that is served over IPv6 only, at the address it announces", async (t) => {
  const { socket, heard } = await neighbour(t);
  const hasSix = Object.values(networkInterfaces()).some((own) =>
    own?.some(({ address }) => address === "::1"),
  );
  if (!hasSix) return t.diagnostic("this machine has no IPv6");
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const profile = bareProfile(folder.path, { mdns: true });
  const hub = await HubProcess.start(folder.path, "--profile", profile, "--host", "::1");
  t.after(() => hub.kill());
  const { hubId } = (await (await fetch(`${hub.address}/hub`)).json()) as { hubId: string };
  socket.send(encode(query), 5353, group);
  await until("the hub", () => about(heard, hubId).length > 0);
  const records = about(heard, hubId)[0] ?? [];
  const told = records.filter(({ type }) => type === "A" || type === "AAAA") as { data: string }[];
  assert.deepEqual(
    told.map(({ data }) => data),
    ["::1"],
  );
  const srv = records.find(({ type }) => type === "SRV") as { data: { port: number } };
  assert.equal((await fetch(`http://[${told[0]?.data}]:${srv.data.port}/healthz`)).status, 200);
});

test("ignores packets that are no DNS, and limits its answers to a flood of questions", async (t) => {
  const { socket, heard } = await neighbour(t);
  const { hubId, clock } = rig(t);
  const said = (): Answer[][] => about(heard, hubId);
  await until("the announcement", () => said().length === 1);
  // A name that points at itself, one question too few, and a hundred packets of random bytes.
  const loop = Buffer.from("000000000001000000000000c00c000c0001", "hex");
  const short = Buffer.from("0000000000ff000000000000", "hex");
  const junk = Array.from({ length: 100 }, (_, n) => randomBytes(n));
  const mute = createSocket("udp4").bind(0);
  t.after(() => mute.close());
  await once(mute, "listening");
  for (const bytes of [loop, short, ...junk]) mute.send(bytes, 5353, loopback);
  // A packet cannot reach the hub's socket alone, so the flood goes to all listeners.
  const most = limits.mdnsAnswersPerSecond;
  for (let n = 0; n < most * 3; n++) socket.send(encode(query), 5353, group);
  await until("answers", () => said().length === 1 + most);
  clock.advance(1000);
  const repeated = said().length;
  socket.send(encode(query), 5353, group);
  await until("an answer in the next second", () => said().length > repeated);
});

test("drops a packet with too many nested names before it costs the hub time", async (t) => {
  const { socket, heard } = await neighbour(t);
  const { hubId } = rig(t);
  const said = (): Answer[][] => about(heard, hubId);
  await until("the announcement", () => said().length === 1);
  const one = encode({ type: "query", questions: [{ name: "_ledge._tcp.local", type: "PTR" }] });
  // Each further question is a pointer to the name of the first.
  const again = Buffer.from("c00c000c0001", "hex");
  const bomb = Buffer.concat([one, ...Array.from({ length: limits.mdnsRecordsPerSecond }, () => again)]);
  bomb.writeUInt16BE(limits.mdnsRecordsPerSecond + 1, 4);
  assert.equal(decode(bomb).questions?.length, limits.mdnsRecordsPerSecond + 1);
  socket.send(bomb, 5353, group);
  const small: Packet = { type: "query", questions: [{ name: hostNameOf(hubId), type: "A" }] };
  socket.send(encode(small), 5353, group);
  await until("the answer to the small one", () => said().some((records) => records.length === 1));
  assert.equal(said().length, 2);
});

/** Whether a process listens on the port of mDNS. */
function listens(pid: number): boolean {
  const port = (5353).toString(16).toUpperCase();
  const lines = readFileSync("/proc/net/udp", "utf8").split("\n");
  const inodes = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local]) => local?.endsWith(`:${port}`));
  const links = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        return "";
      }
    }),
  );
  return inodes.some((fields) => links.has(`socket:[${fields[9]}]`));
}

test("a hub is found by name and trusted by its fingerprint; --no-mdns keeps it silent", async (t) => {
  const { socket, heard } = await neighbour(t);
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const profile = bareProfile(folder.path, { mdns: true });
  const hub = await HubProcess.start(folder.path, "--profile", profile);
  t.after(() => hub.kill());
  const { hubId } = (await (await fetch(`${hub.address}/hub`)).json()) as { hubId: string };
  socket.send(encode(query), 5353, group);
  await until("the hub", () => about(heard, hubId).length > 0);
  const records = about(heard, hubId)[0] ?? [];
  const srv = records.find(({ type }) => type === "SRV") as { data: { port: number; target: string } };
  assert.deepEqual([srv.data.port, srv.data.target], [Number(new URL(hub.address).port), hostNameOf(hubId)]);
  const { stdout } = await ledge("status", "--json", "--data", folder.path);
  const { https } = JSON.parse(stdout) as { https: { address: string; fingerprint: string } };
  const txt = records.find(({ type }) => type === "TXT") as { data: Buffer[] };
  const facts = Object.fromEntries(txt.data.map((fact) => fact.toString().split("=")) as [string, string][]);
  assert.deepEqual(Object.keys(facts), ["name", "id", "version", "https", "fingerprint"]);
  assert.deepEqual([facts["https"], facts["fingerprint"]], [new URL(https.address).port, https.fingerprint]);
  const byName = request(`${hub.address}/hub`, {
    headers: { host: `${srv.data.target}:${srv.data.port}` },
  }).end();
  const [answer] = (await once(byName, "response")) as [{ statusCode: number; resume(): void }];
  answer.resume();
  assert.equal(answer.statusCode, 200);
  assert.equal(listens(hub.child.pid ?? 0), true);
  assert.equal((await hub.stop()).code, 0);
  await until("the goodbye", () =>
    about(heard, hubId).some((said) => said.every((record) => ttlOf(record) === 0)),
  );
  const quiet = await HubProcess.start(folder.path, "--profile", profile, "--no-mdns");
  t.after(() => quiet.kill());
  assert.equal(listens(quiet.child.pid ?? 0), false);
});

test("asks for services while they are wanted, and hears the answers", async (t) => {
  const type = "_slzb-06._tcp.local";
  const { socket } = await neighbour(t);
  const asked: string[][] = [];
  socket.on("message", (bytes: Buffer) => {
    const { type: kind, questions = [] } = decode(bytes);
    const names = questions.map(({ name }) => name);
    if (kind === "query" && names.includes(type)) asked.push(names);
  });
  let wanted: readonly string[] = [type];
  const heard: Answer[] = [];
  const { clock } = rig(t, loopback, { wanted: () => wanted, heard: (records) => heard.push(...records) });
  await until("a question", () => asked.length === 1);
  clock.advance(limits.mdnsAskMs);
  await until("another one", () => asked.length === 2);
  wanted = [];
  clock.advance(limits.mdnsAskMs);
  const pointer: Answer = { type: "PTR", name: type, ttl: 120, data: `Stick.${type}` };
  socket.send(encode({ type: "response", answers: [pointer] }), 5353, group);
  await until("the answer", () => heard.some(({ name }) => name === type));
  assert.equal(asked.length, 2);
});
