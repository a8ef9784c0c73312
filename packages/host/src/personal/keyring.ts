/** The keys of personal fields: one for each person. */
export interface Keyring {
  get(subject: string): Buffer | undefined;
  /**
   * Makes keys for the subjects that have none. They are stored before anything that they seal.
   * @throws why they cannot be; then none of them has a new key
   */
  make(subjects: Iterable<string>): void;
  /**
   * Destroys the keys of subjects, for good.
   * @throws why they are still stored; then they are gone for this process, and it can be tried again
   */
  destroy(subjects: Iterable<string>): void;
}
