import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The addresses of both networks' ends of the cable between them. */
export const addresses = { hub: "10.47.8.1", building: "10.47.8.2", broadcast: "10.47.8.255" } as const;
type Place = "hub" | "building";

/** Two network namespaces of the kernel with a cable between them, and processes in both. */
export interface TwoNetworks {
  /** Starts a module that answers calls, `serveCalls`, in one of them. */
  readonly start: (place: Place, module: URL) => Call;
  /** Starts a program in one of them. */
  readonly run: (place: Place, program: string, ...flags: readonly string[]) => ChildProcess;
  /** Starts to capture what passes through the hub's end of the cable. */
  readonly capture: (port: number) => Promise<Capture>;
  readonly dispose: () => Promise<void>;
}

/** Calls a function of a process. @throws Error what the function has thrown */
export type Call = (name: string, ...args: readonly unknown[]) => Promise<unknown>;

/** A packet as tshark has dissected it. */
export interface Packet {
  readonly from: string;
  readonly protocol: string;
  readonly info: string;
  /** What the dissector warns of; empty for a good packet. */
  readonly warnings: string;
}

export interface Capture {
  readonly packets: readonly Packet[];
  /** Resolves when there is such a packet. */
  readonly until: (isIt: (packet: Packet) => boolean) => Promise<void>;
}

/** Severities of tshark's experts; chats and notes are below. */
const warning = 0x60_0000;

/** Needs root. */
export async function twoNetworks(): Promise<TwoNetworks> {
  const children: ChildProcess[] = [];
  const [hub, building] = await Promise.all([namespace(children), namespace(children)]);
  const pids = { hub, building };
  const within = (place: Place): readonly string[] => [`--net=/proc/${pids[place]}/ns/net`];
  const ip = async (place: Place, ...words: readonly string[]): Promise<void> => {
    const child = spawn("nsenter", [...within(place), "sh", "-ec", ...words], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = (await once(child, "close")) as [number];
    if (code !== 0) throw new Error(`ip ended with ${code} in the network of the ${place}`);
  };
  const up = (end: string, address: string): string =>
    `ip address add ${address}/24 broadcast ${addresses.broadcast} dev ${end}; ip link set ${end} up; ip link set lo up; ip route add 224.0.0.0/4 dev ${end}`;
  await ip(
    "hub",
    `ip link add cable type veth peer name cable netns ${building}; ${up("cable", addresses.hub)}`,
  );
  await ip("building", up("cable", addresses.building));
  return {
    start: (place, module) => {
      const child = spawn("nsenter", [...within(place), process.execPath, module.pathname], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      children.push(child);
      return callsTo(child);
    },
    run: (place, program, ...flags) => {
      const child = spawn("nsenter", [...within(place), program, ...flags], { stdio: "ignore" });
      children.push(child);
      return child;
    },
    capture: async (port) => {
      const fields = [
        "ip.src",
        "_ws.col.Protocol",
        "_ws.col.Info",
        "_ws.expert.severity",
        "_ws.expert.message",
      ];
      const flags = ["-i", "cable", "-f", `udp port ${port}`, "-l", "-n", "-T", "fields"];
      const child = spawn(
        "nsenter",
        [...within("hub"), "tshark", ...flags, ...fields.flatMap((field) => ["-e", field])],
        { stdio: ["ignore", "pipe", "pipe"] },
      );
      children.push(child);
      return await captured(child);
    },
    dispose: async () => {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, "close");
          child.kill("SIGKILL");
          await ended;
        }),
      );
    },
  };
}

/** Returns the id of a process that holds a namespace, and ends with this process. */
async function namespace(children: ChildProcess[]): Promise<number> {
  const child = spawn("unshare", ["--net", "sh", "-c", "echo; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, "data"),
    once(child, "close").then(() => Promise.reject(new Error("unshare makes no network namespace"))),
  ]);
  return child.pid as number;
}

function callsTo(child: ChildProcess): Call {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  child.on("message", ({ call, result, error }: Answer) => {
    const waits = pending.get(call);
    pending.delete(call);
    if (error === undefined) waits?.resolve(result);
    else waits?.reject(new Error(error));
  });
  child.on("close", () => {
    for (const { reject } of pending.values()) reject(new Error("the process has ended"));
  });
  return (name, ...args) => {
    const waits = Promise.withResolvers<unknown>();
    const call = (calls += 1);
    pending.set(call, waits);
    child.send({ call, name, args });
    return waits.promise;
  };
}

interface Answer {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Answers the calls of the process that has started this one, and ends with it. */
export function serveCalls(functions: Readonly<Record<string, (...args: never[]) => unknown>>): void {
  process.on("disconnect", () => process.exit());
  const answer = async (name: string, args: never[]): Promise<object> => {
    try {
      return { result: await functions[name]?.(...args) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };
  process.on("message", ({ call, name, args }: { call: number; name: string; args: never[] }) => {
    void answer(name, args).then((answered) => process.send?.({ call, ...answered }));
  });
}

async function captured(child: ChildProcess): Promise<Capture> {
  const packets: Packet[] = [];
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    const [from = "", protocol = "", info = "", severities = "", messages = ""] = line.split("\t");
    const isBad = severities.split(",").some((each) => Number(each) >= warning);
    packets.push({ from, protocol, info, warnings: isBad ? messages || severities : "" });
    for (const look of waiting) look();
  });
  let said = "";
  const started = new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("Capture started")) resolve();
    });
    child.on("close", () => reject(new Error(`tshark has ended: ${said}`)));
  });
  await started;
  return {
    packets,
    until: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!packets.some(isIt)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
