// A panel in a window of its own; selection, actor and display flag are those of the studio's window.
import { useEffect } from 'react'
import { useFreshQueries } from './editor/queries.ts'
import { PANELS, type PanelProps } from './panels.ts'
import { useStudio } from './studio.ts'
import { GesturesProvider, useMakeGestures } from './use-gestures.ts'

export function PanelWindow({ id, editor, graph }: PanelProps & { readonly id: string }) {
  const gestures = useMakeGestures(editor, graph ?? '')
  useFreshQueries(editor, graph ?? '', gestures)
  useSharedSelection(editor, graph)
  return (
    <GesturesProvider value={gestures}>
      {PANELS.filter((panel) => panel.id === id).map(({ title, Body }) => (
        <section key={id} aria-label={title} className="h-full overflow-y-auto bg-surface">
          <h1 className="sr-only">{title}</h1>
          <Body editor={editor} graph={graph} />
        </section>
      ))}
    </GesturesProvider>
  )
}

type Shared = { readonly nodes: readonly string[]; readonly actor: string | null; readonly display: string | null }

/** Mounted once in each window of the studio. */
export function useSharedSelection(editor: string, graph: string | null): void {
  useEffect(() => {
    const channel = new BroadcastChannel(`gantry-studio\n${editor}\n${graph ?? ''}`)
    const now = (): string => {
      const { nodes, actor, display } = useStudio.getState()
      return JSON.stringify({ nodes: [...nodes], actor, display })
    }
    let last = now()
    const stop = useStudio.subscribe(() => {
      const next = now()
      if (next === last) return
      last = next
      channel.postMessage(next)
    })
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
      // A window that has just opened asks.
      if (data === ASK) return channel.postMessage(last)
      if (data === last) return
      last = data
      const { nodes, actor, display } = JSON.parse(data) as Shared // written above, by this origin only
      useStudio.setState({ nodes: new Set(nodes), actor, display })
    })
    channel.postMessage(ASK)
    return () => {
      stop()
      channel.close()
    }
  }, [editor, graph])
}
const ASK = 'ask'
