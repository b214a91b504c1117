// The actor that was last chosen for each graph; remembered by this browser.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

const MOST_GRAPHS = 200
type Remembered = { readonly actors: Readonly<Record<string, string>> }
const useRemembered = create<Remembered>()(
  persist((): Remembered => ({ actors: {} }), { name: 'gantry-studio-actors' }),
)

const keyOf = (editor: string, graph: string): string => `${editor}\n${graph}`

export const rememberedActor = (editor: string, graph: string): string | undefined =>
  useRemembered.getState().actors[keyOf(editor, graph)]

export function rememberActor(editor: string, graph: string, actor: string): void {
  const { [keyOf(editor, graph)]: _before, ...others } = useRemembered.getState().actors
  const kept = Object.entries(others).slice(1 - MOST_GRAPHS)
  useRemembered.setState({ actors: Object.fromEntries([...kept, [keyOf(editor, graph), actor]]) })
}
