// Tools, resources and prompts of the fixture: the names are the conformance suite's, the rest is ours.
import { type Context, Fault, InputRequired, type Json, pause, recordOf } from './context.ts'
import { form, ROUND_TOOLS, sampling } from './rounds.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (value: string): Json => ({ content: [{ type: 'text', text: value }] })
const embedded = (uri: string, mimeType: string, body: string): Json => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
})

type Tool = {
  readonly properties?: Json
  readonly required?: readonly string[]
  readonly schema?: Json
  readonly run: (context: Context, args: Json) => Json | Promise<Json>
}

const elicited = async (context: Context, message: string, properties: Json): Promise<Json> => {
  const { method, params } = form(message, properties, [])
  const answer = await context.ask('form', String(method), recordOf(params))
  return text(`Elicitation completed: action=${String(answer.action)}, content=${JSON.stringify(answer.content)}`)
}

const options = ['option1', 'option2', 'option3']
const titled = (prefix: string): Json[] =>
  ['First', 'Second', 'Third'].map((title, at) => ({ const: `${prefix}${at + 1}`, title: `${title} Option` }))

const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: { run: () => text('This is a simple text response for testing.') },
  test_image_content: { run: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }) },
  test_audio_content: { run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_tool_with_logging: {
    async run({ log }) {
      log('info', 'Tool execution started')
      await pause(50)
      log('info', 'Tool processing data')
      await pause(50)
      log('info', 'Tool execution completed')
      return text('Logged three times')
    },
  },
  test_tool_with_progress: {
    async run({ progress }) {
      for (const done of [0, 50, 100]) {
        progress(done, 100)
        await pause(50)
      }
      return text('Done')
    },
  },
  test_error_handling: {
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_reconnection: { run: () => text('No reconnection was needed') },
  test_sampling: {
    properties: { prompt: { type: 'string' } },
    required: ['prompt'],
    async run(context, { prompt }) {
      const { method, params } = sampling(String(prompt), 100)
      const answer = await context.ask('sample', String(method), recordOf(params))
      return text(`LLM response: ${JSON.stringify(answer.content)}`)
    },
  },
  test_roots: {
    async run(context) {
      const answer = await context.ask('roots', 'roots/list', {})
      return text(`Roots: ${JSON.stringify(answer.roots)}`)
    },
  },
  test_elicitation: {
    properties: { message: { type: 'string' } },
    required: ['message'],
    async run(context, { message }) {
      const properties = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }
      const { method, params } = form(String(message), properties, ['username', 'email'])
      const answer = await context.ask('user', String(method), recordOf(params))
      return text(`User response: ${JSON.stringify(answer)}`)
    },
  },
  test_elicitation_sep1034_defaults: {
    run: (context) =>
      elicited(context, 'Please check', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (context) =>
      elicited(context, 'Please choose', {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled('value') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled('value') } },
      }),
  },
  json_schema_2020_12_tool: {
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      // oxlint-disable-next-line unicorn/no-thenable -- the same
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (_context, args) => text(JSON.stringify(args)),
  },
  test_x_mcp_header: {
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    run: (_context, { region }) => text(`Region: ${String(region)}`),
  },
  test_missing_capability: {
    run({ capabilities }) {
      if (capabilities.sampling !== undefined) return text('The client can sample')
      throw new Fault(-32_021, 'Sampling is needed', { requiredCapabilities: { sampling: {} } }, 400)
    },
  },
  test_streaming_elicitation: {
    async run(context) {
      context.progress(1, 2)
      return elicited(context, 'Who is there?', { name: { type: 'string' } })
    },
  },
  test_logging_tool: {
    run({ log }) {
      log('info', 'something happened')
      return text('Logged once')
    },
  },
  test_trigger_tool_change: {
    run({ changed }) {
      changed('tools')
      return text('The list of tools changed')
    },
  },
  test_trigger_prompt_change: {
    run({ changed }) {
      changed('prompts')
      return text('The list of prompts changed')
    },
  },
  ...Object.fromEntries(Object.entries(ROUND_TOOLS).map(([name, run]) => [name, { run }])),
}

export type Catalogue = {
  tools(): readonly Json[]
  prompts(): readonly Json[]
  call(context: Context, name: unknown, args: Json): Promise<Json>
  /** Adds something to a list, or takes it away again. */
  toggle(kind: 'tools' | 'prompts'): void
}

const listed = (name: string, { properties = {}, required, schema }: Tool): Json => ({
  name,
  description: `The tool ${name} of the fixture`,
  inputSchema: schema ?? { type: 'object', properties, ...(required === undefined ? {} : { required }) },
})

const PROMPTS: readonly Json[] = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: [
      { name: 'arg1', description: 'The first', required: true },
      { name: 'arg2', description: 'The second', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it',
    arguments: [{ name: 'resourceUri', description: 'Which one', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image in it' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' },
]

export function createCatalogue(): Catalogue {
  const extra = { tools: false, prompts: false }
  return {
    tools: () => [
      ...Object.entries(TOOLS).map(([name, tool]) => listed(name, tool)),
      ...(extra.tools ? [listed('test_dynamic_tool', { run: () => text('here') })] : []),
    ],
    prompts: () => [
      ...PROMPTS,
      ...(extra.prompts ? [{ name: 'test_dynamic_prompt', description: 'Comes and goes' }] : []),
    ],
    async call(context, name, args) {
      const tool = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
      if (!tool) throw new Fault(-32_602, `Unknown tool: ${String(name)}`)
      return tool.run(context, args)
    },
    toggle(kind) {
      extra[kind] = !extra[kind]
    },
  }
}

export function getPrompt({ inputs }: Context, name: unknown, args: Json): Json {
  const printed = (content: Json): Json => ({ messages: [{ role: 'user', content }] })
  switch (name) {
    case 'test_simple_prompt':
      return printed({ type: 'text', text: 'This is a simple prompt for testing.' })
    case 'test_prompt_with_arguments':
      return printed({
        type: 'text',
        text: `Prompt with arguments: arg1='${String(args.arg1)}', arg2='${String(args.arg2)}'`,
      })
    case 'test_prompt_with_embedded_resource':
      return {
        messages: [
          { role: 'user', content: embedded(String(args.resourceUri), 'text/plain', 'Embedded content for testing.') },
          { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
        ],
      }
    case 'test_prompt_with_image':
      return {
        messages: [
          { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
          { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
        ],
      }
    case 'test_input_required_result_prompt': {
      const answer = recordOf(inputs.user_context)
      if (answer.action === undefined)
        throw new InputRequired({
          user_context: form('What context should the prompt use?', { context: { type: 'string' } }, ['context']),
        })
      return printed({ type: 'text', text: `With context ${JSON.stringify(answer.content)}` })
    }
    default:
      throw new Fault(-32_602, `Unknown prompt: ${String(name)}`)
  }
}

export const RESOURCES: readonly Json[] = [
  { uri: 'test://static-text', name: 'Static text', description: 'A text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static binary', description: 'An image', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched', description: 'Changes', mimeType: 'text/plain' },
]
export const TEMPLATES: readonly Json[] = [
  { uriTemplate: 'test://template/{id}/data', name: 'Data', description: 'By id', mimeType: 'application/json' },
]

export function readResource(uri: string, modern: boolean): Json {
  const contents = (mimeType: string, body: Json): Json => ({ contents: [{ uri, mimeType, ...body }] })
  if (uri === 'test://static-text')
    return contents('text/plain', { text: 'This is the content of the static text resource.' })
  if (uri === 'test://static-binary') return contents('image/png', { blob: PNG })
  if (uri === 'test://watched-resource') return contents('text/plain', { text: 'Watched' })
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined)
    return contents('application/json', {
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    })
  throw new Fault(modern ? -32_602 : -32_002, 'Resource not found', { uri })
}
