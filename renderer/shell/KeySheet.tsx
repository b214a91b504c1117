// The sheet of all keyboard shortcuts.

import { t } from '../language/language.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { useOverlay } from '../ui/keys/overlay.ts'
import { type Action, usePageActions } from '../ui/keys/page-actions.ts'
import { keyCaps } from './key-caps.ts'
import { VERBS } from './palette-verbs.ts'

type Line = { readonly title: string; readonly caps: readonly string[] }

const LISTS: readonly Line[] = [
  { title: t('Search'), caps: ['/'] },
  { title: t('New'), caps: ['n'] },
  { title: t('Next row'), caps: ['down', 'j'] },
  { title: t('Previous row'), caps: ['up', 'k'] },
  { title: t('First and last row'), caps: ['Home', 'End'] },
  { title: t('Open the row'), caps: ['enter'] },
  { title: t('Close'), caps: ['Esc'] },
]

const IN_PALETTE: readonly Line[] = VERBS.map(({ title, word }) => ({ title, caps: [word] }))

/** Beyond the actions of the shell. */
const ELSEWHERE: readonly Line[] = [{ title: t('The last message, to undo it'), caps: ['Alt', 't'] }]

export function KeySheet({ open, actions }: { readonly open: boolean; readonly actions: readonly Action[] }) {
  const page = usePageActions()
  const lines = linesOf(actions)
  const own = linesOf(page.actions)
  return (
    <Dialog
      open={open}
      onClose={() => useOverlay.setState({ open: null })}
      title={t('Keyboard shortcuts')}
      width="max-w-2xl"
    >
      {own.length > 0 && <Keys title={page.title} lines={own} columns />}
      <div className="grid grid-cols-2 gap-x-8">
        <div>
          <Keys title={t('Go to')} lines={lines.filter((line) => line.keys.startsWith('g '))} />
          <Keys title={t('In the palette, before a name')} lines={IN_PALETTE} />
        </div>
        <div>
          <Keys title={t('Anywhere')} lines={lines.filter((line) => !line.keys.startsWith('g '))} />
          <Keys title={t('In a list')} lines={LISTS} />
          <Keys title={t('Messages')} lines={ELSEWHERE} />
        </div>
      </div>
    </Dialog>
  )
}

function linesOf(actions: readonly Action[]) {
  return actions.flatMap(({ title, keys }) => (keys ? [{ title, keys, caps: keyCaps(keys) }] : []))
}

function Keys({
  title,
  lines,
  columns = false,
}: {
  readonly title: string
  readonly lines: readonly Line[]
  readonly columns?: boolean
}) {
  return (
    <section className="mb-4">
      <h3 className="eyebrow pb-1">{title}</h3>
      <dl className={columns ? 'grid grid-cols-2 gap-x-8' : ''}>
        {lines.map((line) => (
          <div key={line.title} className="flex h-8 items-center justify-between border-b border-line text-sm">
            <dt>{line.title}</dt>
            <dd>
              <Kbd keys={line.caps} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
