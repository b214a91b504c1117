// The approval inbox: filters, next ticket, and texts of a ticket. Pure.
import { APPROVAL_STATUSES, type Approval, type ApprovalStatus } from '#contract'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'

export type Filter = ApprovalStatus | 'all'

export const FILTERS: readonly { readonly value: Filter; readonly label: string }[] = [
  { value: 'pending', label: t('Waiting') },
  { value: 'approved', label: t('Approved, not used yet') },
  { value: 'consumed', label: t('Used') },
  { value: 'rejected', label: t('Denied') },
  { value: 'expired', label: t('Expired') },
  { value: 'all', label: t('All') },
]

export const STATES: Readonly<Record<ApprovalStatus, { readonly word: string; readonly tone: Tone }>> = {
  pending: { word: t('waiting'), tone: 'warn' },
  approved: { word: t('approved'), tone: 'ok' },
  consumed: { word: t('used'), tone: 'neutral' },
  rejected: { word: t('denied'), tone: 'bad' },
  expired: { word: t('expired'), tone: 'neutral' },
}

export const filterIn = (text: string | undefined): Filter =>
  text === 'all' ? 'all' : (APPROVAL_STATUSES.find((status) => status === text) ?? 'pending')

/** The ticket at an offset; the first if none is open, the open one at either end. */
export function stepFrom(ids: readonly number[], open: number | undefined, step: 1 | -1): number | undefined {
  const at = open === undefined ? -1 : ids.indexOf(open)
  if (at < 0) return ids[0]
  return ids[at + step] ?? ids[at]
}

/** The ticket to open after this one was decided. */
export function afterDecision(ids: readonly number[], decided: number): number | undefined {
  const at = ids.indexOf(decided)
  return at < 0 ? undefined : (ids[at + 1] ?? ids[at - 1])
}

export function needsInWords({ approvalsReceived, requiredLevels }: Approval): string {
  return requiredLevels === 1
    ? t('one person')
    : t('{approvalsReceived} of {requiredLevels} people', { approvalsReceived, requiredLevels })
}

export const waitsOpen = ({ status }: Pick<Approval, 'status'>): boolean =>
  status === 'pending' || status === 'approved'
