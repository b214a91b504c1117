// Who acted and on what, in words: labels instead of numbers, where the record still exists. Pure.
import type { AuditEntry } from '#contract'
import { formatActor } from '../../ui/format.ts'

export const actorName = ({ actor, actorLabel }: Pick<AuditEntry, 'actor' | 'actorLabel'>): string =>
  actorLabel ?? formatActor(actor)

export const targetName = ({ target, targetLabel }: Pick<AuditEntry, 'target' | 'targetLabel'>): string =>
  targetLabel ?? (target || '–')
