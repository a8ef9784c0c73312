import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Machine, MachineAct } from "@ledge/api";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Profile } from "../profile.ts";

/**
 * What restarts the hub when it has ended: `exit`, any program that reads its exit code; `systemd`, the unit's
 * manager.
 */
export const supervisions = ["exit", "systemd"] as const;
export type Supervision = (typeof supervisions)[number];

export function isSupervision(name: string): name is Supervision {
  return (supervisions as readonly string[]).includes(name);
}

/** Verbs of `systemctl`. */
const verbs = { reboot: "reboot", shutdown: "poweroff" } as const;

export interface MachineOptions {
  /** Undefined when nothing restarts the hub. */
  readonly supervision: Supervision | undefined;
  readonly profile: Pick<Profile, "trial">;
  readonly logger: Logger;
  /** Ends the hub's process like a signal, with the exit code that requests a restart. */
  readonly restart: () => void;
}

/** The machine that the hub runs on: restarts the hub and, through systemd, the machine. */
export class HostMachine implements Machine {
  readonly #options: MachineOptions;

  constructor(options: MachineOptions) {
    this.#options = options;
  }

  refusal(act: MachineAct): string | undefined {
    const { supervision, profile } = this.#options;
    if (act === "restart") {
      if (supervision !== undefined) return undefined;
      return "nothing would start this hub again: it runs without --supervised";
    }
    if (profile.trial === true) return "a trial hub leaves the machine alone";
    return supervision === "systemd"
      ? undefined
      : "this hub cannot control its machine: systemd does not run it";
  }

  begin(act: MachineAct): void {
    // The answer reaches the operating system within this turn of the event loop.
    setImmediate(() => {
      if (act === "restart") this.#options.restart();
      else void this.#ask(verbs[act]);
    });
  }

  /** Asks systemd to act. The hub goes on until systemd stops it, or for good when systemd refuses. */
  async #ask(verb: string): Promise<void> {
    const args = ["--no-block", "--no-ask-password", verb];
    const child = spawn("systemctl", args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on(
      "data",
      (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(0, limits.programOutputChars)),
    );
    try {
      const [code] = (await once(child, "close")) as [number | null];
      if (code === 0) return;
      this.#options.logger.error({ verb, code, said }, "systemctl failed: the machine keeps running");
    } catch (error) {
      this.#options.logger.error({ verb, error }, "systemctl failed: the machine keeps running");
    }
  }
}

/** For a hub that is opened for one command only. */
export const noMachine: Machine = {
  refusal: () => "this hub does not run",
  begin: () => {},
};
