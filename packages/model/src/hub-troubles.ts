import type { HubFacts, HubTrouble } from "./hub-health.ts";
import { type HubTroubleCode, hubTroubleTexts } from "./hub-trouble-texts.ts";
import { filledIn, type Language } from "./language.ts";
import { limits } from "./limits.ts";

interface Found {
  readonly code: HubTroubleCode;
  readonly of?: string;
  readonly reason?: string | null;
}

const ofState: Readonly<Record<string, HubTroubleCode>> = {
  "read-only": "READ_ONLY",
  "safe-mode": "SAFE_MODE",
  rescue: "RESCUE",
};

/** Returns what is wrong with a hub, errors first, each with its remedy. */
export function troublesOf(facts: HubFacts, language: Language): HubTrouble[] {
  const all = found(facts).map(({ code, of = null, reason = null }): HubTrouble => {
    const { level, text, remedy } = hubTroubleTexts[code];
    const valueOf = (name: string): string | undefined => (name === "of" ? (of ?? undefined) : undefined);
    const [shown, help] = [text, remedy].map((texts) => filledIn(texts[language], valueOf));
    return { code, level, of, text: shown ?? "", remedy: help ?? "", reason };
  });
  return all.toSorted((one, other) => Number(one.level === "warn") - Number(other.level === "warn"));
}

function found(facts: HubFacts): readonly Found[] {
  return [...ofStore(facts), ...ofDevices(facts), ...ofNetwork(facts)];
}

function ofStore({ state, reason, disk, log, history, memory, clock, lost }: HubFacts): readonly Found[] {
  const code = ofState[state] ?? (state === "serving" ? undefined : "NOT_SERVING");
  const isLow = disk !== null && disk.freeBytes < limits.diskLowBytes && state !== "read-only";
  return [
    ...when(code !== undefined, { code: code ?? "NOT_SERVING", reason }),
    ...lost.map(({ file, problem }): Found => ({ code: "FILE_LOST", of: file, reason: problem })),
    ...when(isLow, { code: "DISK_LOW" }),
    ...when(log.quotaExceeded, { code: "LOG_OVER_QUOTA" }),
    ...when(history.state === "failed", { code: "HISTORY_FAILED", reason: history.reason }),
    ...when(memory.availableBytes < limits.memoryLowBytes, { code: "MEMORY_LOW" }),
    ...when(!clock.trusted, { code: "CLOCK_NOT_TRUSTED" }),
  ];
}

function ofDevices({ adapters, radios }: HubFacts): readonly Found[] {
  const gone = radios.filter(({ isThere }) => isThere === false);
  const missing = new Set(gone.map(({ protocol }) => protocol));
  return [
    ...gone.map(({ port, protocol }): Found => ({ code: "RADIO_GONE", of: protocol, reason: port })),
    ...adapters.flatMap(({ protocol, state, reason }): readonly Found[] => {
      // Without its stick an adapter cannot run: that is one trouble, not two.
      if (missing.has(protocol)) return [];
      if (state === "resting") return [{ code: "ADAPTER_RESTING", of: protocol, reason }];
      return when(state === "restarting", { code: "ADAPTER_RESTARTING", of: protocol, reason });
    }),
  ];
}

function ofNetwork({ cloud, https }: HubFacts): readonly Found[] {
  const { served, problem, expiry } = https;
  return [
    ...when(cloud?.connected === false, { code: "CLOUD_AWAY" }),
    ...when(typeof cloud?.clone === "string", { code: "CLONE", reason: cloud?.clone ?? null }),
    ...when(!served && problem !== null, { code: "HTTPS_OFF", reason: problem }),
    ...when(expiry === "expired", { code: "CERTIFICATE_EXPIRED" }),
    ...when(expiry === "expiring", { code: "CERTIFICATE_EXPIRING" }),
  ];
}

function when(holds: boolean, trouble: Found): readonly Found[] {
  return holds ? [trouble] : [];
}
