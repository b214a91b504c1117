// What a person has to approve first: refused with the number of its ticket, and let through once with a ticket that was approved. Contract 8.7.
import type { Refusal } from '../../contract/refusal.ts'
import type { Refused } from '../../outcome/outcome.ts'
import type { Tool } from '../../registry/backend.ts'
import type { Guard, ToolCall } from '../call.ts'
import { consent } from './consent.ts'

export type Ticket = NonNullable<Refusal['approval']>

/** Why a call waits: `ticket` where there is one that it may hear of. */
export type Waiting =
  | { readonly reason: 'queued' | 'pending'; readonly ticket: Ticket }
  | { readonly reason: 'rejected' | 'expired' | 'consumed'; readonly ticket?: Ticket }
  | { readonly reason: 'args_mismatch' | 'not_found' | 'queue_full' }
  /** A call that is only imagined gets no ticket. */
  | { readonly reason: 'queued'; readonly ticket?: undefined }

/** All receive the validated arguments. They return undefined for a call that may go on. */
export type Approvals = {
  readonly needed: (tool: Tool) => boolean
  /** Queues a call that has no ticket, or finds the one it has already. */
  readonly request: (call: ToolCall) => Promise<Waiting | undefined>
  /** Judges the ticket that a call came with. */
  readonly judge: (call: ToolCall, ticketId: number) => Promise<Waiting | undefined>
  /** Uses the ticket up, in one step: of two calls with it, one finds it consumed. */
  readonly consume: (call: ToolCall, ticketId: number) => Promise<Waiting | undefined>
  /** Calls back once the ticket is approved or rejected. Returns how to end that. */
  readonly whenDecided: (ticketId: number, listener: () => void) => () => void
}

export type ApprovalGates = {
  readonly judge: Guard
  /** The last of the gates: what another refuses leaves the ticket as it is. */
  readonly use: Guard
  /** The ticket that this very call used up. */
  readonly usedBy: (call: ToolCall) => number | null
}

const waits = (calledAs: string, { id, status }: Ticket): string =>
  status === 'approved'
    ? `Tool '${calledAs}' needs an approval, and ticket ${id} is approved: repeat the call with {"__approval_id": ${id}}.`
    : `Tool '${calledAs}' needs an approval: ticket ${id} waits for it. Once it is approved, repeat the call with {"__approval_id": ${id}}.`

function textOf(calledAs: string, waiting: Waiting): string {
  switch (waiting.reason) {
    case 'queued':
    case 'pending':
      return waiting.ticket
        ? waits(calledAs, waiting.ticket)
        : `Tool '${calledAs}' needs an approval: a call like this one would wait for a person.`
    case 'rejected':
      return `Tool '${calledAs}' was not run: the approval was rejected.`
    case 'expired':
      return `Tool '${calledAs}' was not run: the approval has expired. Call it without __approval_id to ask again.`
    case 'consumed':
      return `Tool '${calledAs}' was not run: this approval was used already. Call it without __approval_id to ask again.`
    case 'args_mismatch':
      return `Tool '${calledAs}' was not run: the approval is for another call. Repeat exactly the approved call, or call without __approval_id to ask again.`
    case 'not_found':
      return `Tool '${calledAs}' was not run: there is no such approval. Call it without __approval_id to ask for one.`
    case 'queue_full':
      return `Tool '${calledAs}' needs an approval, and too many wait already. Try again later.`
  }
}

function refusal({ calledAs }: ToolCall, waiting: Waiting): Refused {
  const ticket = 'ticket' in waiting ? waiting.ticket : undefined
  return {
    kind: 'refused',
    code: 'approval',
    text: textOf(calledAs, waiting),
    reason: waiting.reason,
    ...(ticket && { approval: ticket }),
  }
}

const question = ({ backend, tool }: ToolCall, { id, status }: Ticket): string =>
  status === 'approved'
    ? `"${tool.name}" of "${backend.name}" was approved (ticket ${id}). Run it now?`
    : `"${tool.name}" of "${backend.name}" waits for an approval: ticket ${id}. Say yes here once it is approved in Gantry; this alone approves nothing.`

export function approvalGates({ needed, request, judge, consume, whenDecided }: Approvals): ApprovalGates {
  const held = new WeakMap<ToolCall, number>()
  const used = new WeakMap<ToolCall, number>()

  /** A client with a person behind it may wait for the decision inside this call. The person there decides nothing. */
  async function untilDecided(call: ToolCall, waiting: Waiting): Promise<Waiting | undefined> {
    const ticket = 'ticket' in waiting ? waiting.ticket : undefined
    const { talk } = call
    if (ticket === undefined || talk === undefined) return waiting
    let decided = false
    let takeBack = (): void => undefined
    const onCancel: ToolCall['onCancel'] = (cancel) => {
      takeBack = cancel
      call.onCancel(cancel)
    }
    // The client of a round is away until it comes back: without one no call may run.
    const forget = talk.takesRounds
      ? undefined
      : whenDecided(ticket.id, () => {
          decided = true
          takeBack()
        })
    const answer = await consent({ talk, caller: call.caller, onCancel }, question(call, ticket))
    forget?.()
    if (answer === 'declined' || (answer === 'unasked' && !decided)) return waiting
    const after = await judge(call, ticket.id)
    if (after === undefined) held.set(call, ticket.id)
    return after
  }

  async function judged(call: ToolCall): Promise<Refused | undefined> {
    const { approvalId } = call.reserved
    if (approvalId === null) {
      const first = await request(call)
      const waiting = first && (await untilDecided(call, first))
      return waiting && refusal(call, waiting)
    }
    const waiting = await judge(call, approvalId)
    // The ticket of a script is for one of its calls.
    if (waiting?.reason === 'args_mismatch' && call.step !== undefined)
      return judged({ ...call, reserved: { ...call.reserved, approvalId: null } })
    if (waiting) return refusal(call, waiting)
    held.set(call, approvalId)
    return undefined
  }

  async function spent(call: ToolCall, ticketId: number): Promise<Refused | undefined> {
    const waiting = await consume(call, ticketId)
    if (waiting) return refusal(call, waiting)
    used.set(call, ticketId)
    return undefined
  }

  return {
    judge: (call) => (needed(call.tool) && call.caller.kind !== 'system' ? judged(call) : undefined),
    use(call) {
      const ticketId = held.get(call)
      return ticketId === undefined ? undefined : spent(call, ticketId)
    },
    usedBy: (call) => used.get(call) ?? null,
  }
}
