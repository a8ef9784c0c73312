import { spawn } from "node:child_process";
import { type Clock, type Kernel, systemClock } from "@ledge/kernel";
import type { Logger } from "./logger.ts";

/** How many signs of life to send within systemd's watchdog time. */
const signsPerWatch = 3;

/** Tells systemd that a kernel is served at an address, and about changes of its state. */
export function tellSystemd(
  kernel: Pick<Kernel, "health" | "subscribe">,
  address: string,
  logger: Logger,
): Notices {
  const notices = new Notices(process.env, process.pid, systemClock, logger);
  const status = (): string => {
    const { state, reason } = kernel.health;
    return `${state} at ${address}${reason === null ? "" : `: ${reason}`}`;
  };
  notices.ready(status());
  kernel.subscribe({ stateChanged: () => notices.status(status()) });
  return notices;
}

/**
 * Sends the process's state to systemd (sd_notify), if systemd asks for it. Node has no Unix datagram
 * sockets, so each notice is sent by the program `systemd-notify`, which comes with systemd.
 */
export class Notices {
  readonly #socket: string | undefined;
  readonly #watchMs: number;
  readonly #clock: Pick<Clock, "after">;
  readonly #logger: Logger;
  #cancel: () => void = () => {};
  #hasFailed = false;

  /** @param env the environment that systemd gave to the process `pid` */
  constructor(env: Readonly<NodeJS.ProcessEnv>, pid: number, clock: Pick<Clock, "after">, logger: Logger) {
    const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID = String(pid) } = env;
    this.#socket = NOTIFY_SOCKET || undefined;
    const watchUs = WATCHDOG_PID === String(pid) ? Number(WATCHDOG_USEC ?? 0) : 0;
    this.#watchMs = Number.isFinite(watchUs) ? watchUs / 1000 : 0;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The process is ready; from now on its event loop sends signs of life. */
  ready(status: string): void {
    this.#send("READY=1", `STATUS=${oneLine(status)}`);
    if (this.#watchMs > 0 && this.#socket !== undefined) this.#watch();
  }

  status(status: string): void {
    this.#send(`STATUS=${oneLine(status)}`);
  }

  stopping(): void {
    this.#cancel();
    this.#send("STOPPING=1", "STATUS=stopping");
  }

  #watch(): void {
    this.#cancel = this.#clock.after(this.#watchMs / signsPerWatch, () => {
      this.#send("WATCHDOG=1");
      this.#watch();
    });
  }

  #send(...notice: readonly string[]): void {
    if (this.#socket === undefined) return;
    const env = { PATH: process.env["PATH"], NOTIFY_SOCKET: this.#socket };
    const child = spawn("systemd-notify", notice, { stdio: "ignore", env });
    child.once("error", (error) => this.#failed({ error }));
    child.once("exit", (code) => {
      if (code !== 0) this.#failed({ code });
    });
    child.unref();
  }

  /** Logs it once; systemd handles the rest. */
  #failed(how: object): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#logger.error(how, "systemd-notify could not send the state of the process to systemd");
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 300);
}
