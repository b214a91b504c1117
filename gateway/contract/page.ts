// Keyset paging: the query every list takes and the page every list answers. Contract 1.6.
import { z } from 'zod'

export const Id = z.number().int().positive()
export const Iso = z.string().describe('UTC, RFC 3339 with milliseconds')

/** The fields that every owned record shows. */
export const MADE_FIELDS = {
  revision: z.number().int(),
  createdAt: Iso,
  updatedAt: Iso,
  createdBy: z.string().nullable(),
}
export const OWNER_FIELDS = { teamId: Id.nullable(), ...MADE_FIELDS }

/** A timestamp given by a caller: ISO text or epoch milliseconds; always ISO afterwards. */
export const When = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
    z
      .string()
      .refine((text) => !Number.isNaN(Date.parse(text)), 'must be an ISO timestamp or epoch milliseconds')
      .transform((text) => Date.parse(text)),
  ])
  .refine((ms) => Number.isFinite(ms) && Math.abs(ms) <= 8.64e15, 'must be a representable time')
  .transform((ms) => new Date(ms).toISOString())

/** One place in which two values differ, by its JSON pointer. */
export const DiffEntry = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  before: z.unknown(),
  after: z.unknown(),
})

/** The id in a path; undefined for what cannot be one and so names nothing. */
export function idIn(text: string): number | undefined {
  const id = Number(text)
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}

/** A boolean in a query string. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** `limit` is clamped, never refused for being out of bounds; a non-number is. */
export function pageQuery(fallback = 50, most = 200) {
  return {
    limit: z
      .string()
      .regex(/^-?\d{1,9}$/, 'must be a whole number')
      .transform((text) => Math.min(most, Math.max(1, Number(text))))
      .default(fallback),
    cursor: z.string().min(1).max(512).optional(),
  }
}

export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().optional() })
}

export type Page<T> = { readonly items: T[]; readonly nextCursor?: string }
