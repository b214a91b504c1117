// Nodes and wires that were moved glide to where they lie now: the page's own transitions do it, no frame is drawn by React.
import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { CanvasNode } from './flow.ts'
import { glide } from './glide.ts'

/** Of a layout, an alignment, an undo, somebody else's gesture: whatever was read and lies elsewhere than before. */
export function useGliding(root: RefObject<HTMLElement | null>, nodes: readonly CanvasNode[]): void {
  const last = useRef(nodes)
  useLayoutEffect(() => {
    const before = last.current
    last.current = nodes
    const canvas = root.current
    if (!canvas || glide() === 0 || !hasMoved(before, nodes)) return
    return glideOn(canvas)
  }, [root, nodes])
}

/** More than these in the page are not moved smoothly by anything. */
const MOST_GLIDING = 1_500

/** Until all stand still, or a hand takes something: what it moves must not lag behind it. */
function glideOn(canvas: HTMLElement): (() => void) | undefined {
  const drawn = canvas.querySelectorAll('.react-flow__node')
  if (drawn.length > MOST_GLIDING || canvas.querySelector('.react-flow__node.dragging')) return undefined
  const control = new AbortController()
  const { signal } = control
  const end = (): void => {
    control.abort()
    delete canvas.dataset['gliding']
    // What has begun goes on without the rule that began it.
    for (const each of movesIn(canvas)) each.finish()
  }
  const endWithAll = async (): Promise<void> => {
    await Promise.allSettled(movesIn(canvas).map(({ finished }) => finished))
    if (!signal.aborted) end()
  }
  canvas.dataset['gliding'] = ''
  canvas.addEventListener('pointerdown', end, { capture: true, signal })
  // All of them begin in one frame.
  canvas.addEventListener('transitionrun', () => requestAnimationFrame(() => void endWithAll()), { once: true, signal })
  return end
}

/** Of nodes, and of the wires between them. */
const MOVED = new Set(['transform', 'd'])
const movesIn = (canvas: HTMLElement): readonly Animation[] =>
  canvas
    .getAnimations({ subtree: true })
    .filter((each) => each instanceof CSSTransition && MOVED.has(each.transitionProperty))

function hasMoved(before: readonly CanvasNode[], now: readonly CanvasNode[]): boolean {
  if (before === now) return false
  const stood = new Map(before.map(({ id, position }) => [id, position]))
  return now.some(({ id, position: { x, y } }) => {
    const at = stood.get(id)
    return at !== undefined && (at.x !== x || at.y !== y)
  })
}
