// A value under the hand, before it is set: the node in the data panel shows what it would make with it.
import { create } from 'zustand'
import type { InspectionArgs } from '#pcg-catalog'
import { look } from '../editor/calls.ts'
import { newestOnly } from '../editor/newest-only.ts'
import { PAGE_ROWS, type What } from './loading.ts'
import { emptySheet, rowsOf, type Sheet, withPage } from './sheet.ts'

type Asked = NonNullable<InspectionArgs<'get_pcg_node_data'>['preview']>
type Preview = {
  readonly asked: Asked | null
  /** Mounted data panels of editors that can preview. */
  readonly panels: number
}
export const usePreview = create<Preview>(() => ({ asked: null, panels: 0 }))

export const canPreview = (): boolean => usePreview.getState().panels > 0
export const preview = (asked: Asked | null): void => usePreview.setState({ asked })
/** Returns the function that unmounts it. */
export function withPanel(): () => void {
  usePreview.setState(({ panels }) => ({ panels: panels + 1 }))
  return () => usePreview.setState(({ panels, asked }) => ({ panels: panels - 1, asked: panels > 1 ? asked : null }))
}

/** Rows from all over the data, and how many there are. */
export type Previewed = { readonly sheet: Sheet; readonly total: number }

/** Shows the newest value as soon as the one before has arrived. */
export function createPreviewer(what: What, onShown: (shown: Previewed) => void) {
  let total = 0
  let ended = false
  const { put } = newestOnly(async (asked: Asked) => {
    if (ended) return
    const every = Math.max(1, Math.ceil(total / PAGE_ROWS))
    const page = await look(what.editor, 'get_pcg_node_data', {
      actor_name: what.actor,
      node_name: what.node,
      data_index: what.dataIndex,
      limit: PAGE_ROWS,
      packed: true,
      preview: asked,
      ...(every > 1 ? { every } : {}),
      ...(what.pin === undefined ? {} : { pin: what.pin }),
    })
    total = page.row_count
    if (!ended) onShown({ sheet: withPage({ ...emptySheet(page), total: rowsOf(page) }, page), total })
  })
  return {
    put,
    end(): void {
      ended = true
    },
  }
}
