// What a real editor does while it does not answer, the window that it waits for, and who holds which graph. Contract 7.9.
import { z } from 'zod'
import { Iso } from './iso.ts'

const EDITOR_ACTIVITIES = ['ready', 'starting', 'busy', 'dialog', 'compiling', 'playing', 'crashed'] as const

/** A modal window of the editor: until it is answered nothing else runs there. */
export const EditorDialog = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string().nullable().describe('null: the editor does not show it to other programs'),
  answers: z
    .array(z.object({ id: z.string(), label: z.string() }))
    .describe('empty: it can be answered in the editor only'),
})
export type EditorDialog = z.infer<typeof EditorDialog>

export const EditorActivity = z.object({
  is: z.enum(EDITOR_ACTIVITIES),
  what: z.string().nullable(),
  progress: z.number().min(0).max(1).nullable().describe('how far; null: unknown'),
  since: Iso,
  dialog: EditorDialog.nullable(),
})
export type EditorActivity = z.infer<typeof EditorActivity>

/** The files of one turn in the source control of the editor. */
export const ChangeList = z.object({
  provider: z.string().nullable().describe('null: source control is off'),
  files: z.array(z.string()),
  description: z.string(),
  submitted: z.boolean(),
})
export type ChangeList = z.infer<typeof ChangeList>

/** Others cannot write to the graph until then. */
export const GraphLease = z.object({
  graph: z.string(),
  holder: z.string(),
  person: z.boolean(),
  since: Iso,
  expiresAt: Iso,
})
export type GraphLease = z.infer<typeof GraphLease>
