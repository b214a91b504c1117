// An uploaded document: what is recognized, what is left out and why, or what is wrong with it. Contract 12.
import type { z } from 'zod'
import {
  CONFIG_KIND,
  CONFIG_VERSION,
  ConfigDoc,
  DOCUMENT_SECTIONS,
  type DocumentSection,
  named,
  nameOf,
  sortedLists,
} from './config-document.ts'
import { type FieldProblem, GatewayError } from './error.ts'
import { refusePrograms } from './registration.ts'

/** Something a document asks for that is not done. `type` is a section, or `document`. */
export type Skipped = { readonly type: string; readonly id: string; readonly reason: string }
export type ParsedConfig = { readonly doc: ConfigDoc; readonly skipped: readonly Skipped[] }

type Thing = Record<string, unknown>
const isThing = (value: unknown): value is Thing => typeof value === 'object' && value !== null && !Array.isArray(value)

const MOST_PROBLEMS = 50

function refuse(message: string, fields?: FieldProblem[]): never {
  throw new GatewayError('IMPORT_ERROR', message, fields && { fields })
}

export function parseConfig(value: unknown): ParsedConfig {
  if (!isThing(value)) return refuse('This is no configuration: it must be an object with "version": 1')
  if (value['kind'] !== undefined && value['kind'] !== CONFIG_KIND)
    return refuse(`This is no configuration of a gateway: its kind must be "${CONFIG_KIND}"`)
  if (value['version'] === undefined) return refuse('The document has no version: it must say "version": 1')
  if (value['version'] !== CONFIG_VERSION)
    throw new GatewayError(
      'UNSUPPORTED_VERSION',
      `Version ${JSON.stringify(value['version']).slice(0, 40)} of the configuration is not known; this gateway reads version 1`,
    )
  const skipped: Skipped[] = []
  // A copy: what is left out is taken out of it.
  const copy = structuredClone(value)
  for (const client of listIn(copy, 'clients')) if (isThing(client)) refusePrograms(client['registration'])
  const doc = sortedLists(read(copy, skipped))
  refuseTwins(doc)
  return { doc, skipped }
}

const listIn = (thing: Thing, key: string): readonly unknown[] => (Array.isArray(thing[key]) ? thing[key] : [])

/** Unknown keys are removed and reported; everything else that is invalid is an error. */
function read(copy: Thing, skipped: Skipped[]): ConfigDoc {
  const first = ConfigDoc.safeParse(copy)
  if (first.success) return first.data
  for (const issue of first.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const holder = at(copy, issue.path)
    for (const key of issue.keys) {
      skipped.push({ ...placeOf(copy, issue.path, key), reason: `"${key.slice(0, 80)}" is not known to this gateway` })
      if (isThing(holder)) delete holder[key]
    }
  }
  const again = ConfigDoc.safeParse(copy)
  if (again.success) return again.data
  const fields = again.error.issues.map((issue) => problemOf(copy, issue)).slice(0, MOST_PROBLEMS)
  const text = fields.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  return refuse(`The configuration cannot be used: ${text.join('; ')}`, fields)
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  // Arrays and objects alike are read by key, and nothing else can be on the way.
  return path.reduce<unknown>((holder, key) => (holder as Readonly<Record<PropertyKey, unknown>>)[key], value)
}

/** Whose key it is: the tool, else the item of the section, else the document. */
function placeOf(copy: Thing, path: readonly PropertyKey[], key: string): { type: string; id: string } {
  const [section, index, inner, number] = path
  if (section === undefined || index === undefined) return { type: 'document', id: [...path, key].join('.') }
  const item = at(copy, [section, index])
  const name = isThing(item) ? nameOf(section as DocumentSection, item) : '' // the schema has no other section
  if (inner !== 'tools' || typeof number !== 'number' || section !== 'clients')
    return { type: String(section), id: name }
  const tool = at(copy, [section, index, inner, number])
  return { type: 'tools', id: `${name}__${isThing(tool) ? nameOf('clients', tool) : ''}` }
}

/** By natural names: the author of the document looks for `clients.petstore`, not for the third. */
function problemOf(copy: Thing, { path, message }: z.core.$ZodIssue): FieldProblem {
  const spoken = path.map((key, depth) => {
    if (typeof key !== 'number') return String(key)
    const item = at(copy, path.slice(0, depth + 1))
    const section = depth === 1 ? (path[0] as DocumentSection) : 'clients' // the schema has no other section
    return (isThing(item) && nameOf(section, item)) || String(key)
  })
  return { path: spoken.join('.'), message }
}

function refuseTwins(doc: ConfigDoc): void {
  const twins: FieldProblem[] = []
  const look = (path: string, names: readonly string[]): void => {
    const seen = new Set<string>()
    for (const name of names) {
      if (seen.has(name)) twins.push({ path: `${path}.${name}`, message: 'is there twice' })
      seen.add(name)
    }
  }
  for (const section of DOCUMENT_SECTIONS)
    look(
      section,
      named<Thing>(section, doc[section] ?? []).map(([name]) => name),
    )
  for (const { name, registration, tools = [] } of doc.clients ?? []) {
    look(
      `clients.${name}.tools`,
      tools.map((tool) => tool.name),
    )
    if (registration && registration.name !== name)
      twins.push({ path: `clients.${name}.registration.name`, message: `must be "${name}", as the backend is called` })
  }
  if (twins.length === 0) return
  const text = twins.slice(0, 3).map(({ path, message }) => `${path} ${message}`)
  refuse(`The configuration cannot be used: ${text.join('; ')}`, twins.slice(0, MOST_PROBLEMS))
}
