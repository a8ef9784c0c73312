import { limits } from "@ledge/model";
import Type from "typebox";
import { type Attribute, attributeTypes, type FieldProblem } from "./site-attributes.ts";

/** Stands for any name or type. */
const any = "*";
const EntityType = Type.String({ pattern: `^(?:[a-z0-9_-]{1,${limits.siteEntityNameChars}}|\\*)$` });

/** An attribute that there may be; with the name `*` any that has no definition of its own. */
const AttributeDefinition = Type.Object({
  name: Type.String({ minLength: 1, maxLength: limits.siteAttributeNameChars }),
  /** The type of its values; `*` for any. */
  type: Type.Optional(Type.Enum([...attributeTypes, any])),
  /** Whether it must be there. */
  required: Type.Optional(Type.Boolean()),
});

const Definitions = Type.Array(AttributeDefinition, { maxItems: limits.siteAttributes });

/** A kind of entities that there may be; with the type `*` any that has no definition of its own. */
const EntityDefinition = Type.Object({
  type: EntityType,
  attributes: Definitions,
  /** The types of entities that one may stand in: `*` for anywhere, an empty text for the site itself. */
  parents: Type.Array(Type.Union([EntityType, Type.Literal("")]), { maxItems: limits.siteEntityParents }),
});

/** What a site may hold (platform-api 2.4). An empty list allows nothing. */
export const SiteSchema = Type.Object({
  attributes: Definitions,
  entities: Type.Array(EntityDefinition, { maxItems: limits.siteEntityKinds }),
});
export type SiteSchema = Type.Static<typeof SiteSchema>;

/** The schema of a new site: it allows everything. */
export const openSchema: SiteSchema = {
  attributes: [{ name: any, type: any, required: false }],
  entities: [{ type: any, attributes: [{ name: any, type: any, required: false }], parents: [any] }],
};

/** Returns what is wrong with a schema itself. */
export function schemaProblem({ attributes, entities }: SiteSchema): FieldProblem | undefined {
  const twice = twiceIn(entities.map(({ type }) => type));
  if (twice >= 0) return { field: `entities.${twice}.type`, message: "is there twice" };
  const lists = [
    ["attributes", attributes] as const,
    ...entities.map((one, index) => [`entities.${index}.attributes`, one.attributes] as const),
  ];
  for (const [field, list] of lists) {
    const index = twiceIn(list.map(({ name }) => name));
    if (index >= 0) return { field: `${field}.${index}.name`, message: "is there twice" };
    const loose = list.findIndex(({ name, required }) => name === any && required === true);
    if (loose >= 0) return { field: `${field}.${loose}.required`, message: "needs a name of its own" };
  }
  return undefined;
}

/** Returns what a schema finds wrong with the attributes of a site. */
export function siteProblem(schema: SiteSchema, attributes: readonly Attribute[]): FieldProblem | undefined {
  return attributesProblem(schema.attributes, attributes);
}

/**
 * Returns what a schema finds wrong with an entity.
 * @param parent the type of the entity that it stands in; "" for the site itself
 */
export function entityProblem(
  { entities }: SiteSchema,
  { type, attributes }: { readonly type: string; readonly attributes: readonly Attribute[] },
  parent: string,
): FieldProblem | undefined {
  const definition = defined(entities, type, ({ type: of }) => of);
  if (definition === undefined) return { field: "type", message: `${type} is not in the site's schema` };
  const { parents } = definition;
  if (!parents.includes(any) && !parents.includes(parent)) {
    const place = parent === "" ? "in the site itself" : `in one of type ${parent}`;
    return { field: "type", message: `${type} may not stand ${place}` };
  }
  return attributesProblem(definition.attributes, attributes);
}

function attributesProblem(
  definitions: SiteSchema["attributes"],
  attributes: readonly Attribute[],
): FieldProblem | undefined {
  for (const { name, $type } of attributes) {
    const definition = defined(definitions, name, ({ name: of }) => of);
    if (definition === undefined)
      return { field: "attributes", message: `${name} is not in the site's schema` };
    const { type = any } = definition;
    if (type !== any && type !== $type) return { field: "attributes", message: `${name} must be a ${type}` };
  }
  const names = new Set(attributes.map(({ name }) => name));
  const missing = definitions.find(({ name, required }) => required === true && !names.has(name));
  return missing && { field: "attributes", message: `${missing.name} is required by the site's schema` };
}

/** Returns the definition of a name: its own, or that of all others. */
function defined<Definition>(
  definitions: readonly Definition[],
  name: string,
  nameOf: (definition: Definition) => string,
): Definition | undefined {
  const own = name === any ? undefined : definitions.find((each) => nameOf(each) === name);
  return own ?? definitions.find((each) => nameOf(each) === any);
}

function twiceIn(names: readonly string[]): number {
  return names.findIndex((name, index) => names.indexOf(name) !== index);
}
