/** An update cannot be checked or installed. The message is for the person who wants it. */
export class UpdateError extends Error {
  override readonly name = "UpdateError";
}
