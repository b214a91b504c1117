// The changes to the features of a tool, with undo.
import { FEATURES, type FeatureName, type ToolDetail, type ToolPatch } from '#contract'
import { fieldsOf, hasSwitch, resendable } from '../../../ui/form/fields.ts'
import { notifyDone } from '../../../ui/notify.ts'
import { useToolChanges } from '../use-tool-changes.ts'
import { wordsOf } from './labels.ts'

type Config = Readonly<Record<string, unknown>>

export const isOn = (config: unknown): boolean =>
  !(config instanceof Object && 'enabled' in config && config.enabled === false)

/** The feature as input; null if not set. */
function asSet({ config }: ToolDetail, name: FeatureName): Config | null {
  const own = config[name]
  return own ? resendable(fieldsOf(FEATURES[name], wordsOf(name).fields), own) : null
}

export function useFeatureChanges() {
  const { update } = useToolChanges()
  const patchOf = (name: FeatureName, config: Config | null): ToolPatch => ({ [name]: config })

  async function replace(tool: ToolDetail, name: FeatureName, next: Config | null, done: string): Promise<void> {
    const before = asSet(tool, name)
    const changed = await update(tool, patchOf(name, next))
    notifyDone(`${wordsOf(name).title} of ${tool.tool} ${done}`, () => update(changed, patchOf(name, before)))
  }

  return {
    /** A change keeps a feature switched off. */
    put: (tool: ToolDetail, name: FeatureName, input: Config) => {
      const switched = hasSwitch(FEATURES[name]) ? { enabled: !tool.config[name] || isOn(tool.config[name]) } : {}
      return replace(tool, name, { ...input, ...switched }, tool.config[name] ? 'changed' : 'set')
    },
    turn: (tool: ToolDetail, name: FeatureName, on: boolean) =>
      replace(tool, name, { ...asSet(tool, name), enabled: on }, on ? 'switched on' : 'switched off'),
    remove: (tool: ToolDetail, name: FeatureName) => replace(tool, name, null, 'removed'),
  }
}
