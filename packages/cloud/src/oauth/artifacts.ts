import type { Clock, Kernel } from "@ledge/kernel";
import { limits, type Rejection } from "@ledge/model";
import type { Digests } from "../keys/digests.ts";
import { AccountForgotten } from "../model/account.ts";
import { artifactEvents, type OAuthArtifact } from "../model/oauth-artifact.ts";
import type { CloudStates } from "../model/states.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";
import { every } from "../process/every.ts";
import { InvertedIndex } from "../process/inverted-index.ts";

export interface ArtifactsOptions {
  readonly kernel: Kernel<CloudStates>;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** An artifact to keep. */
export interface NewArtifact {
  readonly kind: string;
  /** Its code, token or name. */
  readonly name: string;
  readonly payload: object;
  readonly lifeMs: number;
  readonly owner?: string | undefined;
  readonly grant?: string | undefined;
  readonly alias?: string | undefined;
}

/** An artifact that is there. */
export interface FoundArtifact {
  readonly payload: Readonly<Record<string, unknown>>;
  /** When it was used up, ms since the epoch. */
  readonly consumed: number | null;
  readonly grant: string | null;
}

/** Owner of what belongs to nobody who is known yet. */
const nobody = "";

/**
 * What the OAuth2 server remembers, in the log of the cloud: it is durable before anybody learns of it. The log
 * has digests of codes and tokens only.
 */
export class Artifacts {
  readonly #options: ArtifactsOptions;
  readonly #byGrant = new InvertedIndex();
  readonly #byAlias = new InvertedIndex();
  readonly #byOwner = new InvertedIndex();
  readonly #stopFollowing: () => void;
  readonly #stopSweeping: () => void;
  #isStopped = false;

  constructor(options: ArtifactsOptions) {
    const { kernel } = options;
    this.#options = options;
    for (const [id] of kernel.all("oauthArtifact")) this.#put(id);
    this.#stopFollowing = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) {
          if (artifactEvents.has(type)) this.#put(id);
          else if (type === AccountForgotten.type) void this.#forget(id);
        }
      },
    });
    this.#stopSweeping = every(limits.oauthSweepMs, options.clock, () => this.#sweep());
  }

  /**
   * Keeps an artifact, or replaces it. It is durable when this resolves.
   * @throws KernelError
   */
  async keep({ kind, name, payload, lifeMs, owner, grant, alias }: NewArtifact): Promise<void> {
    const id = this.#idOf(kind, name);
    const command = {
      type: "KEEP_OAUTH_ARTIFACT",
      id,
      kind,
      owner: owner ?? null,
      grant: grant === undefined ? null : this.#digest("grant", grant),
      alias: alias === undefined ? null : this.#digest("alias", kind, alias),
      lifeMs,
      payload: JSON.stringify(payload),
    };
    await this.#submit(...this.#makingRoom(id, owner ?? nobody), command);
  }

  /** Returns an artifact by its code, token or name; undefined when there is none, or it has expired. */
  find(kind: string, name: string): FoundArtifact | undefined {
    return this.#found(this.#idOf(kind, name));
  }

  /** Like `find`, by its other name. */
  findByAlias(kind: string, alias: string): FoundArtifact | undefined {
    const [id] = this.#byAlias.under(this.#digest("alias", kind, alias));
    return id === undefined ? undefined : this.#found(id);
  }

  /**
   * Uses an artifact up. Of several attempts at once only one succeeds; the others revoke its grant, as with a
   * stolen code or token (RFC 9700 4.14).
   * @returns whether this attempt did
   * @throws KernelError
   */
  async consume(kind: string, name: string): Promise<boolean> {
    const id = this.#idOf(kind, name);
    const { kernel } = this.#options;
    const refused = await refusalOf(kernel, "system", { type: "CONSUME_OAUTH_ARTIFACT", id });
    if (refused === undefined) return true;
    const grant = kernel.get("oauthArtifact", id)?.grant;
    if (grant !== undefined && grant !== null) await this.#drop(this.#byGrant.under(grant));
    return false;
  }

  /** Removes an artifact. @throws KernelError */
  async remove(kind: string, name: string): Promise<void> {
    await this.#drop([this.#idOf(kind, name)]);
  }

  /** Removes what belongs to a grant. @param grant its name, as in `NewArtifact` @throws KernelError */
  async removeOfGrant(grant: string): Promise<void> {
    await this.#drop(this.#byGrant.under(this.#digest("grant", grant)));
  }

  /** Removes all that belongs to an account or a client. @throws KernelError */
  async removeOfOwner(owner: string): Promise<void> {
    await this.#drop(this.#byOwner.under(owner));
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopSweeping();
    this.#stopFollowing();
  }

  #found(id: string): FoundArtifact | undefined {
    const { kernel } = this.#options;
    const held = kernel.get("oauthArtifact", id);
    if (held === undefined || held.expires <= timeOf(kernel)) return undefined;
    // A backup without its secrets leaves them out.
    const sealed = held.secrets as Partial<OAuthArtifact["secrets"]>;
    if (typeof sealed.payload !== "string") return undefined;
    const payload = JSON.parse(sealed.payload) as Readonly<Record<string, unknown>>;
    return { payload, consumed: held.consumed, grant: held.grant };
  }

  /** Returns commands that remove the oldest of an owner who has as many as there may be. */
  #makingRoom(id: string, owner: string): AnyCommand[] {
    const held = this.#byOwner.under(owner);
    const most = owner === nobody ? limits.oauthArtifactsOfNobody : limits.oauthArtifactsPerOwner;
    if (held.size < most || held.has(id)) return [];
    const [oldest] = held;
    return oldest === undefined ? [] : [dropping(oldest)];
  }

  async #drop(ids: Iterable<string>): Promise<void> {
    await this.#submit(...[...ids].map(dropping));
  }

  async #submit(...commands: readonly AnyCommand[]): Promise<void> {
    if (commands.length === 0) return;
    const refused: Rejection | undefined = await refusalOf(this.#options.kernel, "system", ...commands);
    if (refused !== undefined) throw new Error(refused.message);
  }

  #put(id: string): void {
    const held = this.#options.kernel.get("oauthArtifact", id);
    this.#byGrant.put(id, held?.grant ? [held.grant] : []);
    this.#byAlias.put(id, held?.alias ? [held.alias] : []);
    this.#byOwner.put(id, held === undefined ? [] : [held.owner ?? nobody]);
  }

  /** Removes what a forgotten account leaves behind; nobody could use it any more. */
  async #forget(account: string): Promise<void> {
    try {
      await this.removeOfOwner(account);
    } catch (error) {
      if (!this.#isStopped) this.#options.onError(error as Error);
    }
  }

  /** Removes what has expired. */
  async #sweep(): Promise<void> {
    const { kernel, onError } = this.#options;
    try {
      const now = timeOf(kernel);
      const expired: string[] = [];
      for (const [id, { expires }] of kernel.all("oauthArtifact")) {
        if (expires <= now) expired.push(id);
        if (expired.length === limits.oauthSweptAtOnce) break;
      }
      if (kernel.health.state === "serving") await this.#drop(expired);
    } catch (error) {
      if (!this.#isStopped) onError(error as Error);
    }
  }

  #idOf(kind: string, name: string): string {
    return this.#digest("name", kind, name);
  }

  #digest(...texts: readonly string[]): string {
    return this.#options.digests.of("oauth", ...texts);
  }
}

function dropping(id: string): AnyCommand {
  return { type: "DROP_OAUTH_ARTIFACT", id };
}
