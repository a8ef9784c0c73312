import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@ledge/host/folder";
import { foldedEmail, limits, roles } from "@ledge/model";
import { CloudClient, CloudError } from "../cloud/cloud-client.ts";
import { CliError, exitCodes } from "@ledge/host/cli/command";

const prefix = "/ui/0.2";

/**
 * People with accounts at a cloud on this machine, which writes its mails into a folder, so that they can be
 * read here. The tokens of people are kept beside the mails, because a cloud hands out only a few passwords in
 * a row.
 */
export class People {
  readonly #client: CloudClient;
  readonly #mails: string;
  readonly #kept: string;
  readonly #signal: AbortSignal;

  /** @param folder the data folder of the cloud */
  constructor(url: string, folder: string, signal: AbortSignal) {
    this.#client = new CloudClient(url);
    this.#mails = join(folder, "mail");
    this.#kept = join(folder, "ledge-key.json");
    this.#signal = signal;
  }

  /** Returns the HubKeys of a person: hub id -> key, for every hub that the person may access. @throws CliError */
  async hubKeys(email: string): Promise<Readonly<Record<string, string>>> {
    return JSON.parse(await this.#as(email, "GET", "/user/hubkeys")) as Record<string, string>;
  }

  /**
   * Makes the owner invite a person to a hub, and accepts as that person.
   * @param role undefined keeps the person's present role, or gives the role of a user
   * @throws CliError
   */
  async authorize(owner: string, hubId: string, email: string, role: number | undefined): Promise<void> {
    const query = new URLSearchParams({ hubId }).toString();
    const listed = JSON.parse(await this.#as(owner, "GET", `/user/authorization?${query}`)) as {
      email: string;
      role: number;
      invitedUntil: number | null;
    }[];
    const known = listed.find((one) => foldedEmail(one.email) === foldedEmail(email));
    const wanted = role ?? known?.role ?? roles.IDENTIFIED_USER;
    const body = { hubId, email, role: wanted };
    if (known?.role !== wanted)
      await this.#as(owner, "POST", known === undefined ? "/user/invite" : "/user/authorization", body);
    if (known === undefined || known.invitedUntil !== null)
      await this.#as(email, "POST", "/user/invitation", { hubId });
  }

  async #as(email: string, method: "GET" | "POST", path: string, body?: object): Promise<string> {
    const call = { method, path: `${prefix}${path}`, signal: this.#signal, ...(body && { body }) } as const;
    const kept = this.#tokens()[email];
    try {
      if (kept !== undefined) return await this.#client.call({ ...call, token: kept });
    } catch (error) {
      if ((error as CloudError).status !== 401) throw refused(error);
    }
    const token = await this.#logIn(email);
    try {
      return await this.#client.call({ ...call, token });
    } catch (error) {
      throw refused(error);
    }
  }

  async #logIn(email: string): Promise<string> {
    if (!existsSync(this.#mails))
      throw new CliError(
        exitCodes.unavailable,
        `the cloud's mails are not in ${this.#mails}: name its data folder by --cloud-data, or log in by yourself`,
      );
    const before = new Set(readdirSync(this.#mails));
    const post = { method: "POST", signal: this.#signal } as const;
    try {
      await this.#client.call({ ...post, path: `${prefix}/user/requestlogin`, body: { email } });
      const password = this.#passwordFor(email, before);
      const body = { email, password };
      const token = await this.#client.call({ ...post, path: `${prefix}/user/emaillogin`, body });
      writeWhole(this.#kept, JSON.stringify({ ...this.#tokens(), [email]: token }));
      return token;
    } catch (error) {
      throw refused(error);
    }
  }

  /** Reads the password from the mail. The request has been answered, so the mail is there. */
  #passwordFor(email: string, before: ReadonlySet<string>): string {
    for (const name of readdirSync(this.#mails).toSorted().toReversed()) {
      if (before.has(name)) continue;
      const text = readFileSync(join(this.#mails, name), "utf8");
      const password = new RegExp(`: (\\w{${limits.loginChars}})$`, "m").exec(text)?.[1];
      if (text.startsWith(`To: ${email}\n`) && password !== undefined) return password;
    }
    throw new CliError(exitCodes.unavailable, `no mail for ${email} came to ${this.#mails}`);
  }

  #tokens(): Readonly<Record<string, string>> {
    try {
      return JSON.parse(readFileSync(this.#kept, "utf8")) as Record<string, string>;
    } catch {
      return {};
    }
  }
}

function refused(error: unknown): unknown {
  if (!(error instanceof CloudError)) return error;
  return new CliError(error.status === undefined ? exitCodes.unavailable : exitCodes.refused, error.message);
}
