// The patch between two drafts of a tool, by part. Pure.
import type { ToolPatch } from '#contract'
import { type Draft, type Field, inputOf } from '../../ui/form/fields.ts'
import { isRecord } from '../../ui/form/shape.ts'

type Values = Readonly<Record<string, unknown>>
/** The gateway merges these by field and replaces other parts as a whole. */
const MERGED: readonly string[] = ['guards', 'overrides']

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Removes a part without limits. */
const isOff = (name: string, part: unknown): boolean =>
  (name === 'approval' && isRecord(part) && part.required !== true) ||
  (name === 'guardrails' && isRecord(part) && Object.values(part).every((value) => value === false))

function changedIn(before: Values, after: Values): Values {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    names.flatMap((name) => {
      const [old, now] = [before[name], after[name]]
      if (alike(old, now)) return []
      if (MERGED.includes(name)) return [[name, changedIn(isRecord(old) ? old : {}, isRecord(now) ? now : {})]]
      return [[name, now === undefined || isOff(name, now) ? null : now]]
    }),
  )
}

export const patchOf = (fields: readonly Field[], before: Draft, after: Draft): ToolPatch =>
  changedIn(inputOf(fields, before).input, inputOf(fields, after).input)
