// The kinds of sources and their fields. Pure.
import { Braces, FileJson, FolderTree, type LucideIcon, PenLine, Plug, SquareTerminal } from 'lucide-react'
import { t } from '../../language/language.ts'

export type FieldRow = {
  readonly key: string
  readonly label: string
  readonly kind: 'url' | 'text' | 'area' | 'list' | 'flag' | 'transport' | 'era'
  readonly hint?: string
  readonly placeholder?: string
  /** Of a flag: it is off at first, and sent only where it is on. */
  readonly optional?: true
}

export type SourceRow = {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly icon: LucideIcon
  /** Constants of the payload. */
  readonly fixed?: Readonly<Record<string, string>>
  readonly fields: readonly FieldRow[]
}

const BASE_URL: FieldRow = {
  key: 'base_url',
  label: t('Base URL'),
  kind: 'url',
  optional: true,
  hint: t('Only if it differs from the source.'),
}

export const SOURCES: readonly SourceRow[] = [
  {
    key: 'openapi',
    title: t('OpenAPI document'),
    about: t('2.0, 3.0 or 3.1, JSON or YAML: one tool per operation'),
    icon: FileJson,
    fields: [
      {
        key: 'openapi_url',
        label: t('Document URL'),
        kind: 'url',
        placeholder: t('https://api.example.com/openapi.json'),
      },
      BASE_URL,
      {
        key: 'include_tags',
        label: t('Only these tags'),
        kind: 'list',
        optional: true,
        hint: t('Separated by commas. Empty includes all.'),
      },
      {
        key: 'exclude_operations',
        label: t('Exclude'),
        kind: 'list',
        optional: true,
        hint: t('Operation ids or “DELETE /path”, separated by commas.'),
      },
    ],
  },
  {
    key: 'mcp',
    title: t('MCP server'),
    about: t('Proxy an MCP server’s tools, resources and prompts'),
    icon: Plug,
    fixed: { kind: 'mcp' },
    fields: [
      { key: 'mcp_url', label: t('Server URL'), kind: 'url', placeholder: t('https://mcp.example.com/mcp') },
      { key: 'mcp_transport', label: t('Transport'), kind: 'transport' },
      { key: 'mcp_era', label: t('Protocol era'), kind: 'era' },
      { key: 'mcp_sign_in', label: t('Lists its tools after a sign-in'), kind: 'flag', optional: true },
    ],
  },
  {
    key: 'graphql',
    title: t('GraphQL endpoint'),
    about: t('One tool per query and mutation, by introspection'),
    icon: Braces,
    fixed: { kind: 'graphql' },
    fields: [
      {
        key: 'graphql_url',
        label: t('Endpoint URL'),
        kind: 'url',
        placeholder: t('https://api.example.com/graphql'),
      },
      { key: 'include_mutations', label: t('Include mutations'), kind: 'flag' },
    ],
  },
  {
    key: 'curl',
    title: t('curl command'),
    about: t('Turn a curl command into a tool'),
    icon: SquareTerminal,
    fields: [
      {
        key: 'curl_input',
        label: t('Command'),
        kind: 'area',
        placeholder: t(
          'curl -X POST https://api.example.com/items -H \'Content-Type: application/json\' -d \'{"name":"x"}\'',
        ),
        hint: t('A credential in the command is stored encrypted and is not part of the tool.'),
      },
    ],
  },
  {
    key: 'collection',
    title: t('Client collection'),
    about: t('A v2.1 export: one tool per request, folders become prefixes'),
    icon: FolderTree,
    fields: [
      {
        key: 'client_collection',
        label: t('The export, as JSON'),
        kind: 'area',
        placeholder: t('{ "info": { … }, "item": [ … ] }'),
      },
      BASE_URL,
    ],
  },
  {
    key: 'manual',
    title: t('Manually'),
    about: t('Define tools in JSON for an API without a specification'),
    icon: PenLine,
    fields: [
      { key: 'base_url', label: t('Base URL'), kind: 'url', placeholder: t('https://api.example.com') },
      {
        key: 'tools',
        label: t('Tools, as a JSON list'),
        kind: 'area',
        placeholder: t(
          '[{ "name": "get_item", "method": "GET", "endpoint": "/items/:id", "description": "One item by id",\n  "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] } }]',
        ),
      },
    ],
  },
]

export type Draft = Readonly<Record<string, string | boolean>>
export type Payload = Readonly<Record<string, unknown>>

const INITIAL: Partial<Record<FieldRow['kind'], Draft[string]>> = {
  flag: true,
  transport: 'streamable-http',
  era: 'auto',
}

export const emptyDraft = (source: SourceRow): Draft =>
  Object.fromEntries(
    source.fields.map(({ key, kind, optional }) => [key, (optional ? undefined : INITIAL[kind]) ?? '']),
  )

/** The payload, or the field that prevents sending it, with the reason. */
export function payloadOf(
  source: SourceRow,
  draft: Draft,
): { readonly payload: Payload } | { readonly problems: Readonly<Record<string, string>> } {
  const problems: Record<string, string> = {}
  const payload: Record<string, unknown> = { ...source.fixed }
  for (const { key, kind, optional } of source.fields) {
    const given = draft[key]
    const text = typeof given === 'string' ? given.trim() : ''
    if (kind === 'flag') {
      if (given === true || !optional) payload[key] = given === true
    } else if (text === '') {
      if (!optional) problems[key] = t('is required')
    } else if (kind === 'list')
      payload[key] = text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    else if (key === 'tools' || key === 'client_collection') {
      const parsed = parsedJson(text)
      if (parsed === undefined) problems[key] = t('is not JSON')
      else payload[key] = parsed
    } else payload[key] = text
  }
  return Object.keys(problems).length > 0 ? { problems } : { payload }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const asName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '')

/** Words that a title has beside the name of the API. */
const FILLERS = /\b(?:swagger|openapi|api|rest|service|specification|the|v?\d+(?:\.\d+)*)\b/gi

/** A suggested name from the title of the document: “Swagger Petstore - OpenAPI 3.0” is petstore. */
export const nameFromTitle = (title: string | undefined): string => {
  const name = asName((title ?? '').slice(0, 200).replaceAll(FILLERS, ' '))
  return name === '' ? asName(title ?? '') : name
}

/** A suggested name from the first URL. */
/** The first URL of the fields, also inside a command or collection. */
export function urlIn(draft: Draft): string | undefined {
  const text = Object.values(draft).find((value) => typeof value === 'string' && /https?:\/\//.test(value))
  return typeof text === 'string' ? /https?:\/\/[^\s'"]+/.exec(text)?.[0] : undefined
}

export function suggestedName(draft: Draft): string {
  const host = /https?:\/\/([^/:]+)/.exec(urlIn(draft) ?? '')?.[1]
  // An IP address names nothing.
  if (host === undefined || /^(?:[\d.]+|\[.*)$/.test(host)) return ''
  const labels = host
    .toLowerCase()
    .split('.')
    .filter((label) => !['www', 'api', 'mcp', 'com', 'org', 'net', 'io', 'dev'].includes(label))
  return (labels[0] ?? host)
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
}
