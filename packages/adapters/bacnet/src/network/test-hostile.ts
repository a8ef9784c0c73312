import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { freePort, type Random } from "@ledge/testkit";
import { systemClock } from "@ledge/port";
import { type Rig, startRig } from "../testdata/rig.ts";
import { served } from "../testdata/served-home.ts";
import { Fault } from "./fault.ts";
import { Network } from "./network.ts";

/** APDUs that the server understands. */
const requests = [
  "00050b0c0c0200004d194b",
  "00050b0e0c0200004d1e09081f",
  "00050b0f0c0100000119553e91013f4908",
  "00050b0f0c0100000119553e003f4908",
  "00050b0509051c010000012900393c",
  "00050b0109051c0200004d2c00000001390a4e09552e44419c00002f4f",
  "1008",
  "1000c40200004d2205c491032203e7",
  "10073d0500486f7573",
  "1006a47c0b1b05b40c000000",
].map((hex) => Buffer.from(hex, "hex"));

/** APDUs that the client understands; the second octet of an answer is the number of its request. */
const answers = [
  "30010c0c0000000119553e44419c00003f",
  "30010e0c000000011e29554e44419c00004f29675e910291205f1f",
  "200105",
  "20010f",
  "50010c91029120",
  "600109",
  "710104",
].map((hex) => Buffer.from(hex, "hex"));
const messages = [
  "1000c4020003e92205c491032203e7",
  "00050b0109051c020003e92c00000001390a4e09552e44419c00002f096f2e8204002f4f",
  "100209051c020003e92c00000001390a4e09552e44419c00002f4f",
].map((hex) => Buffer.from(hex, "hex"));

/** Forwarded-NPDUs from nobody's BBMD: a sender at port 0, one on this host, and one cut off. */
const forwarded = [
  "810400100a00000100000104000501630a",
  "810400157f0000010009010400050b0c0c0200004d194b",
  "810400080a000001",
].map((hex) => withLength(Buffer.from(hex, "hex")));

const serverId = 77;
/** The answer to the question that follows each malformed one, of the server's System_Status. */
const probe = (invokeId: number): Buffer =>
  toFrame(Buffer.from([0, 5, invokeId, 12, 0x0c, 2, 0, 0, serverId, 0x19, 112]));
const answerMs = 400;
const attempts = 10;

/** What became of a malformed frame. */
export interface HostileCase {
  /** `server`: it goes on answering; `client <outcome>`: how the request that it answers has ended. */
  readonly outcome: string;
  /** The frame in hexadecimal. */
  readonly shown: string;
  readonly problems: readonly string[];
}

/** The adapter's server, and its client side, each with a peer that sends malformed frames over a socket. */
export class HostileNetwork {
  readonly #rig: Rig;
  readonly #serverPort: number;
  readonly #client: Network;
  readonly #peer: Socket;
  readonly #problems: string[] = [];
  #complaints = 0;
  #invokeId = 0;
  /** Called with the frames that come to the peer. */
  #take: (frame: Buffer) => void = () => {};

  private constructor(rig: Rig, serverPort: number, peer: Socket) {
    this.#rig = rig;
    this.#serverPort = serverPort;
    this.#peer = peer;
    peer.on("message", (frame) => this.#take(frame));
    peer.on("error", (error) => this.#problems.push(`the peer: ${error.message}`));
    const options = { host: "127.0.0.1", port: 0, broadcast: this.#address, timeoutMs: answerMs };
    this.#client = new Network(
      { ...options, clock: systemClock, log: () => {} },
      {
        opened: () => {},
        lost: (reason) => this.#problems.push(`the client's socket is lost: ${reason}`),
        iAm: () => {},
        failed: (reason) => this.#problems.push(`the client's library has failed: ${reason}`),
        changed: () => true,
      },
    );
    process.on("uncaughtException", this.#thrown).on("unhandledRejection", this.#thrown);
  }

  static async start(): Promise<HostileNetwork> {
    const rig = await startRig({ host: "127.0.0.1", port: 0, timeoutMs: 200, retries: 0 });
    const port = await freePort("udp");
    const lamp = served("l", "Lamp", ["ON_OFF"], { temperature: 20, isOn: true }, "LIGHT");
    const identity = { deviceId: serverId, deviceName: "House", timeZone: "UTC", version: "1" };
    const bacnet = { ...identity, port, broadcast: false };
    await rig.ask({ type: "SERVE_HOME", full: true, devices: [["l", lamp]], bacnet });
    const peer = createSocket("udp4").bind(0, "127.0.0.1");
    await once(peer, "listening");
    const network = new HostileNetwork(rig, port, peer);
    await network.#client.tried;
    return network;
  }

  async try(random: Random): Promise<HostileCase> {
    const isForServer = random(2) === 0;
    const { outcome, frame } = isForServer ? await this.#ask(random) : await this.#answer(random);
    // An exception of a callback comes a turn later.
    await new Promise((resolve) => void setImmediate(resolve));
    const { complaints } = this.#rig;
    const failed = complaints.slice(this.#complaints).filter((each) => each.includes("library failed"));
    this.#complaints = complaints.length;
    const problems = [...failed, ...this.#problems.splice(0)];
    return { outcome, shown: frame.toString("hex"), problems };
  }

  async close(): Promise<void> {
    process.off("uncaughtException", this.#thrown).off("unhandledRejection", this.#thrown);
    await this.#client.stop();
    await this.#rig.adapter.stop();
    this.#peer.close();
  }

  get #address(): string {
    return `127.0.0.1:${this.#peer.address().port}`;
  }

  readonly #thrown = (error: unknown): void => void this.#problems.push(`thrown: ${String(error)}`);

  /** Sends a malformed request to the server, then a good one. */
  async #ask(random: Random): Promise<{ outcome: string; frame: Buffer }> {
    const frame = random(20) === 0 ? pick(forwarded, random) : mutated(pick(requests, random), random);
    this.#send(frame, this.#serverPort);
    for (let attempt = 0; attempt < attempts; attempt++) {
      this.#invokeId = (this.#invokeId + 1) % 256;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const asked = this.#invokeId;
      const question = probe(asked);
      this.#take = (answer) => {
        // The malformed request may have had the same number; nothing else asks for this property.
        const isAck = answer[6] === 0x30 && answer[7] === asked;
        if (isAck && answer.subarray(9, 16).equals(question.subarray(10))) resolve(true);
      };
      // UDP may drop a frame, and a loaded machine more of them.
      const timer = setTimeout(() => resolve(false), answerMs);
      this.#send(question, this.#serverPort);
      const answered = await promise;
      clearTimeout(timer);
      if (answered) return { outcome: "server", frame };
    }
    this.#problems.push("the server has not answered the next request");
    return { outcome: "none", frame };
  }

  /** Answers a request of the client with a malformed frame, then aborts it. */
  async #answer(random: Random): Promise<{ outcome: string; frame: Buffer }> {
    const sample = Buffer.from(pick(random(4) === 0 ? messages : answers, random));
    let frame: Buffer = Buffer.alloc(0);
    this.#take = ([, , , , , control = 0, kind, , invokeId = 0]) => {
      if (control !== 4 || kind !== 0) return;
      if (answers.some((each) => each[0] === sample[0])) sample[1] = invokeId;
      frame = mutated(sample, random);
      this.#send(frame, this.#client.port);
      this.#send(toFrame(Buffer.from([0x71, invokeId, 0])), this.#client.port);
    };
    const outcome = await this.#request(random(4)).catch((error: unknown) => {
      if (error instanceof Fault) return error.kind;
      this.#problems.push(`the request has thrown ${String(error)}`);
      return "thrown";
    });
    return { outcome: `client ${outcome}`, frame };
  }

  async #request(kind: number): Promise<string> {
    const { signal } = new AbortController();
    const object = { type: 0, instance: 1 };
    const [client, to] = [this.#client, this.#address];
    if (kind === 0) await client.readProperty(to, object, 85, signal);
    if (kind === 1) await client.readMultiple(to, [{ object, properties: [85, 103] }], signal);
    if (kind === 2) await client.writeProperty(to, object, 85, { tag: "real", value: 20 }, 16, signal);
    if (kind === 3) await client.subscribe(to, object, 9, 300, signal);
    return "done";
  }

  #send(frame: Buffer, port: number): void {
    this.#peer.send(frame, port, "127.0.0.1");
  }
}

const pick = <Each>(from: readonly Each[], random: Random): Each => from[random(from.length)] as Each;

/** Returns a frame with up to three changes: bytes, a cut, a length of four octets, the rest of another. */
function mutated(apdu: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(apdu);
  for (let changes = random(4); changes > 0; changes--) {
    const at = random(bytes.length + 1);
    const kind = random(4);
    if (kind === 0 && at < bytes.length) bytes[at] = random(256);
    else if (kind === 1) bytes = bytes.subarray(0, at);
    else {
      const other = pick([...requests, ...answers, ...messages], random);
      const tag = random(2) === 0 ? 0x65 : random(16) * 16 + 5 + 8 * random(2);
      const more = kind === 2 ? [tag, 0xff, 0x7f, 0xff, 0xff, 0xff] : other.subarray(random(other.length));
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(more), bytes.subarray(at)]);
    }
  }
  const frame = toFrame(bytes, random(8) === 0 ? 0x0b : 0x0a);
  if (random(50) === 0) frame.writeUInt16BE(random(0xffff), 2);
  return frame;
}

function toFrame(apdu: Buffer, type = 0x0a): Buffer {
  return withLength(Buffer.concat([Buffer.from([0x81, type, 0, 0, 1, 4]), apdu]));
}

function withLength(frame: Buffer): Buffer {
  frame.writeUInt16BE(frame.length, 2);
  return frame;
}
