// Undo through the editor's history: all or nothing, and each undo can be undone.
import { ApiError, type PcgChange } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'

export type Selection = { readonly batchId: string } | { readonly changeId: number }

/** Changes undone before one failed were applied again under new ids; later undos use these. */
export class NotTakenBack extends Error {
  readonly edits: readonly Selection[]
  constructor(edits: readonly Selection[], cause: unknown) {
    super(t('not taken back'), { cause })
    this.edits = edits
  }
}

/** Later changes stand in the way, as opposed to an editor that cannot be reached. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_UNDOABLE'

export function takingBack(editor: string) {
  const asked = new Set<string>()

  /** The changes that this undo made, newest first. */
  async function takeBackOne(selection: Selection): Promise<readonly Selection[]> {
    asked.add(keyOf(selection))
    const { failed } = await api.pcg.undo({ params: { name: editor }, body: selection })
    if (failed) throw new ApiError(409, { code: 'NOT_UNDOABLE', message: failed.message, request_id: '' })
    // Another author may undo at the same time; each change can be undone once.
    return (await newestChanges(editor)).flatMap(({ id, tool, args }) =>
      tool === 'undo' && keyOf(args) === keyOf(selection) ? [{ changeId: id }] : [],
    )
  }

  /** The changes behind a selection, newest first. */
  async function changesOf(selection: Selection): Promise<readonly Selection[]> {
    if ('changeId' in selection) return [selection]
    return (await newestChanges(editor, 200)).flatMap(({ id, batchId, undoable, undone }) =>
      batchId === selection.batchId && undoable && !undone ? [{ changeId: id }] : [],
    )
  }

  return {
    /** Undoes each change that can be undone; returns the inverse and the number of refused changes. */
    async takeBackPart(edits: readonly Selection[]): Promise<{ made: readonly Selection[]; left: number }> {
      const made: Selection[] = []
      let left = 0
      for (const selection of edits)
        for (const change of await changesOf(selection))
          try {
            made.unshift(...(await takeBackOne(change)))
          } catch (error) {
            if (!isRefusal(error)) throw error
            left += 1
          }
      return { made, left }
    },
    /** Newest first; returns the inverse. */
    async takeBack(edits: readonly Selection[]): Promise<readonly Selection[]> {
      const made: Selection[] = []
      for (const [at, selection] of edits.entries()) {
        try {
          made.push(...(await takeBackOne(selection)))
        } catch (error) {
          if (made.length === 0) throw error
          const again: Selection[] = []
          for (const each of made.toReversed()) again.unshift(...(await takeBackOne(each).catch(() => [])))
          throw new NotTakenBack([...again, ...edits.slice(at)], error)
        }
      }
      return made
    },
    /** Undos requested by this page. */
    asked: {
      note: (selection: Selection): unknown => asked.add(keyOf(selection)),
      has: (args: PcgChange['args']): boolean => asked.has(keyOf(args)),
    },
  }
}

const keyOf = (selection: { readonly batchId?: unknown; readonly changeId?: unknown }): string =>
  JSON.stringify([selection.batchId, selection.changeId])

/** Includes changes of the level, which belong to no graph. */
async function newestChanges(editor: string, limit = 50) {
  return (await api.pcg.history({ params: { name: editor }, query: { limit: String(limit) } })).items
}
