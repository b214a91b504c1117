// GraphQL argument types as JSON Schema, input objects to a bounded depth.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  print,
} from 'graphql'
import { cleanMetadata, cut } from '../text/clean.ts'
import { get, textOf } from './record.ts'
import type { JsonSchema } from './tool.ts'

const BUDGET_BYTES = 64 * 1024
const MAX_ENUM = 1000
const MAX_TEXT = 1024

const SCALARS: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  String: 'string',
  Boolean: 'boolean',
  ID: 'string',
}

/** A type too wide for its depth is written with less of it. */
export function argumentsSchema(list: readonly GraphQLArgument[], maxDepth: number): JsonSchema {
  for (let depth = maxDepth; ; depth -= 1) {
    const schema = withDepth(list, depth)
    if (depth <= 1 || JSON.stringify(schema).length <= BUDGET_BYTES) return schema
  }
}

function withDepth(list: readonly GraphQLArgument[], depth: number): JsonSchema {
  const required = list.filter(isRequiredArgument).map((argument) => argument.name)
  return {
    type: 'object',
    properties: Object.fromEntries(list.map((argument) => [argument.name, described(argument, depth)])),
    ...(required.length > 0 ? { required } : {}),
  }
}

function described(field: GraphQLArgument | GraphQLInputField, depth: number): JsonSchema {
  const schema = schemaOf(field.type, depth)
  const literal = field.default?.literal
  const message = literal === undefined ? '' : `Default: ${print(literal)}`
  const texts = [
    field.description,
    message.length <= 120 ? message : '',
    isDeprecated(field) && `Deprecated: ${field.deprecationReason}`,
    isEnumType(getNullableType(field.type)) && schema.description,
  ].filter((text) => typeof text === 'string' && text.trim() !== '')
  const description = texts.length > 0 ? texts.join(' ') : schema.description
  return {
    ...schema,
    ...(typeof description === 'string' ? { description: cut(cleanMetadata(description), MAX_TEXT) } : {}),
    ...(isDeprecated(field) ? { deprecated: true } : {}),
  }
}

export const isDeprecated = ({
  deprecationReason,
}: {
  readonly deprecationReason?: string | null | undefined
}): boolean => typeof deprecationReason === 'string'

function schemaOf(type: GraphQLInputType, depth: number): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, depth)
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, depth) }
  if (isEnumType(type)) {
    const values = type.getValues()
    const names = values.map(({ name }) => name)
    const old = values.filter(isDeprecated).map(({ name }) => name)
    const texts = [
      ...(names.length <= MAX_ENUM
        ? []
        : [`One of ${names.length} values of ${type.name}, such as ${names.slice(0, 20).join(', ')}.`]),
      ...(old.length === 0 ? [] : [`Deprecated: ${old.join(', ')}.`]),
    ]
    return {
      type: 'string',
      ...(names.length <= MAX_ENUM ? { enum: names } : {}),
      ...(texts.length === 0 ? {} : { description: cut(texts.join(' '), MAX_TEXT) }),
    }
  }
  if (!isInputObjectType(type)) {
    const known = textOf(get(SCALARS, type.name))
    return known === undefined ? { description: `A value of the scalar ${type.name}.` } : { type: known }
  }
  const text =
    typeof type.description === 'string' ? { description: cut(cleanMetadata(type.description), MAX_TEXT) } : {}
  if (depth <= 0) return { type: 'object', description: `Fields of ${type.name}.` }
  const fields = Object.values(type.getFields())
  const required = fields.filter(isRequiredInputField).map((field) => field.name)
  return {
    type: 'object',
    ...text,
    properties: Object.fromEntries(fields.map((field) => [field.name, described(field, depth - 1)])),
    ...(required.length > 0 ? { required } : {}),
    ...(type.isOneOf ? { minProperties: 1, maxProperties: 1 } : {}),
  }
}
