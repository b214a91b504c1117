// Budgets and the context that tools cost, on the command line.
import { BUDGET_PERIODS, BUDGET_SCOPES } from '../../contract/admin/budgets.ts'
import { type Command, table, takes } from './command.ts'
import { UsageError } from './exit.ts'
import { listCommand, removeCommand, showCommand } from './noun-commands.ts'

function oneOf<T extends string>(option: string, all: readonly T[], given: string | undefined): T | undefined {
  const found = all.find((each) => each === given)
  if (given !== undefined && found === undefined) throw new UsageError(`--${option} is one of ${all.join(', ')}`)
  return found
}

function amount(option: string, given: string | undefined): number | null {
  if (given === undefined) return null
  if (!/^\d+(\.\d+)?$/.test(given) || Number(given) <= 0) throw new UsageError(`--${option} takes a number above 0`)
  return Number(given)
}

export const CONTEXT: readonly Command[] = [
  listCommand('budget', {
    summary: 'List budgets',
    columns: [
      'id',
      'name',
      'per',
      'only',
      'period',
      'maxCalls',
      'maxTokens',
      'maxBytes',
      'maxCost',
      'stopLoops',
      'keepAboveBytes',
    ],
    read: (api, query) => api.budgets.list({ query }),
  }),
  showCommand('budget', 'id', async (api, id) => ({
    ...(await api.budgets.get({ params: { id } })),
    used: (await api.budgets.usage({ params: { id } })).items,
  })),
  {
    name: 'budget add',
    summary: 'Limit calls, tokens, bytes or cost per key, consumer, session, MCP client or tool',
    args: ['name'],
    options: {
      per: takes(BUDGET_SCOPES.join('|'), 'one count for each of them; default key'),
      only: takes('text', 'a key label, a consumer, an MCP client, a backend or client__tool'),
      period: takes(BUDGET_PERIODS.join('|'), 'when it starts again; default month'),
      calls: takes('number', 'calls in the period'),
      tokens: takes('number', 'tokens of answers'),
      bytes: takes('number', 'bytes of answers'),
      cost: takes('number', 'cost, by the prices of the tools'),
      'keep-above': takes('bytes', 'keep larger answers: the caller gets an outline and a handle'),
      'stop-loops': { type: 'boolean', summary: 'refuse the fourth of near-identical calls' },
    },
    async run({ api, tell, arg, text, flag }) {
      const made = await api.budgets.create({
        body: {
          name: arg(0),
          per: oneOf('per', BUDGET_SCOPES, text('per')) ?? 'key',
          only: text('only') ?? null,
          period: oneOf('period', BUDGET_PERIODS, text('period')),
          maxCalls: amount('calls', text('calls')),
          maxTokens: amount('tokens', text('tokens')),
          maxBytes: amount('bytes', text('bytes')),
          maxCost: amount('cost', text('cost')),
          stopLoops: flag('stop-loops'),
          keepAboveBytes: amount('keep-above', text('keep-above')),
        },
      })
      tell(made, `Budget ${made.id} counts from now on`)
    },
  },
  removeCommand('budget', 'id', (api, id) => api.budgets.delete({ params: { id } })),
  {
    name: 'context show',
    summary: 'Show the tokens that lists and answers took in the last day, and what measures would save',
    async run({ api, tell }) {
      const use = await api.context.use({ query: {} })
      const lists = use.lists.map(({ bundle, client, listMode, listed, sessions, saves, cost: { best } }) => ({
        list: bundle ?? client,
        listMode,
        sessions,
        listed,
        best,
        saves,
      }))
      tell(
        use,
        [
          table(lists, ['list', 'listMode', 'sessions', 'listed', 'best', 'saves']),
          table(use.tools, ['client', 'tool', 'calls', 'tokens', 'tokensPerCall', 'cost', 'contextBudget', 'saves']),
          table(use.programs, ['program', 'sessions', 'calls', 'tokens', 'cost']),
        ].join('\n'),
      )
    },
  },
  {
    name: 'run list',
    summary: 'List the latest runs (sessions) with their calls, tokens and cost',
    async run({ api, tell }) {
      const { items } = await api.context.runs({ query: {} })
      tell(items, table(items, ['session', 'program', 'bundle', 'calls', 'refused', 'tokens', 'cost', 'to']))
    },
  },
  {
    name: 'run report',
    summary: 'Show what one run called, returned, cost and saved',
    args: ['session'],
    async run({ api, tell, arg }) {
      if (!/^[\w-]{8,128}$/.test(arg(0))) throw new UsageError('a session is named by its hash; see gantry run list')
      const { report } = await api.context.run({ query: { session: arg(0) } })
      if (report === null)
        throw new UsageError('no call of this session in the last 7 days is known; see gantry run list')
      tell(report)
    },
  },
]
