// Marks on a node: badges above, heat below, a ring in the colour of its last author.

import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { type Detail, READABLE } from './detail.ts'
import type { DrawnMark } from './overlay.ts'

const GHOSTS = {
  added: 'outline-ok-solid',
  removed: 'outline-bad-solid opacity-80',
  changed: 'outline-warn-solid',
} as const

/** CSS classes for the ring of a ghost or a recent change. */
export function ringOf(mark: DrawnMark | undefined): string {
  if (mark?.ghost) return `outline-2 outline-dashed ${GHOSTS[mark.ghost]}`
  return mark?.glow ? 'outline-3 outline-brand' : ''
}

/** Problems stay visible when zoomed out: badges keep their size on the screen. */
const BADGES = { full: '', plain: 'scale-[calc(1/var(--zoom))]', block: 'scale-600' } as const satisfies Readonly<
  Record<Detail, string>
>

type Props = { readonly mark: DrawnMark | undefined; readonly detail: Detail }

export function Marks({ mark, detail }: Props) {
  if (!mark) return null
  return (
    <>
      {mark.tint !== undefined && (
        <div
          style={{ opacity: 0.15 + 0.85 * mark.tint }}
          className="absolute inset-x-0 -bottom-1.5 h-1.5 rounded-full bg-bad-solid"
        />
      )}
      {mark.heat !== undefined && (
        <span style={{ fontSize: READABLE }} className="absolute top-full mt-2 whitespace-nowrap text-ink-2">
          {mark.heat}
        </span>
      )}
      {(mark.badges.length > 0 || mark.glow) && (
        <div className={cx('absolute right-1 bottom-full mb-1 flex origin-bottom-right gap-1', BADGES[detail])}>
          {mark.glow && <Badge tone="outline">{mark.glow.author}</Badge>}
          {mark.badges.map(({ tone, text, title }) => (
            <span key={`${tone} ${text} ${title}`} title={title}>
              <Badge tone={tone}>{text}</Badge>
            </span>
          ))}
        </div>
      )}
    </>
  )
}
