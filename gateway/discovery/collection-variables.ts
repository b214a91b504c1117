// `{{name}}` in a collection: filled from its variables; what stays open becomes an argument or is left out.
import { get, listOf, scalarOf } from './record.ts'

const VARIABLE = /\{\{([^{}]+)\}\}/g
const MAX_ROUNDS = 5

export type Variables = ReadonlyMap<string, string>

export function withVariables(outer: Variables, list: unknown): Variables {
  const own = listOf(list).flatMap((variable): [string, string][] => {
    const name = get(variable, 'key') ?? get(variable, 'id')
    const value = get(variable, 'value')
    const text = scalarOf(value)
    // An empty value is how a template says "fill me in".
    if (typeof name !== 'string' || text === '' || get(variable, 'disabled') === true) return []
    return [[name, text]]
  })
  return own.length === 0 ? outer : new Map([...outer, ...own])
}

export function fill(text: string, variables: Variables): string {
  let current = text
  for (let round = 0; round < MAX_ROUNDS && current.includes('{{'); round += 1) {
    const next = current.replace(VARIABLE, (whole, name: string) => variables.get(name.trim()) ?? whole)
    if (next === current || next.length > 1024 * 1024) break
    current = next
  }
  return current
}

export function isOpen(text: string): boolean {
  return text.search(VARIABLE) >= 0
}
