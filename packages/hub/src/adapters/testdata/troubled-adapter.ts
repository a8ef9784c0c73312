import { closeSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import type { Adapter, AdapterHost, AdapterRequest } from "@ledge/port";
import { AdapterError, lineDescriptor, pipeFrame, runAdapter } from "@ledge/port";

/** The trouble to cause, and when: at the `start`, or at the command whose attribute `trouble` names it. */
interface Settings {
  readonly trouble?: keyof typeof troubles;
  /** The remote controls of the adapter. */
  readonly remotes?: readonly string[];
}

const troubles = {
  throw: () =>
    void setTimeout(() => {
      throw new Error("thrown in a timer");
    }, 1),
  reject: () => void Promise.reject(new Error("rejected and forgotten")),
  exit: () => process.exit(7),
  loop: () => {
    for (;;) continue;
  },
  kill: () => void process.kill(process.pid, "SIGKILL"),
  segv: () => void process.kill(process.pid, "SIGSEGV"),
  stop: () => void process.kill(process.pid, "SIGSTOP"),
  leave: () => closeSync(lineDescriptor),
  /** Fills the heap of its JavaScript. */
  leak: () => {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => index + 0.5));
  },
  /** Takes memory outside the heap, and still answers. */
  hoard: () => {
    const kept: Buffer[] = [];
    setInterval(() => kept.push(Buffer.alloc(8 * 1_048_576, 1)), 5);
  },
  noise: () => void writeSync(lineDescriptor, Buffer.alloc(64, 0xa5)),
  nonsense: () => void writeSync(lineDescriptor, Buffer.from("\u0000\u0000\u0000\u0003{]}")),
  huge: () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(limits.adapterMessageBytes + 1);
    writeSync(lineDescriptor, header);
  },
  impostor: () => void writeSync(lineDescriptor, pipeFrame({ type: "reports", reports: "all" })),
  overrun: () => {
    const reports = Array.from({ length: 300 }, () => ({ native: "a", attributes: { button: 1 } }));
    writeSync(lineDescriptor, pipeFrame({ type: "reports", reports, dropped: 0 }));
  },
};

/** An adapter that fails on request. */
class TroubledAdapter implements Adapter {
  readonly protocol = "troubled";
  readonly inFlight = 4;
  #host: AdapterHost | undefined;

  async start(host: AdapterHost): Promise<void> {
    this.#host = host;
    host.log("info", "pid", { pid: process.pid, folder: host.folder });
    const { trouble, remotes = [] } = host.settings as Settings;
    for (const native of remotes) {
      host.announce({
        native,
        radio: "air",
        class: "REMOTE_CONTROL",
        capabilities: ["DEVICE", "REMOTE_CONTROL", "LUX"],
        name: native,
        manufacturer: null,
        model: null,
      });
    }
    if (trouble) this.#suffer(trouble);
  }

  readonly protocolCommands = {
    ECHO: async ({ said }: AdapterRequest): Promise<unknown> => ({ said }),
  };
  readonly requests = { HANG: () => new Promise<never>(() => {}) };
  readonly pairing = {
    open: async (): Promise<void> => {
      const stray = { description: null, status: "CONNECTING", actionRequired: false, help: null } as const;
      this.#host?.found({ native: "stray", ...stray });
      this.#host?.lost("stray");
    },
    close: async (): Promise<void> => {},
    keep: async (native: string): Promise<void> => {
      throw new AdapterError("refused", `no device ${native}`);
    },
    discard: async (): Promise<void> => {},
  };

  async stop(): Promise<void> {
    if (this.#host?.store.get("stop") === "never") await new Promise(() => {});
  }

  async send(_native: string, command: Parameters<Adapter["send"]>[1], signal: AbortSignal): Promise<void> {
    const attributes = command.type === "set" ? command.attributes : {};
    if (typeof attributes["flood"] === "number") {
      for (let button = 0; button < attributes["flood"]; button += 1) {
        this.#host?.report({ native: "rc", attributes: button % 4 === 0 ? { button } : { lux: button } });
      }
    }
    if (typeof attributes["keep"] === "string") await this.#host?.store.put("kept", attributes["keep"]);
    if (attributes["hang"] === true) await sleep(60_000, undefined, { signal });
    if (typeof attributes["trouble"] === "string")
      this.#suffer(attributes["trouble"] as keyof typeof troubles);
  }

  #suffer(trouble: keyof typeof troubles): void {
    process.stderr.write(`about to ${trouble}\n`);
    troubles[trouble]();
  }
}

runAdapter(() => new TroubledAdapter());
