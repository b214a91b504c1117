// An introspection result → one tool per query and one per mutation.
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  type IntrospectionQuery,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { GatewayError } from '../contract/error.ts'
import { cleanLabel, cleanMetadata, cut } from '../text/clean.ts'
import { bounded, discoveryError, refuseTooMany } from './failure.ts'
import { argumentsSchema, isDeprecated } from './graphql-arguments.ts'
import { type Roots, SELECT } from './graphql-select.ts'
import { selections } from './graphql-selection.ts'
import { keepName, uniqueNames } from './names.ts'
import { get, isRecord, listOf, textOf } from './record.ts'
import type { DiscoveredTool, Discovery, JsonSchema, Place, Skipped } from './tool.ts'

export type GraphqlOptions = {
  readonly includeMutations: boolean
  readonly maxTypes: number
  readonly selectionMaxDepth: number
  readonly inputMaxDepth: number
  readonly maxTools: number
}

const MAX_DESCRIPTION = 1024

export function discoverGraphql(answer: unknown, options: GraphqlOptions): Discovery {
  try {
    return toolsOf(answer, options)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    // The library reads types as they are used, so a broken one is found only then.
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw discoveryError(
      'introspect',
      `The introspection result is not a usable schema: ${cleanLabel(reason).slice(0, 200)}`,
    )
  }
}

function toolsOf(answer: unknown, options: GraphqlOptions): Discovery {
  const schema = schemaOf(answer, options.maxTypes)
  const queries = fieldsOf(schema.getQueryType())
  const mutations = options.includeMutations ? fieldsOf(schema.getMutationType()) : []
  const skipped = fieldsOf(schema.getSubscriptionType()).map(
    ({ name }): Skipped => ({ operation: `subscription ${name}`, reason: 'a subscription is not one call' }),
  )
  refuseTooMany(queries.length + mutations.length, options.maxTools)
  const takeName = uniqueNames()
  const inQueries = new Set(queries.map((field) => field.name))
  const select = selections(schema, options.selectionMaxDepth)
  const roots = rootsOf(schema)
  const tools = [
    ...queries.map((field) => toolOf(select, roots, field, 'query', field.name, options, takeName)),
    ...mutations.map((field) => {
      const sourceName = inQueries.has(field.name) ? `mutation_${field.name}` : field.name
      return toolOf(select, roots, field, 'mutation', sourceName, options, takeName)
    }),
  ]
  const warnings = deprecations([...queries, ...mutations])
  return bounded({ tools, skipped, warnings }, options.maxTools, 'The schema has no query and no mutation to call.')
}

/** Deprecated arguments stay usable: they are listed and marked. */
function deprecations(fields: readonly Field[]): readonly string[] {
  const names = fields.flatMap(({ name, args }) =>
    args.filter(isDeprecated).map((argument) => `${name}.${argument.name}`),
  )
  if (names.length === 0) return []
  const more = names.length > 5 ? ', …' : ''
  return [
    `${names.length === 1 ? '1 argument is' : `${names.length} arguments are`} deprecated: ${names.slice(0, 5).join(', ')}${more}`,
  ]
}

function schemaOf(answer: unknown, maxTypes: number): GraphQLSchema {
  const data = get(answer, '__schema') === undefined ? get(answer, 'data') : answer
  const found = get(data, '__schema')
  if (!isRecord(data) || !isRecord(found)) {
    const reason = textOf(get(listOf(get(answer, 'errors'))[0], 'message'))
    const text = reason === undefined ? '' : ` It answered: ${cleanMetadata(reason, 200)}`
    throw discoveryError(
      'introspect',
      `The endpoint did not answer with an introspection result: is introspection switched off?${text}`,
    )
  }
  const types = listOf(found.types).filter((type) => textOf(get(type, 'name'))?.startsWith('__') !== true).length
  if (types > maxTypes) {
    throw discoveryError(
      'introspect',
      `The schema has ${types} types and at most ${maxTypes} are read: raise GRAPHQL_MAX_TYPES.`,
    )
  }
  // Checked for its two marks above; the library itself refuses what is not a schema.
  return buildClientSchema(data as unknown as IntrospectionQuery, { assumeValid: true })
}

type Field = GraphQLField<unknown, unknown>

function fieldsOf(type: GraphQLObjectType | null | undefined): readonly Field[] {
  return type === null || type === undefined ? [] : Object.values(type.getFields())
}

/** How a selection could come back to the operations of the schema, each of which is a tool with guards of its own. */
function rootsOf(schema: GraphQLSchema): Roots {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const types = roots.flatMap((type) => (type ? [type.name] : []))
  const fields = Object.values(schema.getTypeMap())
    .flatMap((type) => (isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []))
    .filter((field) => types.includes(getNamedType(field.type).name))
    .map(({ name }) => name)
  return { fields: [...new Set(fields)].sort(), types }
}

function toolOf(
  select: (type: GraphQLOutputType) => string,
  roots: Roots,
  field: Field,
  operation: 'query' | 'mutation',
  sourceName: string,
  options: GraphqlOptions,
  takeName: (wanted: string) => string,
): DiscoveredTool {
  const definitions = field.args.map((argument) => `$${argument.name}: ${String(argument.type)}`)
  const values = field.args.map((argument) => `${argument.name}: $${argument.name}`)
  const signature = definitions.length === 0 ? '' : `(${definitions.join(', ')})`
  const call = `${field.name}${values.length === 0 ? '' : `(${values.join(', ')})`}`
  const selection = select(field.type)
  const description = textOf(field.description)
  const before = `${operation} ${field.name}${signature} { ${call}`
  const free = selection !== '' && !field.args.some(({ name }) => name === SELECT)
  return {
    name: takeName(keepName(sourceName)),
    sourceName: cut(sourceName, 256),
    description: cut(cleanMetadata(description ?? `${operation} ${field.name}`), MAX_DESCRIPTION),
    inputSchema: free
      ? selectable(argumentsSchema(field.args, options.inputMaxDepth), field)
      : argumentsSchema(field.args, options.inputMaxDepth),
    places: Object.fromEntries(field.args.map(({ name }): [string, Place] => [name, { in: 'variable', name }])),
    ...(typeof field.deprecationReason === 'string' ? { deprecated: true } : {}),
    graphql: {
      operation,
      operationName: field.name,
      document: `${before}${selection === '' ? '' : ` ${selection}`} }`,
      ...(free ? { select: { at: before.length + 1, roots } } : {}),
    },
  }
}

function selectable(schema: JsonSchema, field: Field): JsonSchema {
  const type = getNamedType(field.type)
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
  const plain = fields.find(
    ({ type: inner, args }) => isLeafType(getNamedType(inner)) && !args.some(isRequiredArgument),
  )
  const example = `{ ${plain?.name ?? '__typename'} }`
  // Reported beside the arguments and not among them: those are the field's own, and keep the form of its schema.
  const description = `"${SELECT}" may hold a selection set of ${type.name} to ask for instead of the default, such as "${example}".`
  return { ...schema, description: cut(description, 512) }
}
