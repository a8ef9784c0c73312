import type { Clock, Kernel } from "@ledge/kernel";
import { Email, type Origin, reject, type Rejection, lazyValidator } from "@ledge/model";
import type { Directory } from "./accounts/directory.ts";
import type { Digests } from "./keys/digests.ts";
import type { CloudStates } from "./model/states.ts";
import type { Addresses } from "./settings.ts";
import type { SigningKeys } from "./keys/signing-keys.ts";
import { type AnyCommand, refusalOf } from "./model/submitting.ts";
import type { Tenancy } from "./tenancy/tenancy.ts";

/** What every part of a cloud gets. */
export interface CloudParts {
  readonly kernel: Kernel<CloudStates>;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly tenancy: Tenancy;
  readonly digests: Digests;
  readonly signingKeys: SigningKeys;
  /** The cloud's name in what it signs. */
  readonly issuer: string;
  /** Addresses under which hubs reach the cloud. */
  readonly addresses: Addresses;
  readonly newId: () => string;
  readonly random: (size: number) => Uint8Array;
}

const emails = lazyValidator(Email);

/** Returns a trimmed email address; undefined when the text is not one. */
export function addressIn(text: string): string | undefined {
  const address = text.trim();
  return emails.Check(address) ? address : undefined;
}

/**
 * Submits commands about the account of an address; makes the account with them if there is none.
 * @param address from `addressIn`
 * @param commandsFor returns the commands; it must include `making` where an account is made
 * @returns the account's id, or the rejection
 * @throws KernelError
 */
export async function submitForAddress(
  { kernel, directory, newId }: Pick<CloudParts, "kernel" | "directory" | "newId">,
  address: string,
  commandsFor: (account: string, making: readonly AnyCommand[]) => readonly AnyCommand[],
  origin: (account: string) => Origin,
): Promise<string | Rejection> {
  const known = directory.accountOf(address)?.id;
  const id = known ?? newId();
  const making = known === undefined ? [{ type: "ADD_ACCOUNT", id, email: address }] : [];
  const refused = await refusalOf(kernel, origin(id), ...commandsFor(id, making));
  if (refused === undefined) return id;
  // Somebody else has made the account in between.
  const isThereNow = known === undefined && directory.accountOf(address) !== undefined;
  return isThereNow ? submitForAddress({ kernel, directory, newId }, address, commandsFor, origin) : refused;
}

/** Rejects an invalid email address. */
export const noAddress: Rejection = reject("invalid", "this is not an email address", "email");

/** Returns an unguessable code for links and nonces: base64url of 24 random bytes. */
export function newCode(random: CloudParts["random"]): string {
  return Buffer.from(random(24)).toString("base64url");
}
