import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BacnetDevice, objectType } from "@ledge/testkit/bacnet";
import { MbusBus, serveStick } from "@ledge/testkit/mbus";

/** Simulated devices on wires. */
export interface Wires {
  /** The settings of their adapters, by protocol. */
  readonly adapters: object;
  /** The coils of the Modbus unit 3. */
  readonly coils: readonly number[];
  close(): Promise<void>;
}

const unit = 3;
const coilsThere = 8;

/** Answers a Modbus request (application protocol v1.1b3) as a unit with a few coils; undefined: another unit's. */
function answerTo(request: Buffer, coils: number[]): Buffer | undefined {
  const [asked, code = 0] = request;
  if (asked !== unit) return undefined;
  const isRead = code === 1;
  if (!isRead && code !== 5) return Buffer.of(unit, code | 0x80, 1);
  const [register, value] = [request.readUInt16BE(2), request.readUInt16BE(4)];
  if (register + (isRead ? value : 1) > coilsThere) return Buffer.of(unit, code | 0x80, 2);
  if (isRead) return Buffer.of(unit, code, 1, coils[register] ?? 0);
  coils[register] = value === 0xff00 ? 1 : 0;
  return request.subarray(0, 6);
}

async function serveModbus(coils: number[]): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let received: Buffer = Buffer.alloc(0);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      // A head of six bytes ends with the length of the rest.
      while (received.length >= 6 && received.length >= 6 + received.readUInt16BE(4)) {
        const end = 6 + received.readUInt16BE(4);
        const head = Buffer.from(received.subarray(0, 6));
        const answer = answerTo(received.subarray(6, end), coils);
        received = received.subarray(end);
        if (answer === undefined) continue;
        head.writeUInt16BE(answer.length, 4);
        socket.write(Buffer.concat([head, answer]));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** Starts a Modbus relay at unit 3, a BACnet air handler with the number 1001, and a heat meter on an M-Bus. */
export async function startWires(): Promise<Wires> {
  const coils = Array.from({ length: coilsThere }, () => 0);
  const modbus = await serveModbus(coils);
  const bacnet = new BacnetDevice(1001, [
    { type: objectType.analogInput, instance: 1, name: "Supply air", value: { real: 21.5 }, units: 62 },
    {
      type: objectType.binaryOutput,
      instance: 1,
      name: "Fan",
      value: { enumerated: 0 },
      priorities: new Map(),
    },
  ]);
  await bacnet.up();
  const heat = {
    address: 1,
    id: "10000001",
    manufacturer: "KAM",
    version: 8,
    medium: 4,
    telegrams: ["04 06 D2 04 00 00 04 13 10 27 00 00 02 2D 05 00"],
  };
  const mbus = await serveStick(new MbusBus([heat]));
  const host = "127.0.0.1";
  const line = { timeoutMs: 500, devices: [] };
  return {
    adapters: {
      modbus: {
        ports: [
          { ...line, name: "cellar", transport: { type: "tcp", host, port: modbus.port } },
          { ...line, name: "roof", transport: { type: "rtu", path: "/dev/ledge-no-such-port" } },
        ],
      },
      bacnet: { host, port: 0, broadcast: bacnet.address, timeoutMs: 500, retries: 0 },
      mbus: {
        ports: [
          {
            name: "meters",
            transport: { type: "tcp", host, port: mbus.port, baudRate: 38_400 },
            latencyMs: 100,
            meters: [],
          },
        ],
      },
    },
    coils,
    async close() {
      await Promise.all([modbus.close(), bacnet.down(), mbus.close()]);
    },
  };
}
