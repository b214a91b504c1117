// The entries of the sidebar: each group of permitted pages, under the title of its only page or of the group.

import { t, word } from '../language/language.ts'
import type { PageRow } from '../pages.ts'
import { useOwnPages } from './actions.ts'

/** Below the others, beside the user. */
export const ACCOUNT = word('Account')

/** It leads to its first page. */
export type Entry = PageRow & { readonly pages: readonly PageRow[] }

export function entriesOf(pages: readonly PageRow[]): readonly Entry[] {
  return [...Map.groupBy(pages, ({ group }) => group)].flatMap(([group, own]) => {
    const [first] = own
    return first ? [{ ...first, title: own.length === 1 ? first.title : t(group), pages: own }] : []
  })
}

export const useEntries = (): readonly Entry[] => entriesOf(useOwnPages())
