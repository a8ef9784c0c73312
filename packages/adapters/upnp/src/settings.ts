import { checkedSetting, Discovery, discoveryGroup, refuseDuplicates } from "@ledge/port";
import type { Place, Reach } from "@ledge/soap";
import Type from "typebox";

const strict = { additionalProperties: false } as const;
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

const Renderer = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9][\\w.-]{0,63}$" }),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    host: Type.String({ pattern: "^[A-Za-z0-9.:_-]+$", maxLength: 253 }),
    port: Port,
    path: Type.String({ pattern: "^/", maxLength: 256 }),
  },
  strict,
);
const Root = Type.Object(
  {
    renderers: Type.Optional(Type.Array(Renderer, { maxItems: 64 })),
    discovery: Type.Optional(Discovery),
    pollEveryMs: Type.Optional(Type.Integer({ minimum: 500, maximum: 600_000 })),
    localTargets: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** A renderer, by where its description is. */
export interface RendererSettings {
  readonly id: string;
  readonly name: string;
  /** An address or a name of the local network. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

export interface Settings {
  readonly renderers: readonly RendererSettings[];
  /** Where renderers are asked to make themselves known; undefined: nowhere. */
  readonly discovery: Place | undefined;
  readonly pollEveryMs: number;
  readonly reach: Reach;
}

/** The group in which devices listen for SSDP. */
const everybody: Place = { address: "239.255.255.250", port: 1900 };

/**
 * Validates the settings and fills in defaults.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown): Settings {
  const {
    renderers = [],
    discovery,
    pollEveryMs = 2000,
    localTargets = false,
  } = checkedSetting(Root, settings, "");
  refuseDuplicates(
    renderers.map(({ id }) => id),
    "renderers",
    "id",
  );
  return {
    renderers,
    discovery: discoveryGroup(discovery, everybody),
    pollEveryMs,
    reach: { own: localTargets },
  };
}
