// GET /admin-api/config/effective: every setting with value, source and default, secrets masked.
import type { EffectiveEntry } from '../contract/admin/config.ts'
import type { Loaded } from './load.ts'
import { rowOf, SETTING_NAMES } from './table.ts'

function isEmpty(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

const setOrUnset = (value: unknown) => (isEmpty(value) ? 'unset' : 'set')

/** Variables behind `$env` references are listed too, only as set. */
export function effectiveEntries(loaded: Loaded): EffectiveEntry[] {
  const entries = SETTING_NAMES.map((key): EffectiveEntry => {
    const value = loaded.settings[key]
    const source = loaded.sources[key]
    const { secret, meaning } = rowOf(key)
    if (secret) return { key, value: setOrUnset(value), redacted: true, source, default: 'unset', meaning }
    // Every kind of row parses to JSON: text, numbers, booleans, null, and lists and records of text.
    const json = (of: unknown) => structuredClone(of) as EffectiveEntry['value']
    return { key, value: json(value), redacted: false, source, default: json(loaded.defaults[key]), meaning }
  })
  for (const [key, { source }] of loaded.envSecrets)
    entries.push({
      key,
      value: 'set',
      redacted: true,
      source,
      default: 'unset',
      meaning: 'A value for $env references of imported configuration',
    })
  return entries.sort((a, b) => (a.key < b.key ? -1 : 1))
}
