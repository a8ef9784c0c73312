import type { ConfigurationValues } from "@ledge/model";
import type { AttributeValues, ExposedExtra, ExposedSetting, Values } from "@ledge/exposes";

/** A property that a definition's converter can ask a device for. */
export interface Question {
  readonly key: string;
  readonly endpointName: string | null;
}

/** What a definition says about one unit, and what is known of it. */
interface Asked {
  readonly settings: readonly ExposedSetting[];
  readonly extras: readonly ExposedExtra[];
  readonly known: ConfigurationValues;
  /** What its converters published since the start: a property with parts can only be set as a whole. */
  readonly properties: Values;
  readonly values: AttributeValues;
}

/** Returns what to ask a device so that no readable setting and no readable extra stays blank. */
export function questionsOf({ settings, extras, known, properties, values }: Asked): readonly Question[] {
  const blank = [
    ...settings.filter(
      ({ item, path, property }) =>
        known[item.name] === undefined || (path.length > 0 && properties[property] === undefined),
    ),
    ...extras.filter(({ attribute, described }) => !described.momentary && values[attribute] === undefined),
  ];
  const questions = new Map<string, Question>();
  for (const { isReadable, key, endpoint } of blank)
    if (isReadable) questions.set(`${endpoint}/${key}`, { key, endpointName: endpoint });
  return [...questions.values()];
}
