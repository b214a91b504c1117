// Backends, tools, bundles and keys on the command line.
import { UpstreamAuthInput } from '../../contract/admin/clients.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import { type Command, type Context, takes } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { jsonIn } from './json-argument.ts'
import { listCommand, removeCommand, showCommand } from './noun-commands.ts'

/** Never an argument: other users of the machine see those. */
function credentialIn(text: string): UpstreamAuthInput {
  if (!text.startsWith('@')) throw new UsageError('--auth must be @file, or @- for standard input')
  const { success, data } = UpstreamAuthInput.safeParse(jsonIn(text, '--auth'))
  if (!success) throw new UsageError('--auth must hold a credential, such as {"type":"bearer","token":"…"}')
  return data
}

function refIn(text: string, or = ''): { client: string; tool: string } {
  const cut = text.indexOf('__')
  if (cut < 1) throw new UsageError(`"${text}" is no tool: write client__tool${or}`)
  return { client: text.slice(0, cut), tool: text.slice(cut + 2) }
}

/** `client__tool`, or the two as two words. */
function toolIn(context: Context): { name: string; tool: string } {
  const [first, second] = [context.arg(0), context.maybe(1)]
  if (second !== undefined) return { name: first, tool: second }
  const { client, tool } = refIn(first, ', or the backend and the tool')
  return { name: client, tool }
}

const enabling = (enabled: boolean) => async (context: Context) => {
  const name = context.arg(0)
  const { results } = await context.api.clients.setEnabled({ body: { names: [name], enabled } })
  context.tell(
    results,
    results[name] ? `${name} is ${enabled ? 'enabled' : 'disabled'}` : `there is no backend ${name}`,
  )
  return results[name] ? EXIT.ok : EXIT.failed
}

export const CATALOG: readonly Command[] = [
  listCommand('backend', {
    summary: 'List backends',
    columns: ['name', 'kind', 'enabled', 'live', 'status', 'toolsCount', 'baseUrl'],
    read: (api, query) => api.clients.list({ query }),
  }),
  showCommand('backend', 'name', (api, name) => api.clients.get({ params: { name } })),
  {
    name: 'backend add',
    summary: 'Register a backend, or re-discover it',
    args: ['name'],
    options: {
      openapi: takes('url', 'an OpenAPI document'),
      graphql: takes('url', 'a GraphQL endpoint'),
      mcp: takes('url', 'an MCP server'),
      base: takes('url', 'base URL of the API'),
      auth: takes('@file', 'credential of the upstream: {"type":"bearer","token":"…"}'),
      payload: takes('json|@file', 'a complete registration payload instead'),
    },
    async run({ api, tell, arg, text }) {
      const payload = text('payload')
      const given = {
        openapi_url: text('openapi'),
        graphql_url: text('graphql'),
        mcp_url: text('mcp'),
        base_url: text('base'),
      }
      const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const wanted = { ...(payload === undefined ? fields : jsonIn(payload, '--payload')), name: arg(0) }
      const parsed = RegistrationPayload.safeParse(wanted)
      if (!parsed.success)
        throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
      const auth = text('auth')
      const body = auth === undefined ? wanted : { ...wanted, upstream_auth: credentialIn(auth) }
      const made = await api.register.register({ body })
      tell(made, `${made.name} has ${made.tools_count} tools at ${made.mcpPath}`)
    },
  },
  { name: 'backend enable', summary: 'Enable a backend', args: ['name'], run: enabling(true) },
  { name: 'backend disable', summary: 'Disable a backend', args: ['name'], run: enabling(false) },
  {
    name: 'backend rediscover',
    summary: 'Re-discover a backend from its source',
    args: ['name'],
    options: { 'dry-run': { type: 'boolean', summary: 'only report what would change' } },
    run: async ({ api, tell, arg, flag }) =>
      tell(await api.register.rediscover({ params: { name: arg(0) }, body: { dryRun: flag('dry-run') } })),
  },
  removeCommand(
    'backend',
    'name',
    (api, name) => api.clients.delete({ params: { name } }),
    'Remove a backend and its configuration',
  ),
  listCommand('tool', {
    summary: 'List tools',
    columns: ['client', 'tool', 'enabled', 'sensitive', 'title'],
    filters: {
      client: { query: 'client', value: 'name', summary: 'of one backend' },
      search: { query: 'q', value: 'text', summary: 'text in name or description' },
    },
    read: (api, query) => api.tools.list({ query }),
  }),
  {
    name: 'tool show',
    summary: 'Show one tool with its configuration',
    args: ['client__tool', '[tool]'],
    run: async (context) => context.tell(await context.api.tools.get({ params: toolIn(context) })),
  },
  {
    name: 'tool call',
    summary: 'Call a tool through the whole guard stack',
    args: ['client__tool', '[tool]'],
    options: {
      args: takes('json|@file', 'the arguments'),
      'key-id': takes('id', 'call as this key'),
      'dry-run': { type: 'boolean', summary: 'stop before the backend' },
    },
    async run(context) {
      const args = jsonIn(context.text('args') ?? '{}', '--args')
      const keyId = context.text('key-id')
      const answer = await context.api.tools.test({
        params: toolIn(context),
        body: { args, dryRun: context.flag('dry-run'), ...(keyId === undefined ? {} : { keyId: Number(keyId) }) },
      })
      const printed = answer.result.content.map((block) =>
        'text' in block ? String(block.text) : JSON.stringify(block),
      )
      context.tell(answer, printed.join('\n'))
      return answer.outcome === 'success' ? EXIT.ok : EXIT.failed
    },
  },
  {
    name: 'diagnose',
    summary: 'Show why a tool can or cannot be called',
    args: ['client__tool', '[tool]'],
    run: async (context) => context.tell(await context.api.diagnosis.diagnose({ params: toolIn(context) })),
  },
  listCommand('bundle', {
    summary: 'List bundles',
    columns: ['name', 'enabled', 'toolsCount', 'compositesCount', 'missingCount', 'mcpPath'],
    read: (api, query) => api.bundles.list({ query }),
  }),
  showCommand('bundle', 'name', (api, name) => api.bundles.get({ params: { name } })),
  {
    name: 'bundle create',
    summary: 'Create a bundle of tools',
    args: ['name'],
    options: { tools: takes('a__b,c__d', 'its members') },
    async run({ api, tell, arg, text }) {
      const tools = (text('tools') ?? '').split(',').filter(Boolean)
      const made = await api.bundles.create({ body: { name: arg(0), tools: tools.map((ref) => refIn(ref)) } })
      tell(made, `${made.name} has ${made.toolsCount} tools at ${made.mcpPath}`)
    },
  },
  removeCommand('bundle', 'name', (api, name) => api.bundles.delete({ params: { name } })),
  listCommand('key', {
    summary: 'List keys of the data plane',
    columns: ['id', 'label', 'keyPrefix', 'active', 'expiresAt', 'lastUsedAt'],
    read: (api, query) => api.mcpKeys.list({ query }),
  }),
  {
    name: 'key mint',
    summary: 'Create a key; its value is shown once',
    args: ['label'],
    options: {
      client: takes('a,b', 'for these backends only'),
      bundle: takes('a,b', 'for these bundles only'),
      expires: takes('time', 'ISO time of expiry'),
    },
    async run({ api, tell, arg, text }) {
      const list = (option: string) => text(option)?.split(',').filter(Boolean)
      const [clients, bundles] = [list('client'), list('bundle')]
      const scopes = clients || bundles ? { clients, bundles } : null
      const made = await api.mcpKeys.create({
        body: { label: arg(0), scopes, expiresAt: text('expires') },
      })
      tell(made, made.key)
    },
  },
  {
    name: 'key revoke',
    summary: 'Revoke a key',
    args: ['id'],
    run: async ({ api, tell, arg }) => tell(await api.mcpKeys.revoke({ params: { id: arg(0) }, body: {} })),
  },
  {
    name: 'key rotate',
    summary: 'Rotate a key; its new value is shown once',
    args: ['id'],
    async run({ api, tell, arg }) {
      const made = await api.mcpKeys.rotate({ params: { id: arg(0) }, body: {} })
      tell(made, made.key)
    },
  },
]
