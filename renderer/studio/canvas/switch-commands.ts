// Commands that switch a setting of the selected nodes, and the one that inspects their data.

import { t } from '../../language/language.ts'
import { counted } from '../../ui/format.ts'
import { callTool } from '../editor/calls.ts'
import { usePanels } from '../panel-places.ts'
import { useStudio } from '../studio.ts'
import { type Bench } from './bench.ts'

type Switch = 'bEnabled' | 'bDebug'
const WORDS: Readonly<Record<Switch, readonly [on: string, off: string]>> = {
  bEnabled: [t('Enable'), t('Disable')],
  bDebug: [t('Debug'), t('Stop debugging')],
}

/** The new value is the opposite of the first selected node's, for all of them. */
export function toggleSetting(bench: Bench, setting: Switch): void {
  void bench.perform(async ({ view }, { nodes }) => {
    const names = [...nodes].filter((name) => view.nodes.get(name)?.end === null)
    const [first] = names
    if (first === undefined) return undefined
    const at = { pcg_graph_path: view.path }
    const { properties } = await callTool(bench.editor, 'get_pcg_node_properties', { ...at, node_name: first })
    const on = properties[setting] !== true
    const word = WORDS[setting][on ? 0 : 1]
    return {
      label: `${word} ${counted(names.length, 'node')}`,
      async edit(call) {
        for (const node_name of names)
          await call('set_pcg_node_properties', { ...at, node_name, properties: { [setting]: on } })
        bench.say(`${word}d ${counted(names.length, 'node')}`)
        return undefined
      },
    }
  })
}

/** Sets or clears the display flag of the selected node. */
export function display(bench: Bench): void {
  const [name] = useStudio.getState().nodes
  if (name === undefined || !bench.view.nodes.has(name)) return bench.say(t('No node is selected'))
  const { display: shown, setDisplay } = useStudio.getState()
  setDisplay(shown === name ? null : name)
  usePanels.getState().showPanel('bottom', 'data')
}

/** Shows the data of the selected node. */
export function inspect(bench: Bench): void {
  const [name] = useStudio.getState().nodes
  if (name === undefined || !bench.view.nodes.has(name)) return bench.say(t('No node is selected'))
  usePanels.getState().showPanel('bottom', 'data')
}
