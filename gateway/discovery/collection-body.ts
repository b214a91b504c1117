// The body of a collection's request as arguments with their sample values.

import { cleanMetadata } from '../text/clean.ts'
import { keyValues, textOfDescription } from './collection-url.ts'
import { fill, isOpen, type Variables } from './collection-variables.ts'
import { get, isRecord, scalarOf, textOf } from './record.ts'
import { type SampleBody, sampleArgument, sampleBody, samplePairs, sampleSchema } from './sample.ts'
import { fileSchema } from './schema.ts'
import type { Argument, JsonSchema } from './tool.ts'

const LANGUAGES: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
  text: 'text/plain',
}
const FORM = 'application/x-www-form-urlencoded'

export function collectionBody(
  body: unknown,
  contentType: string | undefined,
  variables: Variables,
  taken: Set<string>,
): SampleBody | undefined {
  if (!isRecord(body) || body.disabled === true) return undefined
  switch (body.mode) {
    case 'raw':
      return rawBody(fill(scalarOf(body.raw), variables), body, contentType, taken)
    case 'urlencoded':
      return formBody(body.urlencoded, contentType ?? FORM, variables, taken)
    case 'formdata':
      return multipartBody(body.formdata, variables, taken)
    case 'graphql':
      return graphqlBody(body.graphql, variables, taken)
    case 'file':
      return {
        body: { encoding: 'raw', mediaType: contentType ?? 'application/octet-stream', merged: false },
        arguments: [fileArgument('body', taken)],
      }
    default:
      return undefined
  }
}

function fileArgument(name: string, taken: Set<string>): Argument {
  const argument = sampleArgument(
    name,
    '',
    { in: 'body', name, ...(name === 'body' ? { whole: true as const } : {}), binary: true },
    taken,
  )
  return { ...argument, schema: fileSchema({ type: 'string' }) }
}

function rawBody(
  text: string,
  body: unknown,
  contentType: string | undefined,
  taken: Set<string>,
): SampleBody | undefined {
  if (text.trim() === '') return undefined
  const language = textOf(get(get(get(body, 'options'), 'raw'), 'language'))
  // A variable without quotes is not JSON until it is given a place to stand, and comments are never sent.
  const standing = withoutComments(text).replace(/(?<!["\w])(\{\{[^{}]+\}\})(?!["\w])/g, '"$1"')
  const readable = isJson(text) || !isJson(standing) ? text : standing
  const looksJson = isJson(readable)
  const mediaType =
    contentType ?? textOf(get(LANGUAGES, language ?? '')) ?? (looksJson ? 'application/json' : 'text/plain')
  return withoutOpenSamples(sampleBody(readable, mediaType, taken))
}

function withoutComments(text: string): string {
  return text.replace(/("(?:[^"\\]|\\[^]?)*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (_, quoted?: string) => quoted ?? '')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** An open variable is not a value: its argument has no default, and the text as a whole is no sample. */
function withoutOpenSamples(sample: SampleBody): SampleBody {
  const open = (argument: Argument) => isOpen(JSON.stringify(argument.schema.default ?? ''))
  if (!sample.arguments.some(open)) return sample
  const list = sample.arguments.map((argument) =>
    open(argument) ? { ...argument, schema: withoutDefault(argument.schema) } : argument,
  )
  return { body: sample.body, arguments: list }
}

export function withoutDefault(schema: JsonSchema): JsonSchema {
  const { default: _default, ...rest } = schema
  return rest
}

function formBody(list: unknown, mediaType: string, variables: Variables, taken: Set<string>): SampleBody | undefined {
  const fields = keyValues(list, variables)
  if (fields.length === 0) return undefined
  const pairs = fields.map(({ key, value }): [string, string] => [key, value])
  const described = describe(samplePairs(pairs, 'body', taken), fields)
  return withoutOpenSamples({ body: { encoding: 'form', mediaType, merged: true }, arguments: described })
}

function describe(list: readonly Argument[], fields: ReturnType<typeof keyValues>): readonly Argument[] {
  return list.map((argument) => {
    const text = textOfDescription(get(fields.find(({ key }) => key === argument.place.name)?.item, 'description'))
    return text === undefined
      ? argument
      : { ...argument, schema: { ...argument.schema, description: cleanMetadata(text) } }
  })
}

function multipartBody(list: unknown, variables: Variables, taken: Set<string>): SampleBody | undefined {
  const fields = keyValues(list, variables)
  if (fields.length === 0) return undefined
  const isFile = ({ item }: { readonly item: unknown }) => get(item, 'type') === 'file'
  const files = [...new Set(fields.filter(isFile).map(({ key }) => key))].map((key) => fileArgument(key, taken))
  const texts = fields.filter((field) => !isFile(field))
  const pairs = texts.map(({ key, value }): [string, string] => [key, value])
  const named = describe(samplePairs(pairs, 'body', taken), texts).map((argument): Argument => {
    const contentType = textOf(get(texts.find(({ key }) => key === argument.place.name)?.item, 'contentType'))
    const type = contentType !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? { contentType } : {}
    return { ...argument, place: { in: 'body', name: argument.place.name, ...type } }
  })
  const all = [
    ...named,
    ...files.map((file) => ({ ...file, place: { in: 'body' as const, name: file.place.name, binary: true as const } })),
  ]
  return withoutOpenSamples({
    body: { encoding: 'multipart', mediaType: 'multipart/form-data', merged: true },
    arguments: all,
  })
}

function graphqlBody(graphql: unknown, variables: Variables, taken: Set<string>): SampleBody | undefined {
  const query = textOf(get(graphql, 'query'))
  if (query === undefined) return undefined
  const given = get(graphql, 'variables')
  const text = typeof given === 'string' ? fill(given, variables) : JSON.stringify(given ?? {})
  const values: unknown = isJson(text) ? JSON.parse(text) : {}
  const operationName = textOf(get(graphql, 'operationName'))
  const list = [
    sampleArgument('query', fill(query, variables), { in: 'body', name: 'query' }, taken),
    sampleArgument('variables', isRecord(values) ? values : {}, { in: 'body', name: 'variables' }, taken),
    ...(operationName === undefined
      ? []
      : [sampleArgument('operationName', operationName, { in: 'body', name: 'operationName' }, taken)]),
  ].map((argument) => ({ ...argument, schema: { ...sampleSchema(argument.schema.default), ...argument.schema } }))
  return withoutOpenSamples({
    body: { encoding: 'json', mediaType: 'application/json', merged: true },
    arguments: list,
  })
}
