// The shared columns of key lists: label, state, access.
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Named } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import type { Column } from '../../ui/Table.tsx'
import { KeyStateBadge } from './KeyStateBadge.tsx'
import { reachInWords } from './reach.ts'

export const KEY_COLUMNS: readonly Column<KeyRecord>[] = [
  {
    key: 'label',
    title: t('Key'),
    grow: true,
    sortBy: ({ label }) => label,
    cell: ({ label, keyPrefix }) => <Named name={label} about={<code className="font-mono">{keyPrefix}…</code>} />,
  },
  { key: 'state', title: t('State'), width: 'w-28', cell: (key) => <KeyStateBadge record={key} /> },
  {
    key: 'reach',
    title: t('Access'),
    width: 'w-52',
    cell: (key) => (
      <span className={cx('block max-w-52 truncate', key.scopes === null ? 'text-warn' : 'text-ink-2')}>
        {reachInWords(key)}
      </span>
    ),
  },
]
