// Layout changes of single elements, used by the boxes on the canvas.
import { createContext, use } from 'react'
import { t } from '../../language/language.ts'
import type { Comment } from '../model/arrangement.ts'
import { carriedBy } from '../model/edits.ts'
import { type Bench, placing, type Standing } from './bench.ts'
import { boxesOf } from './flow.ts'
import { hold, useHand } from './hand.ts'

export type Arrange = {
  widen(node: string, w: number): void
  resize(comment: string, box: Pick<Comment, 'x' | 'y' | 'w' | 'h'>): void
  write(comment: string, text: string): void
}

const Here = createContext<Arrange | null>(null)
export const ArrangeProvider = Here.Provider

export function useArrange(): Arrange {
  const arrange = use(Here)
  if (!arrange) throw new Error('useArrange is for what lies on the canvas')
  return arrange
}

/** `holding` keeps a resized element at its new size until the next read. */
export function arrangeOf(
  { layout, perform }: Pick<Bench, 'layout' | 'perform'>,
  holding: (done: Promise<unknown>) => void,
): Arrange {
  const change = (id: string, label: string, next: (comment: Comment, at: Standing) => Comment): Promise<boolean> =>
    perform((at) => {
      const comment = at.layout.comments.find((each) => each.id === id)
      return comment && { label, arrange: { comments: { [id]: next(comment, at) } } }
    })
  return {
    widen: (node, w) =>
      holding(perform((at) => ({ label: t('Change the width'), arrange: placing(at, [[node, { w }]]) }))),
    resize: (id, box) =>
      holding(
        change(id, t('Resize a comment'), (comment, { nodes }) => ({
          ...comment,
          ...box,
          nodes: [...carriedBy(box, boxesOf(nodes))],
        })),
      ),
    write: (id, text) => {
      if (useHand.getState().writing !== id) return
      hold({ writing: null })
      if (layout.comments.some((each) => each.id === id && each.text !== text))
        void change(id, t('Write a comment'), (comment) => ({ ...comment, text }))
    },
  }
}
