// The double offers nothing that the documented Python API does not have, so that our program cannot lean on it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { COMMON_PROPERTIES, NODE_TYPES } from '../catalog/node-types.ts'
import { NO_PYTHON } from './double.fixture.ts'
import { runtimeText } from './program.ts'
import { pythonName } from './shapes.ts'

const API = fileURLToPath(new URL('../../e2e/corpora/unreal/python-api.json', import.meta.url))
const PEERS = fileURLToPath(new URL('../../e2e/peers/unreal', import.meta.url))

type ApiClass = {
  readonly base?: string
  readonly methods: readonly string[]
  readonly properties: readonly string[]
}
type Surface = Record<string, { methods: string[]; properties: string[] }>

/** What is not in the text of 5.5, each with where it is known from. */
const BEYOND: Readonly<Record<string, readonly string[]>> = {
  // Members of the common base of all objects and structs, which the text leaves out.
  '*': [
    'get_name',
    'get_path_name',
    'get_class',
    'static_class',
    'modify',
    'get_editor_property',
    'set_editor_property',
  ],
  // 5.8.
  PCGEdge: ['get_input_node', 'get_output_node', 'get_input_pin_label', 'get_output_pin_label'],
  PCGSubgraphSettings: ['set_subgraph'],
  ToolsetRegistry: ['is_available', 'execute_tool'],
}
/** Classes of the engine's core whose text the reference does not hold. */
const CORE = [
  'AddNewSubobjectParams',
  'Vector2D',
  'Vector4',
  'Quat',
  'Color',
  'TopLevelAssetPath',
  'ScopedEditorTransaction',
  'ToolsetRegistry',
  'StaticMeshActor',
  'WrapperBase',
]

describe.skipIf(NO_PYTHON !== null)(`the double of Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  const api: Readonly<Record<string, ApiClass>> = JSON.parse(readFileSync(API, 'utf8'))

  function has(name: string, member: string): boolean {
    if (BEYOND['*']?.includes(member) || BEYOND[name]?.includes(member)) return true
    for (let at: string | undefined = name; at !== undefined; at = api[at]?.base)
      if (api[at]?.methods.includes(member) || api[at]?.properties.includes(member)) return true
    return false
  }

  it('has no method and no property that the API does not have', () => {
    const script = [
      'import json, sys',
      `sys.path.insert(0, ${JSON.stringify(PEERS)})`,
      'import module, objects',
      'table = json.load(sys.stdin)',
      "unreal = module.build({'engine': '5.8.0'}, table)",
      'found = {}',
      'for name in dir(unreal):',
      '    cls = getattr(unreal, name)',
      '    if not isinstance(cls, type) or issubclass(cls, objects.EnumBase): continue',
      '    own = [key for base in cls.__mro__ for key in base.__dict__ if base.__module__ in ("pcg", "level", "module", "objects")]',
      '    methods = sorted({key for key in own if not key.startswith("_") and callable(getattr(cls, key))})',
      '    properties = sorted({key for base in cls.__mro__ for key in base.__dict__.get("_props", {})})',
      '    found[name] = {"methods": methods, "properties": properties}',
      'print(json.dumps(found))',
    ].join('\n')
    const types = NODE_TYPES.filter((type) => type.name === 'PCGSubgraphSettings')
    const table = JSON.stringify({ types, common: COMMON_PROPERTIES })
    const { stdout, stderr } = spawnSync('python3', ['-B', '-c', script], { input: table, encoding: 'utf8' })
    expect(stderr).toBe('')
    const surface: Surface = JSON.parse(stdout)
    expect(Object.keys(surface).length).toBeGreaterThan(40)
    const unknown = Object.entries(surface).flatMap(([name, { methods, properties }]) => {
      if (CORE.includes(name)) return []
      if (!api[name]) return [name]
      return [...methods, ...properties].filter((member) => !has(name, member)).map((member) => `${name}.${member}`)
    })
    expect(unknown).toEqual([])
  })

  it('every name our program takes from `unreal` is one the API has, or is asked for first', () => {
    const named = new Set([...runtimeText().matchAll(/\bunreal\.([A-Z]\w+)/g)].map(([, name]) => name ?? ''))
    expect([...named].filter((name) => !api[name] && !CORE.includes(name))).toEqual([])
  })

  it('the Python names of node properties follow from their C++ names', () => {
    const rows = NODE_TYPES.filter(
      (type) => !type.nameOnly && !type.deprecated && (api[type.name]?.properties.length ?? 0) > 0,
    )
    const pairs = rows.flatMap((type) =>
      Object.keys({ ...type.properties, ...COMMON_PROPERTIES }).map((name) => has(type.name, pythonName(name))),
    )
    // The rest came with 5.6; the reference is of 5.5.
    expect(pairs.filter(Boolean).length / pairs.length).toBeGreaterThan(0.95)
    expect(pythonName('bInvertFilter')).toBe('invert_filter')
    expect(pythonName('InRangeMin')).toBe('range_min')
    expect(pythonName('bExecuteOnGPU')).toBe('execute_on_gpu')
  })
})
