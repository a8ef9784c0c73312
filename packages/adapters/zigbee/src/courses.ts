/** Something that goes on for a device over pauses. */
interface Course {
  /** Ends its present wait. */
  readonly cancel: () => void;
}

/** What goes on for devices, by IEEE address: one course for each at most. */
export class Courses<Kind extends Course = Course> {
  readonly #courses = new Map<string, Kind>();

  get(ieee: string): Kind | undefined {
    return this.#courses.get(ieee);
  }

  /** Whether a course goes on: it was not ended, and no other one has replaced it. */
  isCurrent(ieee: string, course: Kind): boolean {
    return this.#courses.get(ieee) === course;
  }

  /** Begins a course, and ends an earlier one of the device. */
  begin(ieee: string, course: Kind): void {
    this.end(ieee);
    this.#courses.set(ieee, course);
  }

  end(ieee: string): void {
    this.#courses.get(ieee)?.cancel();
    this.#courses.delete(ieee);
  }

  /** Ends all, such as when the network is down. */
  endAll(): void {
    for (const ieee of this.#courses.keys()) this.end(ieee);
  }
}
