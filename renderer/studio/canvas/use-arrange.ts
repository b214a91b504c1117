// Changes of how single things lie, for the boxes on the canvas themselves.
import { createContext, use } from 'react'
import type { Arrangement, Comment } from '../model/arrangement.ts'
import { carriedBy } from '../model/edits.ts'
import { type Bench, placing } from './bench.ts'
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

export function arrangeOf(layout: Arrangement, bench: Pick<Bench, 'nodes' | 'layout' | 'perform'>): Arrange {
  const change = (id: string, label: string, next: (comment: Comment) => Comment): void => {
    const comment = layout.comments.find((each) => each.id === id)
    if (comment) void bench.perform({ label, arrange: { comments: { [id]: next(comment) } } })
  }
  return {
    widen: (node, w) => void bench.perform({ label: 'Change the width', arrange: placing(bench, [[node, { w }]]) }),
    resize: (id, box) =>
      change(id, 'Resize a comment', (comment) => ({
        ...comment,
        ...box,
        nodes: [...carriedBy(box, boxesOf(bench.nodes))],
      })),
    write: (id, text) => {
      if (useHand.getState().writing !== id) return
      hold({ writing: null })
      if (layout.comments.some((each) => each.id === id && each.text !== text))
        change(id, 'Write a comment', (comment) => ({ ...comment, text }))
    },
  }
}
