import type { Clock, Kernel } from "@ledge/kernel";
import { type Command, Email, type Origin, reject, type Rejection } from "@ledge/model";
import { Compile } from "typebox/compile";
import type { Directory } from "./accounts/directory.ts";
import type { Digests } from "./keys/digests.ts";
import type { CloudStates } from "./model/states.ts";
import type { Addresses } from "./settings.ts";
import type { SigningKeys } from "./keys/signing-keys.ts";

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

export type AnyCommand = Command & Readonly<Record<string, unknown>>;

/**
 * Submits commands of which one rejection refuses all.
 * @returns why they were refused; undefined once what they led to is durable
 * @throws KernelError
 */
export async function refusalOf(
  kernel: Pick<Kernel<CloudStates>, "submit">,
  origin: Origin,
  ...commands: readonly AnyCommand[]
): Promise<Rejection | undefined> {
  const outcome = await kernel.submit({ commands, origin });
  return outcome.accepted ? undefined : outcome.rejection;
}

/** The time (ms) by which the cloud judges: commits made in quick succession lead the clock a little. */
export function timeOf(kernel: Pick<Kernel<CloudStates>, "timestamp" | "now">): number {
  return Math.max(kernel.timestamp, kernel.now());
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
