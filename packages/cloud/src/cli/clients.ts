import { readFileSync } from "node:fs";
import {
  ask,
  type CliCommand,
  CliError,
  exactlyOne,
  exitCodes,
  type Invocation,
  printAnswer,
} from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { ClientOverview } from "../console/clients.ts";
import type { MadeClient } from "../oauth/clients.ts";

export const clients: CliCommand = {
  words: "clients",
  usage: "",
  summary: "Lists the clients of OAuth2: programs that ask for access tokens",
  async run(invocation) {
    const found = await ask<ClientOverview[]>(invocation, "GET", "/console/clients");
    const rows = found.map(({ clientId, name, tenantId, auth, scopes, redirectUris }) => [
      clientId,
      name,
      tenantId,
      auth,
      scopes.join(" "),
      redirectUris.join(" "),
    ]);
    const header = ["ID", "NAME", "TENANT", "PROOF", "SCOPES", "SENDS PEOPLE TO"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const clientsCreate: CliCommand = {
  words: "clients create",
  usage: 'NAME --tenant ID|EMAIL --scopes "SCOPE ..." [--redirect URI ...] [--key FILE | --public]',
  summary: "Makes a client and prints its secret, once",
  options: {
    tenant: { type: "string", help: "the tenant that owns it, or the address of an account" },
    scopes: { type: "string", help: "how far its tokens may reach, such as devices.read" },
    redirect: { type: "string", multiple: true, help: "where it may send people back to" },
    key: { type: "string", help: "a file with its public key as JWK; it then gets no secret" },
    public: { type: "boolean", help: "everybody can read the program, so it gets no secret" },
  },
  check: (asked) => void newClient(asked),
  async run(invocation) {
    const made = await ask<MadeClient>(invocation, "POST", "/console/clients/create", newClient(invocation));
    return printMade(invocation, made, "is made");
  },
};

export const clientsRotate: CliCommand = {
  words: "clients rotate",
  usage: "ID",
  summary: "Gives a client a new secret; the earlier one is valid for another day",
  check: exactlyOne("which client?"),
  async run(invocation) {
    const [clientId = ""] = invocation.positionals;
    const made = await ask<MadeClient>(invocation, "POST", "/console/clients/rotate", { clientId });
    return printMade(invocation, made, "has a new secret");
  },
};

export const clientsDelete: CliCommand = {
  words: "clients delete",
  usage: "ID",
  summary: "Deletes a client with its access to hubs and tenants; its tokens are invalid at once",
  check: exactlyOne("which client?"),
  async run(invocation) {
    const [clientId = ""] = invocation.positionals;
    await ask(invocation, "POST", "/console/clients/delete", { clientId });
    return printAnswer(invocation, true, `${clientId} is deleted`);
  },
};

function printMade(invocation: Invocation, made: MadeClient, what: string): number {
  const { clientId, clientSecret } = made;
  const secret = clientSecret === null ? [] : [`secret: ${clientSecret}`];
  return printAnswer(invocation, made, [`${clientId} ${what}`, ...secret]);
}

function newClient({ positionals, options }: Pick<Invocation, "positionals" | "options">): object {
  const [name, ...more] = positionals;
  const { tenant, scopes, redirect = [], key, public: isPublic = false } = options;
  if (name === undefined || more.length > 0) throw new CliError(exitCodes.usage, "which name?");
  if (typeof tenant !== "string") throw new CliError(exitCodes.usage, "whose is it? --tenant ID|EMAIL");
  if (typeof scopes !== "string") throw new CliError(exitCodes.usage, 'for what? --scopes "devices.read"');
  const keys = typeof key === "string" ? [keyIn(key)] : [];
  const list = scopes.split(/[\s,]+/).filter((scope) => scope !== "");
  return { name, tenant, scopes: list, redirectUris: redirect, keys, isPublic };
}

function keyIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file}: ${(error as Error).message}`);
  }
}
