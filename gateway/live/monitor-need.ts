// Whether a monitored tool needs a person's approval, and has it. Contract 8.12.
import { createHash } from 'node:crypto'
import type { MonitorRecord } from '../contract/admin/monitors.ts'
import { definitionHash } from '../pipeline/3-policy/ticket-binding.ts'
import { argsHash, canonical } from '../pipeline/args-hash.ts'
import { isSensitive } from '../pipeline/chain.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { MonitorRow } from '../storage/monitors.ts'

type Subject = { readonly backend: Backend; readonly tool: Tool }

/** Why a call of the tool needs a person; null if it does not. */
export type MonitorNeed = 'approval' | 'confirmation' | null
export type NeedOf = (tool: Tool) => MonitorNeed

export const createNeedOf =
  (forcesApproval: (tool: Tool) => boolean, autoGateWriteMethods: boolean): NeedOf =>
  (tool) => {
    if (tool.config.approval?.required === true || forcesApproval(tool)) return 'approval'
    return isSensitive(tool, autoGateWriteMethods) ? 'confirmation' : null
  }

/** A fingerprint of the tool, its address, its guards and its approvers. */
const toolHash = (need: MonitorNeed, { backend, tool }: Subject): string =>
  createHash('sha256')
    .update(canonical([need, definitionHash(backend, tool), tool.config.approval, tool.config.overrides]))
    .digest('hex')

export const approvalHash = (need: MonitorNeed, found: Subject, args: Readonly<Record<string, unknown>>): string =>
  `${argsHash(found.backend.name, found.tool.name, args)}:${toolHash(need, found)}`

type Stored = Pick<MonitorRow, 'set_by' | 'approved_by' | 'approved_at' | 'approved_hash'>

/** For records, which do not include an example's arguments: a changed example revokes the approval. */
export function approvalOf(need: MonitorNeed, found: Subject, row: Stored | undefined): MonitorRecord['approval'] {
  const given = row?.approved_hash?.endsWith(`:${toolHash(need, found)}`) === true
  return {
    needed: need,
    given,
    by: given ? (row?.approved_by ?? null) : null,
    at: given ? (row?.approved_at ?? null) : null,
    setBy: row?.set_by ?? null,
  }
}

export const isApproved = (
  need: MonitorNeed,
  found: Subject,
  row: Pick<Stored, 'approved_hash'>,
  args: Readonly<Record<string, unknown>>,
): boolean => need === null || row.approved_hash === approvalHash(need, found, args)
