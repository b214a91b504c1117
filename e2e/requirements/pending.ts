// Prints how many rules still wait, and for which work: `node e2e/requirements/pending.ts`.
import { RULES } from './index.ts'
import { WORKS } from './works.ts'

export function pendingByWork(): { readonly total: number; readonly byWork: Readonly<Record<string, number>> } {
  const byWork = Object.fromEntries(
    Object.values(WORKS).map(({ title }) => [title, RULES.filter(({ pending }) => pending === title).length]),
  )
  return { total: RULES.filter(({ pending }) => pending !== undefined).length, byWork }
}

if (import.meta.main) console.log(JSON.stringify(pendingByWork(), null, 2))
