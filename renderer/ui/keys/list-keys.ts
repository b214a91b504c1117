// Keys of every list: search, add, and into the rows. A key without its target on the page does nothing.
import { t } from '../../language/language.ts'

type ListKey = {
  readonly key: string
  readonly title: string
  readonly target: string
  readonly act: (target: HTMLElement) => void
}

const focus = (target: HTMLElement): void => target.focus()
/** Into the rows; from a row to the next, as the table's own keys do. A page with its own `j` and `k` comes first. */
const along =
  (key: 'ArrowDown' | 'ArrowUp') =>
  (row: HTMLElement): void => {
    if (row === document.activeElement) row.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    else row.focus()
  }
/** The table keeps one row in the tab order; its own keys move on from there. */
const ROW = '#main tbody tr[data-index][tabindex="0"]'

export const LIST_KEYS: readonly ListKey[] = [
  { key: '/', title: t('Search the list'), target: '#main input[type=search]', act: focus },
  { key: 'n', title: t('New'), target: '#main [data-new]', act: (target) => target.click() },
  { key: 'j', title: t('Into the rows'), target: ROW, act: along('ArrowDown') },
  { key: 'k', title: t('Into the rows'), target: ROW, act: along('ArrowUp') },
]

/** Whether the page has what the key is for. */
export function pressListKey(key: string): boolean {
  const known = LIST_KEYS.find((each) => each.key === key)
  const target = known && document.querySelector<HTMLElement>(known.target)
  if (!target) return false
  known.act(target)
  return true
}
