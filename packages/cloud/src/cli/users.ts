import { ask, type CliCommand, exactlyOne, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { SessionOverview, UserOverview } from "../console/users.ts";

export const users: CliCommand = {
  words: "users",
  usage: "",
  summary: "Lists who has an account",
  async run(invocation) {
    const found = await ask<UserOverview[]>(invocation, "GET", "/console/users");
    const rows = found.map(({ id, email, nickname, proven, hubs, sessions }) => [
      id,
      email,
      nickname,
      proven ? "yes" : "no",
      String(hubs),
      String(sessions),
    ]);
    const header = ["ID", "EMAIL", "NICKNAME", "PROVEN", "HUBS", "SESSIONS"];
    invocation.print(invocation.json ? JSON.stringify(found) : table(header, rows));
    return exitCodes.done;
  },
};

export const usersForget: CliCommand = {
  words: "users forget",
  usage: "ID|EMAIL",
  summary: "Forgets an account: its access, its sessions, who it was; nobody can undo that",
  check: exactlyOne("which user?"),
  async run(invocation) {
    const user = invocation.positionals[0] ?? "";
    const forgotten = await ask<{ id: string }>(invocation, "POST", "/console/users/forget", { user });
    invocation.print(
      invocation.json
        ? JSON.stringify(forgotten)
        : `${forgotten.id} is forgotten. Backups, and folders set aside, still know who it was: delete them.`,
    );
    return exitCodes.done;
  },
};

export const sessions: CliCommand = {
  words: "sessions",
  usage: "ID|EMAIL",
  summary: "Lists where somebody is logged in",
  check: exactlyOne("which user?"),
  async run(invocation) {
    const query = new URLSearchParams({ user: invocation.positionals[0] ?? "" }).toString();
    const found = await ask<SessionOverview[]>(invocation, "GET", `/console/sessions?${query}`);
    const rows = found.map(({ id, issued, expires }) => [
      id,
      new Date(issued).toISOString(),
      new Date(expires).toISOString(),
    ]);
    invocation.print(invocation.json ? JSON.stringify(found) : table(["SESSION", "SINCE", "UNTIL"], rows));
    return exitCodes.done;
  },
};

export const sessionsEnd: CliCommand = {
  words: "sessions end",
  usage: "ID|EMAIL [--session ID]",
  summary: "Logs somebody out, of one session, or of all and without their fixed password",
  options: { session: { type: "string", help: "the one that is to end (default: all)" } },
  check: exactlyOne("which user?"),
  async run(invocation) {
    const { positionals, options, json, print } = invocation;
    const { session } = options;
    const body = { user: positionals[0] ?? "", ...(typeof session === "string" && { session }) };
    const found = await ask<{ ended: number }>(invocation, "POST", "/console/sessions/end", body);
    print(json ? JSON.stringify(found) : `${found.ended} ended`);
    return exitCodes.done;
  },
};
