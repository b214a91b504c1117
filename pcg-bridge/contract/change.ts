// One edit as history shows it, and how edits are undone. Contract 7.9.
import { z } from 'zod'
import { Iso } from './iso.ts'

/** A person in the studio, an agent over MCP, or the editor itself. */
export const EDIT_SOURCES = ['ui', 'mcp', 'editor'] as const

export const Change = z.object({
  id: z.number().int().positive(),
  at: Iso,
  actor: z.string(),
  /** The name that the client program of an agent gave itself. */
  program: z.string().optional(),
  source: z.enum(EDIT_SOURCES),
  batchId: z.string().nullable(),
  label: z.string().nullable(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  /** Null: an edit of the level. */
  graph: z.string().nullable(),
  undoable: z.boolean(),
  undone: z.boolean(),
  requestId: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

export const NamedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })
export type NamedCall = z.infer<typeof NamedCall>

export type UndoSelection =
  | { readonly batchId: string }
  | { readonly changeId: number }
  /** The author's newest change that is not undone. */
  | { readonly author: string }
export const UndoResult = z.object({
  /** The same as tool calls, for a reader; the editor undoes them in one step. */
  calls: z.array(NamedCall),
  applied: z.number().int(),
  failed: z.object({ index: z.number().int(), message: z.string() }).nullable(),
})
export type UndoResult = z.infer<typeof UndoResult>
