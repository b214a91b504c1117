// The double offers nothing that the documented Python API does not have, and our program calls nothing else.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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
  /** Type of each property of its own; ` RO` behind those that cannot be written. */
  readonly types?: Readonly<Record<string, string>>
  /** `argument: Type = default, … -> Result` of methods that the program or the double names. */
  readonly signatures?: Readonly<Record<string, string>>
  readonly values?: readonly string[]
}
type Surface = Record<
  string,
  {
    methods: Record<string, string[]>
    properties: Record<string, string>
    members: string[]
  }
>

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
  Quat: ['rotator'],
  // Epic's pages of the Python API of 5.x; the text leaves the engine's own components out.
  SplineComponent: [
    'get_number_of_spline_points',
    'get_location_at_spline_point',
    'get_arrive_tangent_at_spline_point',
    'get_leave_tangent_at_spline_point',
    'get_spline_point_type',
    'is_closed_loop',
  ],
}
/** Bases that the text names without describing them. */
const BASES: Readonly<Record<string, string>> = { PartitionActor: 'Actor', SoftISMComponentDescriptor: 'StructBase' }
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
  'StaticMesh',
  'StaticMeshActor',
  'SoftClassPath',
  'WrapperBase',
  'SplineComponent',
  'SplineCoordinateSpace',
  'SplinePointType',
]
/** Functions of the module itself: the reference lists classes only. */
const FUNCTIONS = [
  'get_editor_subsystem',
  'get_engine_subsystem',
  'load_class',
  'new_object',
  'register_slate_post_tick_callback',
  'unregister_slate_post_tick_callback',
]

const api: Readonly<Record<string, ApiClass>> = JSON.parse(readFileSync(API, 'utf8'))

function* lineage(name: string): Generator<ApiClass> {
  let at: string | undefined = name
  while (at !== undefined) {
    const found: ApiClass | undefined = api[at]
    if (found) yield found
    at = found?.base ?? BASES[at]
  }
}
function has(name: string, member: string): boolean {
  if (BEYOND['*']?.includes(member) || BEYOND[name]?.includes(member)) return true
  return [...lineage(name)].some(({ methods, properties }) => [...methods, ...properties].includes(member))
}
/** `cls, a: Name = None, b: bool -> None` names `a` and `b`. */
function argumentsOf(signature: string): string[] {
  const [given = ''] = signature.split(' -> ')
  return [...given.matchAll(/(?:^|, )(\w+)(?=:|,|$)/g)].map(([, name]) => name ?? '').filter((name) => name !== 'cls')
}
function python(script: readonly string[], input: string): string {
  const run = spawnSync('python3', ['-B', '-c', script.join('\n')], { input, encoding: 'utf8', maxBuffer: 2 ** 27 })
  expect(run.stderr).toBe('')
  return run.stdout
}

describe.skipIf(NO_PYTHON !== null)(`the double of Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  const surface: Surface = NO_PYTHON
    ? {}
    : JSON.parse(
        python(
          [
            'import inspect, json, sys',
            `sys.path.insert(0, ${JSON.stringify(PEERS)})`,
            'import module, objects',
            'table = json.load(sys.stdin)',
            "unreal = module.build({'engine': '5.8.0'}, table)",
            'found = {}',
            'for name in dir(unreal):',
            '    cls = getattr(unreal, name)',
            '    if not isinstance(cls, type): continue',
            '    bases = [base for base in cls.__mro__ if base.__module__ in ("pcg", "level", "module", "nodes", "listing", "objects", "rendering", "source_control", "abc")]',
            '    own = {key: getattr(cls, key) for base in bases for key in base.__dict__ if not key.startswith("_")}',
            '    methods = {key: [p for p in inspect.signature(value).parameters if p != "self"] for key, value in own.items() if callable(value)}',
            '    properties = {}',
            '    for base in reversed(cls.__mro__):',
            '        for key, (spec, writable, default) in base.__dict__.get("_props", {}).items():',
            '            properties[key] = objects.spelled(spec) + ("" if writable else " RO")',
            '    members = [key for key in vars(cls) if isinstance(vars(cls)[key], cls)] if issubclass(cls, objects.EnumBase) else []',
            '    found[name] = {"methods": methods, "properties": properties, "members": members}',
            'print(json.dumps(found))',
          ],
          JSON.stringify({ types: NODE_TYPES, common: COMMON_PROPERTIES }),
        ),
      )
  const listed = Object.entries(surface).filter(([name]) => api[name] && !CORE.includes(name))

  it('has no class, no method and no property that the API does not have', () => {
    expect(listed.length).toBeGreaterThan(400)
    const since = new Set(NODE_TYPES.map(({ name }) => name))
    const unlisted = Object.keys(surface).filter((name) => !api[name] && !CORE.includes(name) && !since.has(name))
    expect(unlisted).toEqual([])
    const unknown = listed.flatMap(([name, { methods, properties, members }]) =>
      [...Object.keys(methods), ...Object.keys(properties)]
        .filter((member) => !has(name, member) && !members.includes(member))
        .map((member) => `${name}.${member}`),
    )
    expect(unknown).toEqual([])
  })

  it('gives every property the listed type and access', () => {
    const whole = (kind: string) => kind.replace(/\b(u?int\d+)\b/g, 'int32').replace(/Map\[\w+, /, 'Map[str, ')
    const wrong = listed.flatMap(([name, { properties }]) => {
      const types: Record<string, string> = {}
      for (const one of [...lineage(name)].reverse()) Object.assign(types, one.types)
      return Object.entries(properties)
        .filter(([key, kind]) => whole(kind) !== whole(types[key] ?? 'not listed'))
        .map(([key, kind]) => `${name}.${key}: ${kind}, listed ${types[key]}`)
    })
    expect(wrong).toEqual([])
  })

  it('takes the arguments of the listed signatures, by their names', () => {
    const wrong = listed.flatMap(([name, { methods }]) =>
      Object.entries(methods).flatMap(([method, names]) => {
        const signature = [...lineage(name)].map(({ signatures }) => signatures?.[method]).find(Boolean)
        if (signature === undefined) return []
        const wanted = argumentsOf(signature)
        // The double may leave out trailing arguments, and nothing else.
        return names.every((given, at) => given === wanted[at]) ? [] : [`${name}.${method}(${names}): ${signature}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('has the members of an enum that the API lists; others have an underscore, which the listing lacks throughout', () => {
    const wrong = listed.flatMap(([name, { members }]) =>
      members
        .filter((member) => !member.includes('_') && api[name]?.values && !api[name].values.includes(member))
        .map((member) => `${name}.${member}`),
    )
    expect(wrong).toEqual([])
  })

  it('every name our program takes from `unreal` is one the API has, or is asked for first', () => {
    const named = new Set([...runtimeText().matchAll(/\bunreal\.(\w+)/g)].map(([, name]) => name ?? ''))
    expect([...named].filter((name) => !api[name] && !CORE.includes(name) && !FUNCTIONS.includes(name))).toEqual([])
  })

  it('every method our program calls is listed, and called with arguments that the signature has', () => {
    const calls: { line: number; owner: string | null; method: string; count: number; names: string[] }[] = JSON.parse(
      python(
        [
          'import ast, json, sys',
          'found = []',
          'def owner(node):',
          '    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "unreal": return node.attr',
          '    return "EditorAssetLibrary" if isinstance(node, ast.Name) and node.id == "ASSETS" else {"helpers": "PCGAttributePropertySelectorBlueprintHelpers"}.get(getattr(node, "id", None))',
          'for node in ast.walk(ast.parse(sys.stdin.read())):',
          '    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):',
          '        names = [key.arg for key in node.keywords if key.arg]',
          '        found.append(dict(line=node.lineno, owner=owner(node.func.value), method=node.func.attr, count=len(node.args), names=names))',
          'print(json.dumps(found))',
        ],
        runtimeText(),
      ),
    )
    const builtin = new Set(
      `append items get lower upper startswith endswith strip split partition join search match findall group update
      setdefault replace encode decode b64decode loads dumps new sha256 hexdigest compare_digest b64encode isidentifier isfinite
      compile sub pack unpack getpid abspath basename read pop __init__ capitalize keys values index
      monotonic time sleep dump load exists remove enumerate stop start Thread current_thread byref c_ulong
      create_unicode_buffer makedirs urandom hex getsize`.split(/\s+/),
    )
    // Functions of Windows, as Microsoft documents them.
    for (const name of 'FindWindowExW GetWindowThreadProcessId IsWindowVisible IsWindowEnabled GetWindowTextW GetClassNameW PostMessageW'.split(
      ' ',
    ))
      builtin.add(name)
    const known = (method: string) =>
      Object.entries(api).flatMap(([name, { methods, signatures }]) =>
        methods.includes(method) ? [{ name, signature: signatures?.[method] }] : [],
      )
    const wrong = calls.flatMap(({ line, owner, method, count, names }) => {
      if (owner === null && builtin.has(method)) return []
      if (CORE.includes(method) || FUNCTIONS.includes(method) || api[method]) return []
      if (BEYOND['*']?.includes(method) || Object.values(BEYOND).some((members) => members.includes(method))) return []
      const found = known(method).filter(({ name }) => owner === null || owner === name)
      if (found.length === 0) return [`line ${line}: ${owner ?? '…'}.${method} is not listed`]
      const fits = found.some(({ signature }) => {
        if (signature === undefined) return true
        const wanted = argumentsOf(signature)
        return count + names.length <= wanted.length && names.every((name) => wanted.includes(name))
      })
      return fits ? [] : [`line ${line}: ${method} is called with ${count} arguments and ${names}`]
    })
    expect(calls.length).toBeGreaterThan(200)
    expect(wrong).toEqual([])
  })

  it('every property our program names is listed, and every part of the program is read here', () => {
    const text = runtimeText()
    const named = [...text.matchAll(/[gs]et_editor_property\(\s*'(\w+)'/g)].map(([, name]) => name ?? '')
    const listedNames = new Set(Object.values(api).flatMap(({ properties }) => properties))
    // Asked for in a `try`: a factory of 5.7. The answer of a tool of 5.8 (`bIsComplete`, `Error`).
    const beyond = new Set(['skip_template_selection', 'is_complete', 'error'])
    expect(new Set(named).size).toBeGreaterThan(25)
    expect([...new Set(named)].filter((name) => !listedNames.has(name) && !beyond.has(name))).toEqual([])
    for (const part of readdirSync(new URL('runtime/', import.meta.url)).filter((name) => name.endsWith('.py')))
      expect(text).toContain(readFileSync(new URL(`runtime/${part}`, import.meta.url), 'utf8').split('\n')[0])
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
