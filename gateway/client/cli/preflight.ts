// `gantry preflight`: whether every tool that a job needs can be called now, without calling one. For cron and CI.

import type { Diagnosis } from '../../contract/admin/diagnosis.ts'
import type { BundleDetail, CompositeDetail, KeyRecord } from '../../contract/index.ts'
import { type Command, type Context, table, takes } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { type IsSpent, spentBudgets } from './preflight-budgets.ts'

/** What keeps a call from being answered, and who can change that: an administrator, time, or a person at each call. */
const REASONS = {
  bundle_disabled: EXIT.configuration,
  key_inactive: EXIT.configuration,
  key_scope: EXIT.configuration,
  missing: EXIT.configuration,
  backend_disabled: EXIT.configuration,
  tool_disabled: EXIT.configuration,
  composite_disabled: EXIT.configuration,
  torn_down: EXIT.configuration,
  quarantined: EXIT.configuration,
  quota: EXIT.later,
  budget: EXIT.later,
  unreachable: EXIT.later,
  circuit_open: EXIT.later,
  approval: EXIT.person,
  confirmation: EXIT.person,
} as const
export type Reason = keyof typeof REASONS

type Member = BundleDetail['tools'][number]
/** What holds for every tool of the job. */
type Job = {
  readonly reasons: readonly Reason[]
  /** The key does not count; no confirmation or approval is asked of it. */
  readonly elevated: boolean
  readonly isSpent: IsSpent
  readonly reaches: (client: string | null, tool: string) => boolean
}

/** The states of a tool that refuse a call, in the order in which a call meets them. */
export function reasonsOf(found: Diagnosis, elevated: boolean): readonly Reason[] {
  const { quarantine } = found
  const states: Readonly<Partial<Record<Reason, boolean>>> = {
    missing: found.missing,
    backend_disabled: !found.clientEnabled,
    tool_disabled: !found.toolEnabled,
    torn_down: !found.live,
    unreachable: found.live && found.health.status === 'unreachable' && found.mock === null,
    circuit_open: found.circuitBreaker.state === 'open' && found.mock === null,
    quarantined: quarantine.active && quarantine.action === 'block',
    approval: !elevated && (found.requiresApproval || (quarantine.active && quarantine.action === 'force_approval')),
    confirmation: !elevated && found.sensitive,
  }
  return (Object.keys(REASONS) as Reason[]).filter((reason) => states[reason] === true) // the keys of the table
}

export function exitOf(reasons: readonly Reason[]): ExitCode {
  const codes = reasons.map((reason) => REASONS[reason])
  return [EXIT.configuration, EXIT.later, EXIT.person].find((code) => codes.includes(code)) ?? EXIT.ok
}

async function keyOf({ api, text }: Context): Promise<KeyRecord | undefined> {
  const id = text('key')
  if (id === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('--key takes the id of a key; see gantry key list')
  return api.mcpKeys.get({ params: { id } })
}

async function jobOf(context: Context, bundle: BundleDetail, key: KeyRecord | undefined): Promise<Job> {
  const { api } = context
  // A key that has ended has no preview.
  const query = key?.active ? { keyId: String(key.id) } : {}
  const { tools } = await api.bundles.preview({ params: { name: bundle.name }, query })
  const shown = new Set(tools.map(({ client, tool }) => `${client}__${tool}`))
  const all = key === undefined ? shown : await allShown(api, bundle.name)
  const consumer =
    key?.consumerId == null ? undefined : await api.consumers.get({ params: { id: String(key.consumerId) } })
  const isUsedUp = consumer?.monthlyQuota != null && consumer.usedThisMonth >= consumer.monthlyQuota
  const isSpent = await spentBudgets(context, bundle.teamId)
  const reasons: readonly (Reason | false)[] = [
    !bundle.enabled && 'bundle_disabled',
    key !== undefined && !key.active && 'key_inactive',
    isUsedUp && 'quota',
    key !== undefined && isSpent('key', `mcp-key:${key.id}`) && 'budget',
    consumer !== undefined &&
      (isSpent('consumer', consumer.name) || isSpent('consumer', String(consumer.id))) &&
      'budget',
  ]
  return {
    reasons: [...new Set(reasons.filter((reason) => reason !== false))],
    elevated: key?.elevated ?? false,
    isSpent,
    // What no key is shown is explained by the state of the tool.
    reaches: (client, tool) => shown.has(`${client}__${tool}`) || !all.has(`${client}__${tool}`),
  }
}

async function allShown(api: Context['api'], name: string): Promise<ReadonlySet<string>> {
  const { tools } = await api.bundles.preview({ params: { name }, query: {} })
  return new Set(tools.map(({ client, tool }) => `${client}__${tool}`))
}

type Checked = { readonly tool: string; readonly reasons: readonly Reason[]; readonly fix: string }

async function checkedTool({ api }: Context, { client, tool, missing }: Member, job: Job): Promise<Checked> {
  const name = `${client}__${tool}`
  const scope: readonly Reason[] = job.reaches(client, tool) ? [] : ['key_scope']
  if (missing === true)
    return { tool: name, reasons: ['missing'], fix: 're-discover the backend, or remove the tool from the bundle' }
  const found = await api.diagnosis.diagnose({ params: { name: client, tool } })
  const isSpent = job.isSpent('tool', name) || job.isSpent('tool', client)
  const budget: readonly Reason[] = isSpent ? ['budget'] : []
  const reasons = [...scope, ...budget, ...reasonsOf(found, job.elevated)]
  return { tool: name, reasons, fix: reasons.length === 0 ? '' : (found.findings[0]?.fix ?? '') }
}

function checkedComposite({ name, enabled }: CompositeDetail, job: Job): Checked {
  const reasons: readonly (Reason | false)[] = [
    !enabled && 'composite_disabled',
    !job.reaches(null, name) && 'key_scope',
  ]
  return { tool: name, reasons: reasons.filter((reason) => reason !== false), fix: enabled ? '' : 'enable it' }
}

export const PREFLIGHT: Command = {
  name: 'preflight',
  summary:
    'Check that every tool of a bundle can be called now, without calling one; exit 10: change something, 11: wait, 12: a person is asked',
  args: ['bundle'],
  options: { key: takes('id', 'as this key') },
  async run(context) {
    const { api, arg, tell } = context
    const bundle = await api.bundles.get({ params: { name: arg(0) } })
    const job = await jobOf(context, bundle, await keyOf(context))
    const composites = await Promise.all(bundle.composites.map((name) => api.composites.get({ params: { name } })))
    const members = new Map<string, Member>()
    for (const member of bundle.tools) members.set(`${member.client}__${member.tool}`, member)
    for (const { targetClient: client, targetTool: tool } of composites.flatMap(({ steps }) => steps))
      if (!members.has(`${client}__${tool}`)) members.set(`${client}__${tool}`, { client, tool })
    const tools = composites.map((composite) => checkedComposite(composite, job))
    for (const member of members.values()) tools.push(await checkedTool(context, member, job))
    const reasons = [...new Set([...job.reasons, ...tools.flatMap((each) => each.reasons)])]
    const rows = tools.map(({ tool, reasons: why, fix }) => ({ tool, state: why.join(', ') || 'ready', fix }))
    const shared = job.reasons.length === 0 ? '' : `every tool: ${job.reasons.join(', ')}\n`
    tell(
      { bundle: bundle.name, ready: reasons.length === 0, reasons, tools },
      `${shared}${table(rows, ['tool', 'state', 'fix'])}`,
    )
    return exitOf(reasons)
  },
}
