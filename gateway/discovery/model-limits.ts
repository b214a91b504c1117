// What big model APIs and clients accept of a tool, as one table. docs/model-limits.md explains it; a preview applies it.
import { entriesOf, isRecord, listOf } from './record.ts'
import { LISTS, MAPS, ONE } from './schema-cost.ts'
import type { JsonSchema } from './tool.ts'

/** A tool as it is listed. */
export type ListedTool = { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema }
type ToolFacts = ReturnType<typeof factsOf>
type Limit = {
  readonly client: string
  /** What it rejects, and what goes with it. */
  readonly limit: string
  readonly source: string
  readonly breaks: (tool: ListedTool, facts: ToolFacts) => boolean
}

const AT_TOP = ['oneOf', 'anyOf', 'allOf']
const named = (pattern: RegExp) => (tool: ListedTool) => !pattern.test(tool.name)
const holds =
  (...keywords: readonly string[]) =>
  (_tool: ListedTool, facts: ToolFacts) =>
    keywords.some((keyword) => facts.keywords.has(keyword))
const atTop = ({ inputSchema }: ListedTool) => AT_TOP.some((keyword) => keyword in inputSchema)

export const MODEL_LIMITS: readonly Limit[] = [
  {
    client: 'Anthropic API',
    limit: 'a property key outside ^[a-zA-Z0-9_.-]{1,64}$ fails the whole request',
    source: 'https://github.com/anthropics/claude-code/issues/79418',
    breaks: (_tool, { keys }) => keys.some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
  },
  {
    client: 'Anthropic API',
    limit: 'a name outside ^[a-zA-Z0-9_-]{1,64}$ fails the whole request',
    source: 'https://github.com/dimagi/open-chat-studio/issues/4027',
    breaks: named(/^[a-zA-Z0-9_-]{1,64}$/),
  },
  {
    client: 'Anthropic API',
    limit: 'oneOf, anyOf or allOf at the top of a schema fails the whole request',
    source: 'https://github.com/anthropics/claude-code/issues/27337',
    breaks: atTop,
  },
  {
    client: 'Anthropic API, managed agents',
    limit: '$ref anywhere in a schema is rejected',
    source: 'https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes',
    breaks: holds('$ref'),
  },
  {
    client: 'OpenAI API',
    limit: 'a name outside ^[a-zA-Z0-9_-]{1,64}$ fails the whole request',
    source: 'https://docs.rs/crate/openai-client-base/0.12.0/source/docs/ChatCompletionFunctions.md',
    breaks: named(/^[a-zA-Z0-9_-]{1,64}$/),
  },
  {
    client: 'OpenAI API',
    limit: 'a description over 1024 characters fails the whole request (GPT-4o, o3-mini)',
    source: 'https://github.com/getsentry/sentry-mcp/issues/106',
    breaks: ({ description }) => description.length > 1024,
  },
  {
    client: 'OpenAI API',
    limit: 'oneOf, anyOf or allOf at the top of a schema fails the whole request',
    source: 'https://github.com/anomalyco/opencode/issues/35516',
    breaks: atTop,
  },
  {
    client: 'OpenAI API, strict',
    limit: 'more than 10 levels of objects are rejected',
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas',
    breaks: (_tool, { depth }) => depth > 10,
  },
  {
    client: 'OpenAI API, strict',
    limit: 'more than 1000 enum values in a schema are rejected',
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas',
    breaks: (_tool, { enums }) => enums > 1000,
  },
  {
    client: 'Gemini API',
    limit: 'a name outside ^[A-Za-z_][A-Za-z0-9_.-]{0,63}$ is rejected',
    source:
      'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder',
    breaks: named(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/),
  },
  {
    client: 'Gemini API, `parameters`',
    limit:
      '$ref, additionalProperties, oneOf, allOf, not, patternProperties and if are rejected; `parametersJsonSchema` is wider',
    source: 'https://github.com/promptfoo/promptfoo/issues/6902',
    breaks: holds('$ref', 'additionalProperties', 'oneOf', 'allOf', 'not', 'patternProperties', 'if'),
  },
  {
    client: 'Cursor',
    limit: 'a tool whose name and server name exceed 60 characters together is left out',
    source: 'https://github.com/ComposioHQ/composio/issues/2788',
    breaks: ({ name }) => name.length >= 60,
  },
]

/** Lists longer than this fail or are cut; `search_tools` and bundles keep them short. */
export const MOST_TOOLS = [
  { client: 'OpenAI API', tools: 128, source: 'https://github.com/openai/openai-openapi/pull/76' },
] as const

export function lossesOf(tool: ListedTool): readonly Pick<Limit, 'client' | 'limit'>[] {
  const facts = factsOf(tool.inputSchema)
  return MODEL_LIMITS.filter(({ breaks }) => breaks(tool, facts))
}

/** One line for each client that would lose tools of this list. */
export function lossesIn(tools: readonly ListedTool[]): readonly string[] {
  const lost = Map.groupBy(
    tools.flatMap((tool) => lossesOf(tool).map((loss) => ({ ...loss, tool: tool.name }))),
    ({ client, limit }) => `${client}: ${limit}`,
  )
  const each = [...lost].map(([text, { length, 0: first }]) => {
    const more = length > 1 ? ` and ${length - 1} more` : ''
    return `${text}. Affected: ${first?.tool}${more}.`
  })
  const long = MOST_TOOLS.filter((most) => tools.length > most.tools).map(
    (most) =>
      `${most.client}: a request has at most ${most.tools} tools, and this backend has ${tools.length}. Use a bundle or search_tools.`,
  )
  return [...each, ...long]
}

const MAX_DEPTH = 64

function factsOf(root: JsonSchema) {
  const keywords = new Set<string>()
  const keys: string[] = []
  let enums = 0
  let deepest = 0
  const visit = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || depth > MAX_DEPTH) return
    for (const keyword of Object.keys(schema)) keywords.add(keyword)
    enums += listOf(schema.enum).length
    const inside = depth + (isRecord(schema.properties) ? 1 : 0)
    deepest = Math.max(deepest, inside)
    for (const [key] of entriesOf(schema.properties)) keys.push(key)
    for (const keyword of ONE) visit(schema[keyword], inside)
    for (const keyword of LISTS) for (const item of listOf(schema[keyword])) visit(item, inside)
    for (const keyword of MAPS) for (const [, item] of entriesOf(schema[keyword])) visit(item, inside)
  }
  visit(root, 0)
  return { keywords, keys, enums, depth: deepest }
}
