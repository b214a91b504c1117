// A comment: a coloured frame with a title that moves the nodes inside it.
import { type NodeProps, NodeResizer } from '@xyflow/react'
import { memo } from 'react'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { READABLE } from './detail.ts'
import type { CommentNode } from './flow.ts'
import { hold, useHand } from './hand.ts'
import { hueOf } from './pin-look.ts'
import { useArrange } from './use-arrange.ts'

export const CommentBox = memo(function CommentBox({ data: { comment }, selected }: NodeProps<CommentNode>) {
  const writing = useHand((state) => state.writing === comment.id)
  const arrange = useArrange()
  const hue = hueOf(comment.color)
  const colour = hue === undefined ? 'var(--g-line-strong)' : `var(--g-hue-${hue})`
  return (
    <section
      aria-label={t('Comment: {text}', { text: comment.text })}
      style={{ borderColor: colour, background: `color-mix(in oklab, ${colour} 14%, transparent)` }}
      className={cx('size-full rounded-lg border-2', selected && 'outline-2 outline-ring')}
    >
      {selected && (
        <NodeResizer
          minWidth={96}
          minHeight={64}
          lineClassName="border-transparent!"
          handleClassName="size-2.5! rounded-xs! border-ring! bg-surface!"
          onResizeEnd={(_event, { x, y, width, height }) =>
            arrange.resize(comment.id, { x, y, w: Math.round(width), h: Math.round(height) })
          }
        />
      )}
      <header
        className="comment-head flex min-h-8 cursor-grab items-center rounded-t-md px-3 leading-tight font-semibold"
        style={{ background: colour, fontSize: READABLE }}
        onDoubleClick={(event) => {
          event.stopPropagation()
          hold({ writing: comment.id })
        }}
      >
        {writing ? (
          <input
            autoFocus
            aria-label={t('Text of the comment')}
            maxLength={4096}
            defaultValue={comment.text}
            onFocus={({ target }) => target.select()}
            onBlur={({ target }) => arrange.write(comment.id, target.value)}
            onKeyDown={(event) => {
              event.stopPropagation()
              if (event.key === 'Enter') event.currentTarget.blur()
              if (event.key === 'Escape') hold({ writing: null })
            }}
            className="nodrag w-full rounded bg-surface px-1 outline-none"
          />
        ) : (
          <span className="truncate">{comment.text}</span>
        )}
      </header>
    </section>
  )
})
