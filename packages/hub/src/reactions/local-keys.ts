import type { Command, LocalKeyIssued, Reaction } from "@ledge/model";
import { alertsAbout } from "@ledge/model";

/** Tells the owner of each key that the hub makes, so that nobody gets in unseen; ends that with the key. */
export const keyAlerts: Reaction = {
  name: "key alerts",
  on: ["LocalKeyIssued", "LocalKeyRevoked", "LocalKeyExpired"],
  react(event, read) {
    const { type, id } = event;
    if (type !== "LocalKeyIssued")
      return alertsAbout(id, read).map((alert) => ({ type: "CLEAR_ALERT", id: alert.id }) as Command);
    const [owner = null] = [...read.all("hub")].map(([, hub]) => hub.owner);
    const about = {
      msg_id: "KEY_ISSUED",
      parameters: { name: (event as LocalKeyIssued).name },
      sourceId: id,
    };
    return [{ type: "RAISE_ALERT", ...about, error: false, userId: owner } as Command];
  },
};

/** Revokes the keys of users who lose access: they would get them back with it. */
export const keysOfRevoked: Reaction = {
  name: "keys of revoked users",
  on: ["UserRevoked"],
  react: ({ id: user }, read) =>
    [...read.all("localKey")]
      .filter(([, key]) => key.user === user)
      .map(([id]) => ({ type: "REVOKE_LOCAL_KEY", id }) as Command),
};
