// Rules about parameters, titles, and what was left behind while a graph was made.
import { parameterRead } from '../parameters.ts'
import { found, type LintRule, type NodeRule, set } from './rule.ts'
import { text, value } from './view.ts'

const READERS = ['UserParameterGet', 'GenericUserParameterGet']
const EMPTY_VALUE = { bool: false, int: 0, float: 0, double: 0, string: '' } as const

export const NAMING_RULES: readonly (LintRule | NodeRule)[] = [
  {
    id: 'unused-parameter',
    severity: 'warning',
    about: 'No node reads the parameter, so turning it changes nothing',
    remedy: 'Read it with Get Graph Parameter, or remove it; the fix removes it',
    check(view) {
      const read = new Set([...view.nodes.values()].map((node) => parameterRead(node)?.toLowerCase()))
      // Nodes of unknown classes may read any.
      if ([...view.nodes.values()].some(({ type }) => type === undefined)) return []
      return [...view.graph.parameters.keys()]
        .filter((name) => !read.has(name.toLowerCase()))
        .map((parameter) =>
          found(null, `no node reads the parameter ${parameter}`, [{ do: 'remove parameter', parameter }]),
        )
    },
  },
  {
    id: 'unknown-parameter',
    severity: 'error',
    about: 'A node reads a parameter that the graph does not have',
    remedy: 'Add the parameter, or correct the name; the fix adds a double',
    check(view) {
      const known = new Set([...view.graph.parameters.keys()].map((name) => name.toLowerCase()))
      return view.of(...READERS).flatMap((node) => {
        const parameter = parameterRead(node)
        if (
          parameter === undefined ||
          known.has(parameter.toLowerCase()) ||
          ['Upstream', 'Root'].includes(text(node, 'Source'))
        )
          return []
        return [
          found(node.id, `the graph has no parameter ${parameter}`, [
            { do: 'parameter', parameter, type: 'double', value: EMPTY_VALUE.double },
          ]),
        ]
      })
    },
  },
  {
    id: 'no-parameter',
    severity: 'warning',
    about: 'A Get Graph Parameter node names no parameter',
    remedy: 'Set its name',
    on: READERS,
    finds: (node) => parameterRead(node) === undefined && 'it names no parameter',
  },
  {
    id: 'parameter-naming',
    severity: 'info',
    about: 'The name of a parameter does not start with a capital letter, as names in Unreal do',
    remedy: 'Write it like TreeDensity',
    check: ({ graph }) =>
      [...graph.parameters.keys()]
        .filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))
        .map((name) => found(null, `the parameter ${name} is not written like TreeDensity`)),
  },
  {
    id: 'title-naming',
    severity: 'info',
    about: 'A title starts or ends with a space, or has more than 60 characters',
    remedy: 'Shorten it; details belong into a comment',
    check: ({ nodes }) =>
      [...nodes.values()].flatMap(({ id, title }) => {
        if (title === null || (title === title.trim() && title.length <= 60)) return []
        const short = title.trim()
        return [
          found(
            id,
            short.length > 60 ? `its title has ${short.length} characters` : 'its title starts or ends with a space',
            short.length > 60 || short === '' ? undefined : [{ do: 'title', node: id, title: short }],
          ),
        ]
      }),
  },
  {
    id: 'duplicate-title',
    severity: 'info',
    about: 'Nodes of one class have one title, so a reader cannot tell them apart',
    remedy: 'Give each a title of its own',
    check: ({ nodes }) => {
      const titled = Map.groupBy(
        [...nodes.values()].filter(({ title }) => title !== null),
        ({ class: name, title }) => `${name}\n${title ?? ''}`,
      )
      return [...titled.values()].flatMap(([first, ...others]) =>
        others.map(({ id, title }) => found(id, `${first?.id ?? ''} has the title ${title ?? ''}, too`)),
      )
    },
  },
  {
    id: 'debug-left',
    severity: 'info',
    about: 'Debug display is on, or a debug node is in the graph',
    remedy: 'Turn it off before others use the graph',
    check: ({ nodes }) =>
      [...nodes.values()].flatMap((node) =>
        value(node, 'bDebug') === true
          ? [found(node.id, 'its debug display is on', set(node, { bDebug: null }))]
          : node.type?.category === 'Debug'
            ? [found(node.id, `${node.type.title} is for debugging`)]
            : [],
      ),
  },
]
