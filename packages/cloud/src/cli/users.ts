import { ask, type CliCommand, exactlyOne, printAnswer } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { SessionOverview, UserOverview } from "../console/users.ts";

export const users: CliCommand = {
  words: "users",
  usage: "",
  summary: "Lists the accounts",
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
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const usersForget: CliCommand = {
  words: "users forget",
  usage: "ID|EMAIL",
  summary: "Forgets an account with its access, sessions and personal data; this cannot be undone",
  check: exactlyOne("which user?"),
  async run(invocation) {
    const user = invocation.positionals[0] ?? "";
    const forgotten = await ask<{ id: string }>(invocation, "POST", "/console/users/forget", { user });
    return printAnswer(
      invocation,
      forgotten,
      `${forgotten.id} is forgotten. Backups, and folders set aside, still contain its personal data: delete them.`,
    );
  },
};

export const sessions: CliCommand = {
  words: "sessions",
  usage: "ID|EMAIL",
  summary: "Lists the sessions of a user",
  check: exactlyOne("which user?"),
  async run(invocation) {
    const query = new URLSearchParams({ user: invocation.positionals[0] ?? "" }).toString();
    const found = await ask<SessionOverview[]>(invocation, "GET", `/console/sessions?${query}`);
    const rows = found.map(({ id, issued, expires }) => [
      id,
      new Date(issued).toISOString(),
      new Date(expires).toISOString(),
    ]);
    return printAnswer(invocation, found, table(["SESSION", "SINCE", "UNTIL"], rows));
  },
};

export const sessionsEnd: CliCommand = {
  words: "sessions end",
  usage: "ID|EMAIL [--session ID]",
  summary: "Ends one session of a user, or all of them and removes the fixed password",
  options: { session: { type: "string", help: "id of the session to end (default: all)" } },
  check: exactlyOne("which user?"),
  async run(invocation) {
    const { positionals, options } = invocation;
    const { session } = options;
    const body = { user: positionals[0] ?? "", ...(typeof session === "string" && { session }) };
    const found = await ask<{ ended: number }>(invocation, "POST", "/console/sessions/end", body);
    return printAnswer(invocation, found, `${found.ended} ended`);
  },
};
