import { defineEvent, type EventOf, orNull, reject, telemetry } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider } from "./states.ts";

/**
 * Something that the OAuth2 server must remember: a session, an interaction, a grant, a code, a refresh token,
 * or the id of a client's assertion. Its id is a keyed digest, so the log never holds a code or a token that
 * somebody could use.
 */
export interface OAuthArtifact {
  readonly id: string;
  /** The kind, such as `RefreshToken`. */
  readonly kind: string;
  /** Whose it is: an account, a client, or nobody who is known yet. */
  readonly owner: string | null;
  /** Digest of the grant that it belongs to: all of a grant is revoked at once. */
  readonly grant: string | null;
  /** Digest of another name of it. */
  readonly alias: string | null;
  /** When it was used up, ms since the epoch; null before that. */
  readonly consumed: number | null;
  /** ms since the epoch. */
  readonly expires: number;
  /** `payload`: all of it, as JSON. */
  readonly secrets: { readonly payload: string };
}

declare module "./states.ts" {
  interface CloudStates {
    oauthArtifact: OAuthArtifact;
  }
}

export type OAuthArtifactCommand =
  /** Replaces one of that id; what was used up stays so. `lifeMs`: how long it is kept from now. */
  | {
      type: "KEEP_OAUTH_ARTIFACT";
      id: string;
      kind: string;
      owner: string | null;
      grant: string | null;
      alias: string | null;
      lifeMs: number;
      payload: string;
    }
  /** Uses it up. Of several at once only one succeeds. */
  | { type: "CONSUME_OAUTH_ARTIFACT"; id: string }
  | { type: "DROP_OAUTH_ARTIFACT"; id: string };

/** Each event has the whole state, so that earlier ones may age out. */
const OAuthArtifactKept = telemetry(
  defineEvent(
    "OAuthArtifactKept",
    1,
    {
      kind: Type.String(),
      owner: orNull(Type.String()),
      grant: orNull(Type.String()),
      alias: orNull(Type.String()),
      consumed: orNull(Type.Integer()),
      expires: Type.Integer(),
      payload: Type.String(),
    },
    ["payload"],
  ),
);
const OAuthArtifactDropped = telemetry(defineEvent("OAuthArtifactDropped", 1, {}));

export type OAuthArtifactEvent = EventOf<typeof OAuthArtifactKept> | EventOf<typeof OAuthArtifactDropped>;

/** The types of the events that change what there is. */
export const artifactEvents: ReadonlySet<string> = new Set([
  OAuthArtifactKept.type,
  OAuthArtifactDropped.type,
]);

export const oauthArtifact: CloudDecider<OAuthArtifact, OAuthArtifactCommand, OAuthArtifactEvent> = {
  kind: "oauthArtifact",
  commands: ["KEEP_OAUTH_ARTIFACT", "CONSUME_OAUTH_ARTIFACT", "DROP_OAUTH_ARTIFACT"],
  events: [OAuthArtifactKept, OAuthArtifactDropped],
  secrets: ["secrets"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    switch (command.type) {
      case "KEEP_OAUTH_ARTIFACT": {
        const { kind, owner, grant, alias, lifeMs, payload } = command;
        const consumed = state?.consumed ?? null;
        const expires = world.now + lifeMs;
        return [{ type: "OAuthArtifactKept", id, kind, owner, grant, alias, consumed, expires, payload }];
      }
      case "CONSUME_OAUTH_ARTIFACT": {
        if (state === undefined) return reject("not-found", "there is no such artifact");
        if (state.consumed !== null) return reject("wrong-state", "it is used up");
        const { kind, owner, grant, alias, expires, secrets } = state;
        const rest = { kind, owner, grant, alias, expires, payload: secrets.payload };
        return [{ type: "OAuthArtifactKept", id, ...rest, consumed: world.now }];
      }
      case "DROP_OAUTH_ARTIFACT":
        return state === undefined ? [] : [{ type: "OAuthArtifactDropped", id }];
    }
  },

  evolve(_state, event) {
    if (event.type === "OAuthArtifactDropped") return undefined;
    const { id, kind, owner, grant, alias, consumed, expires, payload } = event;
    return { id, kind, owner, grant, alias, consumed, expires, secrets: { payload } };
  },
};
