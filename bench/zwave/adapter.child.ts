// The adapter alone on a stick, without a hub: prints and takes the same as direct.child.ts. Arguments: port, cache.
import { createInterface } from "node:readline";
import { createAdapter } from "@ledge/adapter-zwave";
import { systemClock } from "@ledge/port";

const [, , path = "", folder = "", nodes = "0"] = process.argv;
const stored = new Map<string, unknown>();
const described = new Map<number, string>();
const adapter = createAdapter();
await adapter.start({
  settings: { radio: { path, stick: "zwave" } },
  clock: systemClock,
  folder,
  store: { get: (key) => stored.get(key), put: async (key, value) => void stored.set(key, value) },
  announce: () => {},
  report: () => {},
  found: ({ native, status }) => {
    if (status !== "COMPLETE" || described.has(idOf(native))) return;
    described.set(idOf(native), native);
    void adapter.pairing?.keep(native);
    if (described.size === Number(nodes)) process.stdout.write("known\n");
  },
  lost: () => {},
  trouble: () => {},
  log: () => {},
});
process.stdout.write("up\n");
await adapter.pairing?.open(600_000);
for await (const line of createInterface(process.stdin)) {
  const [node = 0, isOn = 0] = line.split(" ").map(Number);
  const command = { type: "set", attributes: { isOn: isOn === 1 } } as const;
  void adapter.send(described.get(node) ?? "", command, new AbortController().signal);
}
await adapter.stop();

function idOf(native: string): number {
  return Number(native.split("/")[1]);
}
