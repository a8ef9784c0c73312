import type { Clock, Kernel } from "@ledge/kernel";
import { Email, type Origin, reject, type Rejection } from "@ledge/model";
import { Compile } from "typebox/compile";
import type { Directory } from "./accounts/directory.ts";
import type { Digests } from "./keys/digests.ts";
import type { CloudStates } from "./model/states.ts";
import type { Addresses } from "./settings.ts";
import type { SigningKeys } from "./keys/signing-keys.ts";
import { type AnyCommand, refusalOf } from "./model/submitting.ts";

/** What every part of a cloud is given. */
export interface CloudParts {
  readonly kernel: Kernel<CloudStates>;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly digests: Digests;
  readonly signingKeys: SigningKeys;
  /** The name of this cloud in what it signs. */
  readonly issuer: string;
  /** Where hubs reach it. */
  readonly addresses: Addresses;
  readonly newId: () => string;
  readonly random: (size: number) => Uint8Array;
}

const emails = Compile(Email);

/** An address as somebody wrote it, or undefined when it is none. */
export function addressIn(text: string): string | undefined {
  const address = text.trim();
  return emails.Check(address) ? address : undefined;
}

/**
 * Submits what is about the account of an address; the account is made with it if there is none.
 * @param address as `addressIn` answers it
 * @param commandsFor what is about the account; where one is made, `making` is to stand among them
 * @returns the account's id, or why it was refused
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
  // Somebody else has made it in between.
  const isThereNow = known === undefined && directory.accountOf(address) !== undefined;
  return isThereNow ? submitForAddress({ kernel, directory, newId }, address, commandsFor, origin) : refused;
}

/** That an address is none. */
export const noAddress: Rejection = reject("invalid", "this is no email address", "email");

/** A code that nobody guesses, for links and nonces: base64url of 24 random bytes. */
export function newCode(random: CloudParts["random"]): string {
  return Buffer.from(random(24)).toString("base64url");
}
