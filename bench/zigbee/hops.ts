import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

const entry = join(import.meta.dirname, "..", "hops.child.ts");
const body = JSON.stringify({ type: "CMD_DEVICE", id: "lamp", payload: { isOn: true } });

/** The processes of a command's way, which only pass it on. */
export class Hops {
  readonly #child: ChildProcess;
  readonly #end: Server;
  readonly #line: Socket;
  readonly #request: string;
  #arrived: (at: number) => void = () => {};

  private constructor(child: ChildProcess, end: Server, port: number) {
    this.#child = child;
    this.#end = end;
    this.#line = connect(port, "127.0.0.1").setNoDelay(true);
    this.#line.resume();
    this.#request = `PUT /devices/command HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  }

  static async begin(): Promise<Hops> {
    const end = createServer().listen(0, "127.0.0.1");
    await once(end, "listening");
    const { port } = end.address() as AddressInfo;
    const child = spawn(process.execPath, [entry, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
    const connected = once(end, "connection");
    const [told] = (await once(child.stdout, "data")) as [Buffer];
    const hops = new Hops(child, end, Number(told.toString()));
    const [socket] = (await connected) as [Socket];
    socket.on("data", () => hops.#arrived(performance.now()));
    return hops;
  }

  /** Returns how long (ms) a request takes through all of them. */
  async pass(): Promise<number> {
    const arrived = new Promise<number>((resolve) => (this.#arrived = resolve));
    const began = performance.now();
    this.#line.write(this.#request);
    return (await arrived) - began;
  }

  stop(): void {
    this.#line.destroy();
    this.#child.kill();
    this.#end.close();
  }
}
