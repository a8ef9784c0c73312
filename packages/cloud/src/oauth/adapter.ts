import type { Adapter, AdapterPayload, errors } from "oidc-provider";
import type { Artifacts } from "./artifacts.ts";
import type { Clients } from "./clients.ts";

/**
 * Where oidc-provider keeps what it must remember. Clients are ours; everything else is an artifact.
 * @param kind the library's name of what is kept, such as `Session` or `RefreshToken`
 */
export function adapterOf(
  kind: string,
  artifacts: Artifacts,
  clients: Pick<Clients, "metadataOf">,
  { InvalidGrant }: Pick<typeof errors, "InvalidGrant">,
): Adapter {
  const found = (one: ReturnType<Artifacts["find"]>): AdapterPayload | undefined => {
    if (one === undefined) return undefined;
    const { payload, consumed } = one;
    return { ...payload, ...(consumed !== null && { consumed: Math.floor(consumed / 1000) }) };
  };
  return {
    async upsert(name, payload, expiresInS = 0) {
      const { accountId, clientId, grantId, uid } = payload;
      await artifacts.keep({
        kind,
        name,
        payload,
        lifeMs: expiresInS * 1000,
        owner: accountId ?? clientId,
        grant: kind === "Grant" ? name : grantId,
        alias: kind === "Session" ? uid : undefined,
      });
    },
    async find(name) {
      if (kind === "Client") return clients.metadataOf(name);
      return found(artifacts.find(kind, name));
    },
    findByUid: async (uid) => found(artifacts.findByAlias(kind, uid)),
    // Only devices without a browser would have such codes.
    findByUserCode: async () => undefined,
    async consume(name) {
      if (!(await artifacts.consume(kind, name))) throw new InvalidGrant("already used");
    },
    destroy: (name) => artifacts.remove(kind, name),
    revokeByGrantId: (grantId) => artifacts.removeOfGrant(grantId),
  };
}
