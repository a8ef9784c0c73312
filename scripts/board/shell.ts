import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { patience } from "./qemu.ts";

/** What a command said and its exit code, between marks that the shell prints and the terminal never echoes. */
const over = /<begun>([^]*)<over (\d+)>/;

/** The shell of root that systemd offers on a serial line of a machine, if its command line says so. */
export class Shell {
  readonly #socket: Socket;
  #said = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => (this.#said += text));
  }

  /** @param port of this machine, where the line ends */
  static async at(port: number): Promise<Shell> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Shell(socket);
  }

  /**
   * Runs a command, and returns what it said.
   * @throws Error when it does not end in `patience`
   */
  async run(command: string): Promise<string> {
    this.#said = "";
    // The terminal echoes the marks with an empty pair of quotes in each.
    this.#socket.write(`printf '<be''gun>'; ${command}; printf '<ov''er %s>\\n' $?\n`);
    const signal = AbortSignal.timeout(patience * 1000);
    for (;;) {
      const [, said] = over.exec(this.#said) ?? [];
      if (said !== undefined) return said.replaceAll("\r", "").trim();
      try {
        await once(this.#socket, "data", { signal });
      } catch {
        throw new Error(`${command} did not end in ${patience} s: ${this.#said}`);
      }
    }
  }

  /** Has a command run that nobody waits for: it ends the machine. */
  send(command: string): void {
    this.#socket.write(`${command}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }
}
