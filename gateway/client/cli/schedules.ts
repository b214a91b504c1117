// Schedules on the command line.
import { type Command, type Context, takes } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { listCommand, removeCommand, showCommand } from './noun-commands.ts'

/** `client`, or `client__tool`. */
function targetIn(text: string) {
  const cut = text.indexOf('__')
  if (cut < 1) return { targetType: 'client', clientName: text, toolName: null } as const
  return { targetType: 'tool', clientName: text.slice(0, cut), toolName: text.slice(cut + 2) } as const
}

function actionIn(text: string | undefined): 'enable' | 'disable' {
  if (text === 'enable' || text === 'disable') return text
  throw new UsageError('--action is missing: enable or disable')
}

const enabling = (enabled: boolean) => async (context: Context) => {
  const { id, nextRunAt } = await context.api.schedules.update({ params: { id: context.arg(0) }, body: { enabled } })
  context.tell({ id, enabled, nextRunAt }, enabled ? `${id} runs next at ${nextRunAt}` : `${id} is disabled`)
}

export const SCHEDULES: readonly Command[] = [
  listCommand('schedule', {
    summary: 'List schedules',
    columns: ['id', 'action', 'clientName', 'toolName', 'cron', 'timezone', 'enabled', 'nextRunAt', 'lastResult'],
    filters: { client: { query: 'client', value: 'name', summary: 'of one backend and its tools' } },
    read: (api, query) => api.schedules.list({ query }),
  }),
  showCommand('schedule', 'id', (api, id) => api.schedules.get({ params: { id } })),
  {
    name: 'schedule add',
    summary: 'Enable or disable a backend or a tool on a schedule',
    args: ['client|client__tool'],
    options: {
      action: takes('enable|disable', 'what the schedule does'),
      cron: takes('text', 'minute hour day month weekday, such as "0 3 * * *"'),
      timezone: takes('zone', 'an IANA time zone; default UTC'),
      note: takes('text', 'its purpose'),
    },
    async run({ api, tell, arg, text }) {
      const cron = text('cron')
      const action = actionIn(text('action'))
      if (cron === undefined) throw new UsageError('--cron is missing: minute hour day month weekday')
      const made = await api.schedules.create({
        body: { ...targetIn(arg(0)), action, cron, timezone: text('timezone'), note: text('note') },
      })
      tell(made, `${made.id} runs next at ${made.nextRunAt}`)
    },
  },
  { name: 'schedule enable', summary: 'Enable a schedule', args: ['id'], run: enabling(true) },
  { name: 'schedule disable', summary: 'Disable a schedule', args: ['id'], run: enabling(false) },
  {
    name: 'schedule run',
    summary: 'Run a schedule now',
    args: ['id'],
    async run({ api, tell, arg }) {
      const ran = await api.schedules.run({ params: { id: arg(0) } })
      const target = ran.toolName === null ? ran.clientName : `${ran.clientName}__${ran.toolName}`
      if (ran.lastResult === 'target_missing') {
        tell(ran, `${target} is gone`)
        return EXIT.failed
      }
      tell(ran, `${target} is ${ran.action}d${ran.lastResult === 'unchanged' ? ', as it was' : ''}`)
      return EXIT.ok
    },
  },
  removeCommand('schedule', 'id', (api, id) => api.schedules.delete({ params: { id } })),
]
