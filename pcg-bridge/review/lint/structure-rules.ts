// Rules about what an editor would refuse, and about classes and settings that the catalogue does not have.

import { NOT_EXECUTED } from '../../catalog/not-executed.ts'
import { coerce, findProperty } from '../../editor/settings.ts'
import { factsOf } from '../defaults.ts'
import type { Fault } from '../faults.ts'
import { sameValue } from '../graph.ts'
import { type Found, found, type LintRule, type NodeRule, set } from './rule.ts'
import type { LintNode, LintView } from './view.ts'

const cutting = ({ faults }: LintView, kind: Fault['kind']): Found[] =>
  faults
    .filter((fault) => fault.kind === kind)
    .map(({ node, edge, message }) => found(node, message, edge === null ? undefined : [{ do: 'disconnect', ...edge }]))
const stating = ({ faults }: LintView, kind: Fault['kind']): Found[] =>
  faults.filter((fault) => fault.kind === kind).map(({ node, message }) => found(node, message))

type Judged = { readonly name: string; readonly stored: unknown; readonly fault: string | null }
/** Two rules read them. */
const judgedOnce = new WeakMap<LintNode, readonly Judged[]>()
function settingsOf(node: LintNode): readonly Judged[] {
  const judged = judgedOnce.get(node) ?? judge(node)
  judgedOnce.set(node, judged)
  return judged
}

/** The settings of a node as an editor would store them. Structs are judged whole. */
function judge({ type, settings }: LintNode): Judged[] {
  if (type === undefined || type.nameOnly) return []
  const known = factsOf(type.name).properties
  return Object.entries(settings).flatMap(([name, value]): Judged[] => {
    const property = Object.hasOwn(known, name) ? known[name] : undefined
    if (property === undefined) return []
    try {
      return [{ name, stored: coerce(name, property, value, undefined), fault: null }]
    } catch (error) {
      return [{ name, stored: undefined, fault: error instanceof Error ? error.message : String(error) }]
    }
  })
}

export const STRUCTURE_RULES: readonly (LintRule | NodeRule)[] = [
  {
    id: 'edge-end',
    severity: 'error',
    about: 'An edge names a node that the graph does not have',
    remedy: 'Remove the edge',
    check: (view) => cutting(view, 'end'),
  },
  {
    id: 'edge-pin',
    severity: 'error',
    about: 'An edge names a pin that its node does not have',
    remedy: 'Connect another pin',
    check: (view) => cutting(view, 'pin'),
  },
  {
    id: 'edge-types',
    severity: 'error',
    about: 'The pins of an edge have no data type in common',
    remedy: 'Put a conversion between them: To Point, or Convert To Attribute Set',
    check: (view) => cutting(view, 'types'),
  },
  {
    id: 'edge-twice',
    severity: 'warning',
    about: 'An edge is there twice, so its data arrives twice',
    remedy: 'Remove one',
    check: (view) => stating(view, 'twice'),
  },
  {
    id: 'single-pin',
    severity: 'error',
    about: 'A pin that takes one edge has more',
    remedy: 'Keep one, or merge the data first',
    check: (view) => cutting(view, 'single'),
  },
  {
    id: 'cycle',
    severity: 'error',
    about: 'A node leads back to itself, so it never runs',
    remedy: 'Remove an edge of the cycle',
    check: (view) => stating(view, 'cycle'),
  },
  {
    id: 'duplicate-name',
    severity: 'error',
    about: 'Two nodes have one name in the editor',
    remedy: 'Give one of them another name',
    check: (view) => stating(view, 'name'),
  },
  {
    id: 'parameter-value',
    severity: 'error',
    about: 'A parameter has a value of another type, or a name that is taken',
    remedy: 'Correct the value or the name',
    check: (view) => stating(view, 'parameter'),
  },
  {
    id: 'unknown-class',
    severity: 'info',
    about: 'The catalogue does not have the class: its pins and settings are not checked',
    remedy: 'Nothing, if the project has the plugin',
    finds: ({ class: name, type }) =>
      (type === undefined || type.nameOnly) && `${name} is not checked: its pins and settings are unknown`,
  },
  {
    id: 'deprecated-class',
    severity: 'warning',
    about: 'The engine keeps the class for old graphs only',
    remedy: 'Use the class that replaced it, such as Attribute Noise, Attribute Remap or Sort Attributes',
    finds: ({ type }) => type?.deprecated && `${type.name} is a legacy class`,
  },
  {
    id: 'not-executed',
    severity: 'info',
    about: 'The embedded editor passes the input of this class through',
    remedy: 'Generate in Unreal to see what it makes',
    finds: ({ type }) =>
      type && !type.nameOnly && NOT_EXECUTED.has(type.name) && `the embedded editor does not execute ${type.name}`,
  },
  {
    id: 'gpu-node',
    severity: 'info',
    about: 'A node runs on the GPU, which the embedded editor does not have',
    remedy: 'Generate in Unreal, or turn bExecuteOnGPU off',
    finds: ({ settings }) => settings['bExecuteOnGPU'] === true && 'it runs on the GPU',
    fix: (node) => set(node, { bExecuteOnGPU: null }),
  },
  {
    id: 'unknown-setting',
    severity: 'warning',
    about: 'The class has no setting of that name',
    remedy: 'Correct the name, or remove the setting',
    check: (view) =>
      [...view.nodes.values()].flatMap(({ id, type, settings }) => {
        if (type === undefined || type.nameOnly) return []
        const known = factsOf(type.name).properties
        return Object.entries(settings).flatMap(([name, value]) => {
          if (Object.hasOwn(known, name)) return []
          const meant = findProperty(known, name)
          const patch = {
            do: 'set' as const,
            node: id,
            settings: { [name]: null, ...(meant === undefined ? {} : { [meant]: value }) },
          }
          return [
            found(
              id,
              `${type.name} has no setting ${name}${meant === undefined ? '' : `: it is ${meant}`}`,
              meant === undefined ? undefined : [patch],
            ),
          ]
        })
      }),
  },
  {
    id: 'setting-type',
    severity: 'error',
    about: 'A setting has a value of another type, or one that is no option',
    remedy: 'Correct the value; the fix restores the default',
    check: (view) =>
      [...view.nodes.values()].flatMap((node) =>
        settingsOf(node).flatMap(({ name, fault }) =>
          fault === null ? [] : [found(node.id, fault, set(node, { [name]: null }))],
        ),
      ),
  },
  {
    id: 'setting-range',
    severity: 'warning',
    about: 'A number is outside of its range: the editor stores the nearest',
    remedy: 'Write the value that counts',
    check: (view) =>
      [...view.nodes.values()].flatMap((node) =>
        settingsOf(node).flatMap(({ name, stored, fault }) => {
          const given = node.settings[name]
          const outside =
            fault === null && (typeof given === 'number' || Array.isArray(given)) && !sameValue(stored, given)
          return outside
            ? [
                found(
                  node.id,
                  `${name} is ${JSON.stringify(given)}: the editor stores ${JSON.stringify(stored)}`,
                  set(node, { [name]: stored }),
                ),
              ]
            : []
        }),
      ),
  },
]
