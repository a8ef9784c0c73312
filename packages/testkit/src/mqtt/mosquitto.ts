import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

// Debian puts the broker where only root looks for programs.
const path = `${process.env["PATH"] ?? ""}:/usr/sbin`;

/** Files of a broker that demands TLS, a certificate of its clients, a user and a password. */
export interface Guarded {
  /** PEM: signed the broker's certificate and those of its clients. */
  readonly ca: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly passwordFile: string;
}

/** The Debian program mosquitto on a free port of 127.0.0.1. It keeps nothing over a restart. */
export class Mosquitto {
  readonly port: number;
  readonly #config: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, config: string) {
    this.port = port;
    this.#config = config;
  }

  /** @param folder an empty one, for its files */
  static async start(
    folder: string,
    lines: readonly string[] = ["allow_anonymous true"],
  ): Promise<Mosquitto> {
    const port = await freePort();
    const config = join(folder, `mosquitto-${port}.conf`);
    // Started by root, it would become another user and could not read its files.
    const all = [
      "user root",
      `listener ${port} 127.0.0.1`,
      "persistence false",
      "max_queued_messages 0",
      ...lines,
    ];
    writeFileSync(config, `${all.join("\n")}\n`);
    const broker = new Mosquitto(port, config);
    await broker.restart();
    return broker;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  async restart(): Promise<void> {
    this.#child = spawn("mosquitto", ["-c", this.#config], {
      stdio: "ignore",
      env: { ...process.env, PATH: path },
    });
    const child = this.#child;
    await until("mosquitto", async () => {
      if (child.exitCode !== null) throw new Error(`mosquitto has ended with ${child.exitCode}`);
      return await isListening(this.port);
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => (socket.destroy(), resolve(true)));
    socket.once("error", () => resolve(false));
  });
}

/** Makes the files of a broker that lets only one user in, and returns its lines of configuration. */
export function guardedBroker(folder: string, user: string, password: string): Guarded & { lines: string[] } {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void =>
    void execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  openssl("req", "-x509", ...key, "-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=Test CA");
  for (const name of ["server", "client"]) {
    const signed = [
      "-CA",
      file("ca.pem"),
      "-CAkey",
      file("ca.key"),
      "-addext",
      "subjectAltName=IP:127.0.0.1",
    ];
    const subject = ["-addext", "basicConstraints=critical,CA:FALSE", "-subj", `/CN=${name}`];
    const out = ["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)];
    openssl("req", "-x509", ...key, ...out, ...signed, ...subject);
  }
  execFileSync("mosquitto_passwd", ["-b", "-c", file("users"), user, password], { stdio: "ignore" });
  writeFileSync(file("password"), `${password}\n`);
  return {
    ca: file("ca.pem"),
    clientCertificate: file("client.pem"),
    clientKey: file("client.key"),
    passwordFile: file("password"),
    lines: [
      `cafile ${file("ca.pem")}`,
      `certfile ${file("server.pem")}`,
      `keyfile ${file("server.key")}`,
      "require_certificate true",
      "allow_anonymous false",
      `password_file ${file("users")}`,
    ],
  };
}
