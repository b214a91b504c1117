// Steps, composites in bundles of their own, and the rows their calls leave.
import Database from 'better-sqlite3'
import { make } from './curation.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'

export type Fields = Record<string, unknown>

export const step = (targetClient: string, targetTool: string, argsTemplate: object = {}, more: object = {}) => ({
  targetClient,
  targetTool,
  argsTemplate,
  ...more,
})

export const FIRST = step('petstore', 'getPetById', { id: { $ref: 'input.id' } }, { id: 'pet' })

export const SECOND = step('bank', 'getPetById', { id: { $ref: 'steps.pet.json.id' } })

/** What was recorded of the calls that a condition names. */
export function callsWhere({ folder }: Gateway, query: string): Fields[] {
  const database = new Database(`${folder}/gantry.db`, { readonly: true })
  try {
    return database.prepare(`SELECT * FROM calls WHERE ${query} ORDER BY id`).all() as Fields[]
  } finally {
    database.close()
  }
}

let serial = 0
/** A composite in a bundle of its own, each with a new name. */
export async function compositeInABundle(gateway: Gateway, given: object): Promise<{ name: string; bundle: string }> {
  serial += 1
  const name = `macro${serial}`
  await make(gateway, 'composites', { name, ...given })
  const bundle = `bundle${serial}`
  await make(gateway, 'bundles', { name: bundle, tools: [], composites: [name] })
  return { name, bundle }
}
