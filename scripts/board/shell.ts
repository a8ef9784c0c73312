import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** The end of a command: its exit code, as the shell prints it and never as the terminal echoes it. */
const over = /<over (\d+)>/;

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
   * @throws Error when it does not end in `seconds` of this machine
   */
  async run(command: string, seconds = 300): Promise<string> {
    this.#said = "";
    // The terminal echoes it with an empty pair of quotes in the mark.
    this.#socket.write(`${command}; printf '<ov''er %s>\\n' $?\n`);
    const signal = AbortSignal.timeout(seconds * 1000);
    while (!over.test(this.#said)) {
      try {
        await once(this.#socket, "data", { signal });
      } catch {
        throw new Error(`${command} did not end in ${seconds} s: ${this.#said}`);
      }
    }
    const [, ...lines] = this.#said.replace(/<over[^]*$/, "").split("\n");
    return lines.join("\n").trim();
  }

  close(): void {
    this.#socket.destroy();
  }
}
