// Tickets of a bank over a real database; each test has a bank of its own.
import { expect } from 'vitest'
import { ApprovalCfg } from '../../contract/admin/tool-guards.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import type { Actor } from '../../contract/role.ts'
import { createApprovalTickets } from '../../live/approval-tickets.ts'
import type { Waiting } from '../../pipeline/3-policy/approval.ts'
import type { ToolCall } from '../../pipeline/call.ts'
import { aCall } from '../../pipeline/pipeline.fixture.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../backends/backends.fixture.ts'
import { createApprovals } from './approvals.ts'

export const SETTINGS = { APPROVAL_TTL_MS: 86_400_000, APPROVAL_USE_TTL_MS: 3_600_000, APPROVAL_MAX_PENDING: 3 }

export let house: BackendHouse
export let events: string[]
export let tickets: ReturnType<typeof createApprovalTickets>
export let approvals: ReturnType<typeof createApprovals>

export function open(settings = SETTINGS, forced: (name: string) => boolean = () => false): void {
  const { database, changes, registry, time } = house
  const clock = { now: () => time.nowMs }
  tickets = createApprovalTickets({
    database,
    changes,
    settings,
    clock,
    newId: () => 'by-the-test',
    forced: ({ name }) => forced(name),
    onCreated: ({ id }) => events.push(`created ${id}`),
    onExpired: (rows) => events.push(...rows.map(({ id }) => `expired ${id}`)),
  })
  approvals = createApprovals({
    database,
    changes,
    registry,
    clock,
    settle: tickets.settle,
    onDecided: ({ id }, decision) => events.push(`${decision} ${id}`),
  })
}

/** What stands here is of the newest one. */
export async function openBank(): Promise<void> {
  house = await aBackendHouse()
  events = []
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({
      name: 'bank',
      base_url: 'http://127.0.0.1:81',
      tools: ['refund', 'other'].map((name) => ({ name, method: 'POST', endpoint: `/${name}`, description: name })),
    }),
  )
  await configure({})
  open()
}

export const configure = (approval: object, tool = 'refund', more: object = {}) =>
  house.tools.update(ROOT, 'bank', tool, { approval: ApprovalCfg.parse(approval), ...more }, [])

export function call(given: Partial<ToolCall> = {}, tool = 'refund'): ToolCall {
  const backend = house.registry.known('bank')
  const found = backend?.tools.get(tool)
  if (backend === undefined || found === undefined) throw new Error('the bank has no such tool')
  return aCall({ backend, tool: found, args: { order: 1 }, ...given })
}
export const by = (name: string, role: Actor['role'] = 'operator', teamId: number | null = null) => ({
  actor: { name, kind: 'session', username: name, role, teamId } as const,
  requestId: `of ${name}`,
})
export const [ann, bob, eve] = [by('ann'), by('bob'), by('eve')]
export const idOf = (waiting: Waiting | undefined): number =>
  waiting && 'ticket' in waiting && waiting.ticket ? waiting.ticket.id : expect.fail(JSON.stringify(waiting))
export const ask = async (given?: Partial<ToolCall>): Promise<number> => idOf(await tickets.request(call(given)))
export const reasonOf = async (answer: Promise<Waiting | undefined>): Promise<string | undefined> =>
  (await answer)?.reason
export const use = async (id: number, given?: Partial<ToolCall>) =>
  (await reasonOf(tickets.judge(call(given), id))) ?? (await reasonOf(tickets.consume(call(given), id))) ?? 'passed'
export const approve = (id: number, who: Parameters<typeof approvals.approve>[0] = ann) =>
  approvals.approve(who, String(id), {})
export const later = (ms: number): void => {
  house.time.nowMs += ms
}
