// A device of a building and a client, for trying out BACnet: docs/bacnet.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/bacnet/building.ts PORT
//
// Lines on standard input: `air 22` sets what the device measures; `fan` prints what the fan has been told;
// `write PORT analogValue 1 -3.5` writes a value to a server, and prints what that answers.
import { createInterface } from "node:readline";
import { BacnetDevice } from "./device.ts";
import { type BacnetObject, objectType, property } from "./object.ts";
import { closing, context, encodeValue, objectContent, opening, unsignedContent } from "./tags.ts";

const celsius = 62;
const air: BacnetObject = {
  type: objectType.analogInput,
  instance: 1,
  name: "Supply air",
  value: { real: 21.5 },
  units: celsius,
};
const fan: BacnetObject & { priorities: Map<number, object | "null"> } = {
  type: objectType.binaryOutput,
  instance: 1,
  name: "Fan",
  value: { enumerated: 0 },
  priorities: new Map(),
};
const plant = new BacnetDevice(1001, [air, fan]);
const client = new BacnetDevice(1002, []);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a Present_Value with priority 8. */
async function write(
  port: number,
  type: keyof typeof objectType,
  instance: number,
  value: number,
): Promise<void> {
  const content = Buffer.concat([
    context(0, objectContent(objectType[type], instance)),
    context(1, unsignedContent(property.presentValue)),
    opening(3),
    encodeValue(type.startsWith("analog") ? { real: value } : { enumerated: value }),
    closing(3),
    context(4, unsignedContent(8)),
  ]);
  const answer = await client.ask(port, [0, 5, 1, 15, ...content]);
  print(answer?.[0] === 0x20 ? "written" : `refused ${answer?.toString("hex")}`);
}

await client.up();
await plant.up("127.0.0.1", Number(process.argv[2]));
print("ready");

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [what, ...words] = line.split(" ");
    if (what === "air") plant.change(air.type, 1, { real: Number(words[0]) });
    if (what === "fan")
      for (const [priority, value] of fan.priorities)
        print(`fan: ${JSON.stringify(value)} at priority ${priority}`);
    if (what === "write")
      void write(Number(words[0]), words[1] as keyof typeof objectType, Number(words[2]), Number(words[3]));
  })
  .on("close", () => process.exit());
