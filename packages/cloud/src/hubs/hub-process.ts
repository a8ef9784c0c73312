/** One process that speaks for a hub. Each hub should have only one. */
export interface HubProcess {
  readonly hubId: string;
  readonly generation: number;
  /** Empty if the process does not report one. */
  readonly instance: string;
}
