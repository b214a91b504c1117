// One rule of the specification, and the reader of the text tables that list them.
import { type PendingWork, WORKS, type WorkKey } from './works.ts'

export type Doc = 'gateway' | 'pcg-tools' | 'contract' | 'amendments'

export type Rule = {
  readonly id: string
  readonly doc: Doc
  /** Line of the document that states it. */
  readonly line: number
  /** One behaviour, in one sentence. */
  readonly rule: string
  readonly pending?: PendingWork
}

const DOC_OF: Readonly<Record<string, Doc>> = { gw: 'gateway', pcg: 'pcg-tools', ct: 'contract' }

/** Amendments from 10 on continue section 0 of the contract in a document of their own. */
const AMENDMENT = /^ct\.0\.[1-9]\d\./

/** The columns of a text table, the last one taking the rest of its line. */
export function rows(text: string, columns: number): readonly (readonly string[])[] {
  const cells = new RegExp(`^${'(\\S+)\\s+'.repeat(columns - 1)}(.+)$`)
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const found = cells.exec(line)
      if (!found) throw new Error(`A row of the rules needs ${columns} columns: ${line}`)
      return found.slice(1)
    })
}

function isWork(key: string): key is WorkKey {
  return Object.hasOwn(WORKS, key)
}

/** `work` is a key of WORKS, or `-` for a rule that is no longer pending. */
export function rule(id: string, line: string, work: string, sentence: string): Rule {
  const doc = AMENDMENT.test(id) ? 'amendments' : DOC_OF[id.split('.', 1)[0] ?? '']
  if (!doc) throw new Error(`${id} names no document`)
  const known = { id, doc, line: Number(line), rule: sentence }
  if (work === '-') return known
  if (!isWork(work)) throw new Error(`${id} waits for ${work}, which works.ts does not list`)
  return { ...known, pending: WORKS[work].title }
}

/** A table of rules: slug, line, work or `-`, sentence. */
export function rules(prefix: string, text: string): readonly Rule[] {
  return rows(text, 4).map(([slug = '', line = '', work = '', sentence = '']) =>
    rule(`${prefix}.${slug}`, line, work, sentence),
  )
}
