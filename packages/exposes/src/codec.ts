import type { ExtraDescription, ExtraValue } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Expose } from "./expose.ts";

/** How a single property is shown and told as a setting or an extra. */
export interface Codec {
  readonly fieldType: ExtraDescription["fieldType"];
  /** The limits of a NUMBER. */
  readonly least: number | null;
  readonly most: number | null;
  /** The values of an OPTION. */
  readonly options: readonly (string | number)[];
  /** Converts the property's value; undefined when it is impossible. */
  readonly from: (value: unknown) => ExtraValue | undefined;
  readonly to: (value: ExtraValue) => unknown;
}

const plain = { least: null, most: null, options: [] } as const;

/** Returns the codec of a single property. Lists, and wholes of a kind that is not known, are JSON texts. */
export function codecOf(expose: Expose): Codec {
  switch (expose.type) {
    case "binary":
      return binary(expose);
    case "numeric":
      return numeric(expose);
    case "enum":
      return enumerated(expose) ?? text;
    case "text":
      return text;
    default:
      return json;
  }
}

function binary({ on = true, off = false }: Expose): Codec {
  return {
    ...plain,
    fieldType: "BOOL",
    from: (value) => (value === on ? true : value === off ? false : undefined),
    to: (value) => (value === true ? on : off),
  };
}

function numeric(expose: Expose): Codec {
  const isOdd = expose.least !== null && expose.most !== null && expose.least > expose.most;
  const [least, most] = isOdd ? [null, null] : [expose.least, expose.most];
  return {
    ...plain,
    fieldType: "NUMBER",
    least,
    most,
    from: (value) =>
      typeof value === "number" &&
      value >= (least ?? -Number.MAX_VALUE) &&
      value <= (most ?? Number.MAX_VALUE)
        ? value
        : undefined,
    to: (value) => value,
  };
}

function enumerated({ values }: Expose): Codec | undefined {
  const options = [...new Set(values)]
    .filter((value) => String(value) !== "" && String(value).length <= limits.stateExtraTextChars)
    .slice(0, limits.configurationOptions);
  if (options.length === 0) return undefined;
  return {
    ...plain,
    fieldType: "OPTION",
    options,
    from: (value) => options.find((option) => option === value),
    to: (value) => value,
  };
}

const isShort = (value: string): boolean => value.length <= limits.stateExtraTextChars;

const text: Codec = {
  ...plain,
  fieldType: "TEXT",
  from: (value) => {
    const said = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    return typeof said === "string" && isShort(said) ? said : undefined;
  },
  to: (value) => value,
};

const json: Codec = {
  ...plain,
  fieldType: "TEXT",
  from: (value) => {
    const said = typeof value === "object" && value !== null ? jsonOf(value) : undefined;
    return said !== undefined && isShort(said) ? said : undefined;
  },
  to: (value) => parsed(String(value)),
};

/** A converter may publish a circle, or a number that JSON does not have. */
function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Returns the value of a JSON text; another text is itself. */
function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
