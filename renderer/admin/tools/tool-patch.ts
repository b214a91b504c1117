// What changes a tool: the parts of two drafts that differ, as the gateway takes them. Pure.
import type { ToolPatch } from '#contract'
import { type Draft, type Field, inputOf } from '../../ui/form/fields.ts'
import { isRecord } from '../../ui/form/shape.ts'

type Values = Readonly<Record<string, unknown>>
/** The gateway merges these field by field and replaces every other part whole. */
const MERGED: readonly string[] = ['guards', 'overrides']

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A part that limits nothing is removed. */
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
