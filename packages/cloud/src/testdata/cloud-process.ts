import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { socketConsole } from "@ledge/host/cli/client";
import { type Program, programFile } from "@ledge/testkit/programs";
import type { TestHub } from "./open-cloud.ts";

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly ended: Promise<Finished>;
}

/** Starts a program. */
export function spawned(program: Program, ...args: readonly string[]): Spawned {
  return spawnedBy([], program, ...args);
}

/** @param command what runs the program, as in a namespace */
function spawnedBy(command: readonly string[], program: Program, ...args: readonly string[]): Spawned {
  const [first = "", ...rest] = [...command, process.execPath, programFile(program), ...args];
  const child = spawn(first, rest, { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (chunk: Buffer) => (said[name] += chunk.toString()));
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, ...said })) };
}

/** A serving cloud in a process of its own. */
export class CloudProcess {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly address: string;
  readonly ended: Promise<Finished>;

  constructor(child: ChildProcess, folder: string, address: string, ended: Promise<Finished>) {
    this.child = child;
    this.folder = folder;
    this.address = address;
    this.ended = ended;
  }

  /** Starts a cloud on a free port and waits until it prints where its mails go. */
  static start(folder: string, ...args: readonly string[]): Promise<CloudProcess> {
    return CloudProcess.startBy([], folder, ...args);
  }

  /** As `start`. @param command what runs the program, as in a namespace */
  static async startBy(
    command: readonly string[],
    folder: string,
    ...args: readonly string[]
  ): Promise<CloudProcess> {
    const { child, ended } = spawnedBy(command, "cloud", "--data", folder, "--port", "0", ...args);
    let said = "";
    await Promise.race([
      new Promise<void>((printed) =>
        child.stdout?.on("data", (chunk: Buffer) => {
          said += chunk.toString();
          if (/^ {2}mail /m.test(said)) printed();
        }),
      ),
      ended.then(({ code, stderr }) => assert.fail(`ended with ${code}: ${stderr}`)),
    ]);
    const address = /API {3}(http\S+)/.exec(said)?.[1] ?? assert.fail(said);
    return new CloudProcess(child, folder, address, ended);
  }

  async stop(): Promise<Finished> {
    this.child.kill("SIGTERM");
    return this.ended;
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** Sends a request. @param path begins at the root @param json an object to send as JSON */
  call(
    method: string,
    path: string,
    token?: string,
    json?: object,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const headers = {
      ...(token !== undefined && { authorization: token }),
      ...(json && { "content-type": "application/json" }),
    };
    const body = json && { body: JSON.stringify(json) };
    return fetch(this.address + path, { method, headers, signal, ...body });
  }

  /** Returns the metrics that the data folder's socket serves. */
  async metrics(): Promise<string> {
    return (await socketConsole(this.folder).text("GET", "/metrics")).text;
  }

  /** Returns the newest mail in the mail folder. */
  newestMail(): string {
    const mails = join(this.folder, "mail");
    const name = readdirSync(mails).toSorted().at(-1) ?? assert.fail("no mail");
    return readFileSync(join(mails, name), "utf8");
  }

  /** Logs in with the password of a mail, once the cloud lets this address do so. @returns the cloud token */
  async logIn(email: string): Promise<string> {
    const ask = (): Promise<Response> => this.call("POST", "/ui/0.2/user/requestlogin", undefined, { email });
    let asked = await ask();
    for (; asked.status === 429; asked = await ask())
      await setTimeout(Number(asked.headers.get("retry-after") ?? 1) * 1000);
    assert.equal(asked.status, 200);
    const mail = this.newestMail();
    assert.ok(mail.includes(email));
    const password = /password: (\w+)/.exec(mail)?.[1] ?? assert.fail(mail);
    const given = await this.call("POST", "/ui/0.2/user/emaillogin", undefined, { email, password });
    assert.equal(given.status, 200);
    return given.text();
  }

  /** Returns the HubKeys of the account with this token, by hub id. */
  async hubKeys(token: string): Promise<Readonly<Record<string, string>>> {
    const answer = await this.call("GET", "/ui/0.2/user/hubkeys", token);
    assert.equal(answer.status, 200);
    return (await answer.json()) as Record<string, string>;
  }

  /** Opens a hub's session. @returns its token */
  async connect(hub: TestHub, features: readonly number[] = []): Promise<string> {
    const challenge = await this.call("POST", "/hub/challenge", undefined, { hubId: hub.id });
    const { nonce } = (await challenge.json()) as { nonce: string };
    const request = { ...(await hub.request(this.address, nonce)), features };
    const session = await this.call("POST", "/hub/session", undefined, request);
    assert.equal(session.status, 200);
    return ((await session.json()) as { token: string }).token;
  }
}
