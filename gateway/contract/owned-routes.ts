// The routes that every owned record has: list, create, get, update and delete. A noun states its fields and its words.
import { z } from 'zod'
import type { AuditAction } from './audit-action.ts'
import type { ErrorCode } from './error.ts'
import { page, pageQuery } from './page.ts'
import type { Access } from './role.ts'
import type { RouteTable } from './route.ts'

type With<Verb extends string> = { [A in AuditAction]: A extends `${infer N}.${Verb}` ? N : never }[AuditAction]
/** The nouns of records that are created, updated and deleted. */
export type OwnedNoun = With<'create'> & With<'update'> & With<'delete'>

type Definition = {
  /** The path of the list. */
  readonly path: string
  /** How a path names one record. */
  readonly key: 'id' | 'name' | 'username'
  /** The first word of its audit actions. */
  readonly noun: OwnedNoun
  readonly read: Exclude<Access, 'public'>
  readonly write: Exclude<Access, 'public'>
  /** Filters of the list, beside its paging. */
  readonly filter?: z.ZodRawShape
  readonly input: z.ZodType
  readonly change: z.ZodType
  readonly record: z.ZodType
  /** What the list shows of a record, where that is less. */
  readonly summary?: z.ZodType
  /** The record as its creation returns it, where that shows more, and what it shows once. */
  readonly created?: z.ZodType
  readonly shownOnce?: readonly string[]
  readonly notFound: ErrorCode
  readonly errors: {
    readonly create?: readonly ErrorCode[]
    readonly update?: readonly ErrorCode[]
    readonly delete?: readonly ErrorCode[]
  }
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'delete', string>>
}

type Either<D, K extends string, Otherwise> = D extends Record<K, infer S> ? S : Otherwise
type Schema<S> = S extends z.ZodType ? S : never
type One<D extends Definition> = `${D['path']}/:${D['key']}`
type Filter<D> = Either<D, 'filter', {}>

const PAGING = pageQuery()

/** `more` are the routes that a noun has beside the five. */
export function ownedRoutes<const D extends Definition, const More extends RouteTable = {}>(
  definition: D,
  more?: More,
) {
  const { path, key, noun, read, write, notFound, errors, summaries } = definition
  const { filter = {}, summary = definition.record, created = definition.record, shownOnce } = definition
  const one = `${path}/:${key}` as One<D>
  const five = {
    list: {
      method: 'GET',
      path: path as D['path'],
      access: read,
      summary: summaries.list,
      query: z.strictObject({ ...filter, ...PAGING } as Filter<D> & typeof PAGING), // the filter of the definition
      reply: page(summary as Schema<Either<D, 'summary', D['record']>>), // as the line above chose it
    },
    create: {
      method: 'POST',
      path: path as D['path'],
      access: write,
      summary: summaries.create,
      status: 201,
      body: definition.input as D['input'],
      reply: created as Schema<Either<D, 'created', D['record']>>, // likewise
      ...(shownOnce && { shownOnce }),
      audit: `${noun}.create`,
      errors: errors.create ?? [],
    },
    get: {
      method: 'GET',
      path: one,
      access: read,
      summary: summaries.get,
      reply: definition.record as D['record'],
      errors: [notFound],
    },
    update: {
      method: 'PATCH',
      path: one,
      access: write,
      summary: summaries.update,
      body: definition.change as D['change'],
      reply: definition.record as D['record'],
      audit: `${noun}.update`,
      errors: [notFound, ...(errors.update ?? []), 'PRECONDITION_FAILED'],
    },
    delete: {
      method: 'DELETE',
      path: one,
      access: write,
      summary: summaries.delete,
      audit: `${noun}.delete`,
      errors: [notFound, ...(errors.delete ?? []), 'PRECONDITION_FAILED'],
    },
  } as const
  return { ...five, ...(more as More) } // without more, its type is that of an empty table
}
