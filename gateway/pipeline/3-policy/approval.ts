// What a person has to approve first: refused with the number of its ticket, and let through once with a ticket that was approved. Contract 8.7.
import type { Refusal } from '../../contract/refusal.ts'
import type { Guard, Refused, ToolCall } from '../call.ts'

export type Ticket = NonNullable<Refusal['approval']>

/** Why a call waits: `ticket` where there is one that it may hear of. */
export type Waiting =
  | { readonly reason: 'queued' | 'pending'; readonly ticket: Ticket }
  | { readonly reason: 'rejected' | 'expired' | 'consumed'; readonly ticket?: Ticket }
  | { readonly reason: 'args_mismatch' | 'not_found' | 'queue_full' }

/** Both are told the validated arguments, and `reserved.approvalId`. They answer undefined for a call that may go on. */
export type Approvals = {
  /** Judges the ticket of a call, and queues one for a call that needs it and has none. */
  readonly judge: (call: ToolCall) => Waiting | undefined | Promise<Waiting | undefined>
  /** Uses the ticket up, in one step: of two calls with it, one is told that it is consumed. */
  readonly consume: (call: ToolCall) => Waiting | undefined | Promise<Waiting | undefined>
}

function textOf(calledAs: string, waiting: Waiting): string {
  switch (waiting.reason) {
    case 'queued':
    case 'pending':
      return `Tool '${calledAs}' needs an approval: ticket ${waiting.ticket.id} waits for it. Once it is approved, repeat the call with {"__approval_id": ${waiting.ticket.id}}.`
    case 'rejected':
      return `Tool '${calledAs}' was not run: the approval was rejected.`
    case 'expired':
      return `Tool '${calledAs}' was not run: the approval has expired. Call it without __approval_id to ask again.`
    case 'consumed':
      return `Tool '${calledAs}' was not run: this approval was used already. Call it without __approval_id to ask again.`
    case 'args_mismatch':
      return `Tool '${calledAs}' was not run: the approval is for another call. Repeat the very call that was approved.`
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

function gate(ask: Approvals['judge']): Guard {
  const told = (call: ToolCall, waiting: Waiting | undefined) => waiting && refusal(call, waiting)
  return (call) => {
    const answer = ask(call)
    return answer instanceof Promise ? answer.then((waiting) => told(call, waiting)) : told(call, answer)
  }
}

export const approval = ({ judge }: Approvals): Guard => gate(judge)
/** The last of the gates: what another refuses leaves the ticket as it is. */
export const approvalUse = ({ consume }: Approvals): Guard => gate(consume)
