// Animates moved nodes and edges with CSS transitions, without a React render per frame.
import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { CanvasNode } from './flow.ts'
import { glide } from './glide.ts'

/** Animates every node whose read position changed: auto-layout, alignment, undo, another author's edit. */
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

/** Above this many elements, animation is not smooth. */
const MOST_GLIDING = 1_500

/** Ends when all elements have arrived or a drag begins, which must not lag. */
function glideOn(canvas: HTMLElement): (() => void) | undefined {
  const drawn = canvas.querySelectorAll('.react-flow__node')
  if (drawn.length > MOST_GLIDING || canvas.querySelector('.react-flow__node.dragging')) return undefined
  const control = new AbortController()
  const { signal } = control
  const end = (): void => {
    control.abort()
    delete canvas.dataset['gliding']
    // Running transitions continue after their rule is removed.
    for (const each of movesIn(canvas)) each.finish()
  }
  const endWithAll = async (): Promise<void> => {
    await Promise.allSettled(movesIn(canvas).map(({ finished }) => finished))
    if (!signal.aborted) end()
  }
  canvas.dataset['gliding'] = ''
  canvas.addEventListener('pointerdown', end, { capture: true, signal })
  // All transitions start in one frame.
  canvas.addEventListener('transitionrun', () => requestAnimationFrame(() => void endWithAll()), { once: true, signal })
  return end
}

/** CSS properties that move nodes and edges. */
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
