import type { Commit, Declared, LoggedEvent } from "@ledge/model";
import type { SecretField } from "./format.ts";

/** Returns a commit whose secret fields are null, and their values. */
export function takeSecrets(
  commit: Commit,
  { events: definitions }: Pick<Declared, "events">,
): { commit: Commit; secrets: SecretField[] } {
  const secrets: SecretField[] = [];
  const events = commit.events.map((event, index) => {
    const fields = definitions.get(event.type)?.secrets ?? [];
    if (fields.length === 0) return event;
    const open: Record<string, unknown> = { ...event };
    for (const field of fields) {
      if (open[field] === undefined || open[field] === null) continue;
      secrets.push({ timestamp: commit.timestamp, index, field, value: open[field] });
      open[field] = null;
    }
    return open as unknown as LoggedEvent;
  });
  return secrets.length === 0 ? { commit, secrets } : { commit: { ...commit, events }, secrets };
}

/** Returns commits with their secret fields filled in again. */
export function putSecrets(commits: readonly Commit[], secrets: readonly SecretField[]): readonly Commit[] {
  if (secrets.length === 0) return commits;
  const byTimestamp = Map.groupBy(secrets, ({ timestamp }) => timestamp);
  return commits.map((commit) => {
    const found = byTimestamp.get(commit.timestamp);
    if (found === undefined) return commit;
    const events = commit.events.map((event, at) => {
      const own = found.filter(({ index }) => index === at).map(({ field, value }) => [field, value]);
      return { ...event, ...Object.fromEntries(own) } as LoggedEvent;
    });
    return { ...commit, events };
  });
}
