// Makes the context of canvas commands from the drawn graph; read when a command runs.
import { useReactFlow } from '@xyflow/react'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { t } from '../../language/language.ts'
import { notifyError } from '../../ui/notify.ts'
import { useUrlParams } from '../../url-params.ts'
import type { Gestures } from '../editor/gestures.ts'
import { useGestures } from '../use-gestures.ts'
import type { Bench } from './bench.ts'
import type { CanvasNode, WireEdge } from './flow.ts'

const DONE = {
  undo: (label: string) => t('undo: {label}', { label }),
  redo: (label: string) => t('redo: {label}', { label }),
}
const NOTHING = { undo: t('Nothing to undo'), redo: t('Nothing to redo') }

/** Separates graphs in the URL; no graph path contains it. */
const VIA = '|'

/** A blocked step opens its dialog instead. */
const unlessBlocked = (gestures: Gestures) => (error: unknown) => {
  if (gestures.state.getState().blocked === null) notifyError(error)
}

type Parts = Pick<Bench, 'editor' | 'view' | 'layout' | 'nodes' | 'say' | 'perform'> & {
  readonly root: React.RefObject<HTMLDivElement | null>
}

export function useBenchOf({ editor, view, layout, nodes, root, say, perform }: Parts): Bench {
  const flow = useReactFlow<CanvasNode, WireEdge>()
  const { gestures } = useGestures()
  const [params, change] = useUrlParams()
  const pointer = usePointer(root)
  const path = params['via'] ?? ''
  // Getters, read when a command runs, so that consumers of the bench do not re-render during a drag.
  const lies = useRef(nodes)
  useLayoutEffect(() => {
    lies.current = nodes
  })
  return useMemo(
    () => ({
      editor,
      view,
      layout,
      get nodes() {
        return lies.current
      },
      flow,
      perform,
      pointer,
      say,
      reverse: (way) =>
        void gestures[way]().then((step) => say(step ? DONE[way](step.label) : NOTHING[way]), unlessBlocked(gestures)),
      open: (graph, via) => change({ graph, via: via.join(VIA) || undefined }),
      here: () => root.current !== null,
      via: path.split(VIA).filter(Boolean),
    }),
    [editor, view, layout, flow, root, perform, pointer, say, gestures, change, path],
  )
}

/** The last pointer position on the canvas, for commands that place something there. */
function usePointer(root: React.RefObject<HTMLDivElement | null>): Bench['pointer'] {
  const last = useRef<{ readonly x: number; readonly y: number } | null>(null)
  useEffect(() => {
    const follow = ({ clientX: x, clientY: y, target }: PointerEvent): void => {
      last.current = target instanceof Node && root.current?.contains(target) ? { x, y } : null
    }
    window.addEventListener('pointermove', follow)
    return () => window.removeEventListener('pointermove', follow)
  }, [root])
  return useMemo(
    () => () => {
      const { left = 0, top = 0, width = 0, height = 0 } = root.current?.getBoundingClientRect() ?? {}
      return last.current ?? { x: left + width / 2, y: top + height / 2 }
    },
    [root],
  )
}
